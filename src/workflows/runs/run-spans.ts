import type { JsonObject } from '../../platform/json.js';
import type { RunStep, RunSteps } from '../../tables/index.js';
import type { OwnSpan } from '../../traces/index.js';
import type { Workflow, WorkflowVersion } from '../registry/workflow.entity.js';
import { errorOf, findOutput } from './run-results.js';
import { spanIdOfNode, traceOfRun } from './run-owner.js';
import type { WorkflowRun } from './workflow-run.entity.js';

export interface TracedRun {
  run: WorkflowRun;
  workflow: Pick<Workflow, 'id' | 'name'>;
  version: Pick<WorkflowVersion, 'number'>;
}

/** Spans of a run that are not stored yet: that of the run itself, and those of nodes without external calls. */
export function spansOfRun(traced: TracedRun, found: RunSteps): OwnSpan[] {
  const { run } = traced;
  const { traceId, rootId } = traceOfRun(run);
  const nodes = found.steps
    .filter(({ state, metrics }) => isComputed(state) && !metrics?.trace_ids.includes(traceId))
    .map((step) => toNodeSpan(traced, step));
  const endMs = Math.max(+run.createdAt, +(run.finishedAt ?? 0), ...nodes.map((node) => node.endMs));
  const root = {
    traceId,
    spanId: rootId,
    parentId: null,
    name: traced.workflow.name,
    startMs: +run.createdAt,
    endMs,
    error: failureOf(run, found.steps),
    attributes: { ...rootAttributes(traced), ...inputsOf(found), ...outputOf(found) },
    call: null,
  };
  return [root, ...nodes];
}

const isComputed = (state: RunStep['state']): boolean => state === 'succeeded' || state === 'failed';

function toNodeSpan(traced: TracedRun, { column, error, metrics, endMs, value }: RunStep): OwnSpan {
  const { run } = traced;
  const end = endMs ?? +run.createdAt;
  const { traceId, rootId: parentId } = traceOfRun(run);
  return {
    traceId,
    spanId: spanIdOfNode(run, column.id),
    parentId,
    name: column.title,
    startMs: Math.max(+run.createdAt, end - (metrics?.latency_ms ?? 0)),
    endMs: end,
    error,
    attributes: { node_type: column.type, ...workflowAttributes(traced), ...reused(metrics), ...output(value) },
    call: null,
  };
}

/** Why the run has no output; null when it has. */
function failureOf(run: WorkflowRun, steps: RunStep[]): string | null {
  if (run.status === 'cancelled') return 'The run was cancelled.';
  if (findOutput(steps)) return null;
  const failed = steps.find((step) => errorOf(run, step) !== null);
  return failed ? `${failed.column.title}: ${errorOf(run, failed)}` : 'Every output node was skipped.';
}

function workflowAttributes({ workflow, version }: TracedRun): JsonObject {
  return { workflow_id: workflow.id, workflow_name: workflow.name, workflow_version: version.number };
}

const reused = (metrics: RunStep['metrics']): JsonObject =>
  metrics?.reused_from ? { reused_from: metrics.reused_from } : {};

function rootAttributes(traced: TracedRun): JsonObject {
  const { id, metadata } = traced.run;
  return {
    node_type: 'WORKFLOW',
    ...workflowAttributes(traced),
    workflow_version_execution_id: Number(id),
    ...(Object.keys(metadata).length > 0 && { metadata: JSON.stringify(metadata) }),
  };
}

/** Values that are too large for a span are marks in the texts, and left out. */
const LONGEST = 32_000;

function inputsOf({ inputs }: RunSteps): JsonObject {
  const texts = inputs.map(({ title, value }) => `${JSON.stringify(title)}:${value}`);
  return texts.length === 0 ? {} : written('function_input', `{${texts.join(',')}}`);
}

function outputOf({ steps }: RunSteps): JsonObject {
  return output(findOutput(steps)?.value ?? null);
}

function output(value: string | null): JsonObject {
  return value === null ? {} : written('function_output', value);
}

function written(key: string, text: string): JsonObject {
  return text.length > LONGEST ? {} : { [key]: text };
}
