import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { Problem } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json.js';
import { OutboundClient } from '../../platform/outbound/outbound.client.js';
import type { RunSteps } from '../../tables/index.js';
import { WorkflowVersion } from '../registry/workflow.entity.js';
import type { VersionChoice } from '../../registry/index.js';
import { WORKFLOWS } from '../registry/workflow.registry.js';
import { getVersion } from '../registry/workflows.queries.js';
import { getRun } from './run-canceller.js';
import { RunErrors } from './run.errors.js';
import { readInputs } from './run-inputs.js';
import { traceOfRun } from './run-owner.js';
import { type ResultWish, type RunResult, RunResults } from './run-results.js';
import { RunStarter } from './run-starter.js';
import { WorkflowRun } from './workflow-run.entity.js';

export interface RunRequest extends VersionChoice {
  inputs: JsonObject;
  metadata: Record<string, string>;
  callbackUrl: string | null;
  channel: string | null;
  returnAllOutputs: boolean;
  asksAgain: boolean;
}

export interface StartedRun {
  id: number;
  /** A sentence that names unused values of the request. */
  warning: string | null;
}

export interface NodeWish {
  returnAllOutputs: boolean;
  nodeId?: string | null;
  nodeName?: string | null;
}

/** A run with the number of its version. */
export type ListedRun = Pick<WorkflowRun, 'id' | 'status' | 'metadata' | 'createdAt' | 'finishedAt'> & {
  version: number;
};

const LISTED = `r.id, r.status, r.metadata, r.created_at AS "createdAt", r.finished_at AS "finishedAt", v.number AS version`;
const RUNS_WITH_VERSIONS = `workflow_runs r
         JOIN workflow_versions v ON v.workspace_id = r.workspace_id AND v.id = r.workflow_version_id`;

/** A run of a list with the position of its row. */
type PlacedRun = ListedRun & Pick<WorkflowRun, 'workflowId' | 'sheetId' | 'rowIndex' | 'executionId' | 'workspaceId'>;

/** A run with its inputs as JSON, in which marks replace large values. */
export interface RunDetail {
  run: ListedRun;
  workflowId: number;
  traceId: string;
  inputs: string;
  large: RunSteps['large'];
}

/** Starts and reads runs for clients. */
@Injectable()
export class RunsService {
  constructor(
    private readonly db: DataSource,
    private readonly starter: RunStarter,
    private readonly results: RunResults,
    private readonly outbound: OutboundClient,
  ) {}

  /** Throws the errors of `getVersion`, workflow_inputs_invalid, workflow_callback_refused and workflow_not_runnable. */
  async start(caller: Caller, identifier: string, request: RunRequest): Promise<StartedRun> {
    const { workspaceId } = caller;
    const { workflow, version } = await getVersion(this.db.manager, workspaceId, identifier, request);
    const read = readInputs(version.requiredInputVariables, request.inputs);
    if ('problems' in read) throw RunErrors.workflow_inputs_invalid(read.problems);
    const { metadata, callbackUrl, channel, returnAllOutputs, asksAgain } = request;
    const problem = callbackUrl === null ? null : this.outbound.findProblem(callbackUrl);
    if (problem) throw RunErrors.workflow_callback_refused(problem);
    const wishes = { metadata, callbackUrl, channel, returnAllOutputs, asksAgain };
    const run = { version, depth: 0, inputs: read.values, cause: null, ...wishes };
    const refuse = (error: unknown) => {
      throw error instanceof Problem ? RunErrors.workflow_not_runnable(workflow.name, error.message) : error;
    };
    const id = await this.starter.start({ ...run, startedBy: caller.keyId }).catch(refuse);
    return { id: Number(id), warning: read.warning };
  }

  /** Throws workflow_run_not_found and workflow_node_not_found. */
  async read({ workspaceId }: Caller, id: number, { returnAllOutputs, ...node }: NodeWish): Promise<RunResult> {
    const run = await getRun(this.db.manager, workspaceId, String(id));
    return this.results.read(run, { returnAllOutputs, nodeName: await this.nameOf(run, node) });
  }

  /** Returns a run with its inputs. Throws workflow_run_not_found. */
  async detail({ workspaceId }: Caller, id: number): Promise<RunDetail> {
    const [run] = await this.db.manager.query<PlacedRun[]>(
      `SELECT ${LISTED}, r.workspace_id AS "workspaceId", r.workflow_id AS "workflowId", r.sheet_id AS "sheetId",
              r.row_index AS "rowIndex", r.execution_id AS "executionId"
         FROM ${RUNS_WITH_VERSIONS}
        WHERE r.workspace_id = $1 AND r.id = $2`,
      [workspaceId, id],
    );
    if (!run) throw RunErrors.workflow_run_not_found(id);
    const { inputs, large } = await this.results.find(run);
    const texts = inputs.map(({ title, value }) => `${JSON.stringify(title)}:${value}`);
    const { traceId } = traceOfRun(run);
    return { run, workflowId: run.workflowId, traceId, inputs: `{${texts.join(',')}}`, large };
  }

  /** The latest first, from below an id. Throws workflow_not_found. */
  async list(
    { workspaceId }: Caller,
    identifier: string,
    { before, limit }: { before: number | null; limit: number },
  ): Promise<ListedRun[]> {
    const { manager } = this.db;
    const { id } = await WORKFLOWS.get(manager, workspaceId, identifier);
    return manager.query<ListedRun[]>(
      `SELECT ${LISTED}
         FROM ${RUNS_WITH_VERSIONS}
        WHERE r.workspace_id = $1 AND r.workflow_id = $2 AND ($3::bigint IS NULL OR r.id < $3)
        ORDER BY r.id DESC LIMIT $4`,
      [workspaceId, id, before, limit],
    );
  }

  /** The name of the node that is asked for; null for all nodes. */
  private async nameOf(
    { workspaceId, workflowVersionId }: WorkflowRun,
    { nodeId, nodeName }: Omit<NodeWish, 'returnAllOutputs'>,
  ): Promise<ResultWish['nodeName']> {
    if (!nodeId) return nodeName || null;
    const { nodes } = await this.db.manager.findOneByOrFail(WorkflowVersion, { workspaceId, id: workflowVersionId });
    const node = nodes.find(({ id, name }) => id === nodeId.toLowerCase() && (!nodeName || name === nodeName));
    if (!node) throw RunErrors.workflow_node_not_found(nodeId);
    return node.name;
  }
}
