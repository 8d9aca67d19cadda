import { Injectable } from '@nestjs/common';
import type { StreamableFile } from '@nestjs/common';
import { streamJson } from '../../platform/http/json-stream.js';
import { OwnedSteps, type RunPlace, type RunStep, type RunSteps } from '../../tables/index.js';
import { RunErrors } from './run.errors.js';
import type { WorkflowRun } from './workflow-run.entity.js';

export const NODE_STATUSES = ['QUEUED', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED'] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number];

/** The present result of a run. */
export interface RunResult {
  /** Whether none of the requested nodes is queued or running. */
  isFinal: boolean;
  answer: StreamableFile;
}

export interface ResultWish {
  /** All nodes instead of the value of the output. */
  returnAllOutputs: boolean;
  /** One node instead of all. */
  nodeName: string | null;
}

const STATUSES: Record<RunStep['state'], NodeStatus> = {
  queued: 'QUEUED',
  running: 'RUNNING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  skipped: 'SKIPPED',
  missing: 'FAILED',
};

const CANCELLED = 'The run was cancelled before this node was computed.';
const MISSING = 'This node was not computed.';

@Injectable()
export class RunResults {
  constructor(private readonly steps: OwnedSteps) {}

  /** Throws workflow_run_not_found and workflow_node_not_found. */
  async read(run: WorkflowRun, { returnAllOutputs, nodeName }: ResultWish): Promise<RunResult> {
    const found = await this.find(run);
    const nodes = nodeName === null ? found.steps : found.steps.filter(({ column }) => column.title === nodeName);
    if (nodes.length === 0) throw RunErrors.workflow_node_not_found(nodeName ?? '');
    const isFinal = nodes.every(({ state }) => state !== 'queued' && state !== 'running');
    const output = nodeName === null ? findOutput(nodes) : nodes.find(({ state }) => state === 'succeeded');
    const text = !returnAllOutputs && isFinal && output ? (output.value ?? 'null') : nodeMap(run, nodes);
    return { isFinal, answer: streamJson(found.large.fill(text)) };
  }

  /** The results of all nodes as JSON; null if it is longer than `mostBytes`. */
  async nodesText(run: WorkflowRun, mostBytes: number): Promise<string | null> {
    const found = await this.find(run);
    return textWithin(found, nodeMap(run, found.steps), mostBytes);
  }

  /** The result that the client asked for: the value of the output if there is one, or all nodes. */
  async outputText(run: WorkflowRun, mostBytes: number): Promise<string | null> {
    const found = await this.find(run);
    const output = run.returnAllOutputs ? undefined : findOutput(found.steps);
    return textWithin(found, output ? (output.value ?? 'null') : nodeMap(run, found.steps), mostBytes);
  }

  async find(run: RunPlace & { id: string }): Promise<RunSteps> {
    const found = await this.steps.read(run);
    if (!found) throw RunErrors.workflow_run_not_found(Number(run.id));
    return found;
  }
}

/** The first output node that has succeeded. */
export function findOutput(steps: RunStep[]): RunStep | undefined {
  return steps.find(({ column, state }) => column.isOutputColumn && state === 'succeeded');
}

/** Why a node has no value; null when it has one, or may still get one. */
export function errorOf({ status }: Pick<WorkflowRun, 'status'>, { state, error }: RunStep): string | null {
  if (state === 'missing') return status === 'cancelled' ? CANCELLED : MISSING;
  return error;
}

/** Returns null if the text is longer than `mostBytes`. */
async function textWithin({ bytes, large }: RunSteps, text: string, mostBytes: number): Promise<string | null> {
  if (bytes > mostBytes) return null;
  let whole = '';
  for await (const piece of large.fill(text)) whole += piece;
  return Buffer.byteLength(whole) > mostBytes ? null : whole;
}

function nodeMap(run: WorkflowRun, steps: RunStep[]): string {
  const nodes = steps.map((step) => {
    const { column, state, value, metrics } = step;
    const message = JSON.stringify(errorOf(run, step));
    const reused = metrics?.reused_from ? `,"reused_from":${JSON.stringify(metrics.reused_from)}` : '';
    return `${JSON.stringify(column.title)}:{"status":"${STATUSES[state]}","value":${value},"error_message":${message},"raw_error_message":${message},"is_output_node":${column.isOutputColumn}${reused}}`;
  });
  return `{${nodes.join(',')}}`;
}
