import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { LiveChannel, type LiveChannelPlugin, type LiveMessage, type LiveTopic } from '../../live/index.js';
import { Workflow } from '../registry/workflow.entity.js';
import { RunResults } from './run-results.js';
import { WorkflowRun } from './workflow-run.entity.js';

export const EXECUTION_CHANNEL = 'workflow_executions';
export const WORKFLOW_CHANNEL = 'workflow_runs';

/** Bytes of a message. Clients take a megabyte, and quotes in JSON that is a text take two bytes. */
const MOST_BYTES = 400_000;
/** A client uses a channel for one run. */
const MOST_RUNS = 20;

/** The results of runs that have ended, as clients that wait for them expect it. */
async function readMessages(
  db: DataSource,
  results: RunResults,
  { workspaceId, ids }: { workspaceId: number; ids: string[] },
): Promise<LiveMessage[]> {
  const messages: LiveMessage[] = [];
  for (const id of ids.slice(-MOST_RUNS)) {
    const run = /^\d{1,18}$/.test(id) ? await db.manager.findOneBy(WorkflowRun, { workspaceId, id }) : null;
    if (!run || run.status === 'running') continue;
    const output = await results.outputText(run, MOST_BYTES);
    const code = output === null ? 'EXCEEDS_SIZE_LIMIT' : 'OK';
    const data = `{"workflow_version_execution_id":${id},"final_output":${output},"result_code":"${code}"}`;
    messages.push({ message_name: 'SET_WORKFLOW_COMPLETE', data });
  }
  return messages;
}

/** The channel of a run, for clients that have started it before. */
@LiveChannel({
  name: EXECUTION_CHANNEL,
  pattern: /^workflow_updates:([1-9]\d{0,15})$/,
  example: 'workflow_updates:{workflow_version_execution_id}',
})
export class ExecutionLiveChannel implements LiveChannelPlugin {
  constructor(
    private readonly db: DataSource,
    private readonly results: RunResults,
  ) {}

  allows({ workspaceId }: Caller, [id]: string[]): Promise<boolean> {
    return this.db.manager.existsBy(WorkflowRun, { workspaceId, id });
  }

  read({ workspaceId, params }: LiveTopic): Promise<LiveMessage[]> {
    return readMessages(this.db, this.results, { workspaceId, ids: params });
  }

  readFirst(topic: LiveTopic): Promise<LiveMessage[]> {
    return this.read(topic);
  }
}

/** A channel that a client names before it starts a run, which names the channel. */
@LiveChannel({
  name: WORKFLOW_CHANNEL,
  pattern: /^workflows:([1-9]\d{0,9}):run:([\w-]{1,64})$/,
  example: 'workflows:{workflow_id}:run:{channel_name_suffix}',
})
export class WorkflowLiveChannel implements LiveChannelPlugin {
  constructor(
    private readonly db: DataSource,
    private readonly results: RunResults,
  ) {}

  async allows({ workspaceId }: Caller, [id]: string[]): Promise<boolean> {
    return Number(id) <= 2_147_483_647 && this.db.manager.existsBy(Workflow, { workspaceId, id: Number(id) });
  }

  read({ workspaceId }: LiveTopic, parts: string[]): Promise<LiveMessage[]> {
    return readMessages(this.db, this.results, { workspaceId, ids: parts });
  }

  async readFirst(topic: LiveTopic): Promise<LiveMessage[]> {
    const { workspaceId, params } = topic;
    const [workflowId, channel] = params;
    const runs = await this.db.manager.find(WorkflowRun, {
      select: { id: true },
      where: { workspaceId, workflowId: Number(workflowId), channel },
      order: { id: 'DESC' },
      take: MOST_RUNS,
    });
    return this.read(topic, runs.map(({ id }) => id).reverse());
  }
}
