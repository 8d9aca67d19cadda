import type { EntityManager } from 'typeorm';
import { emit } from '../../events/index.js';
import { Statement } from '../../platform/database/statement.js';
import { rowIsPending } from '../../tables/index.js';
import { RunEvents } from './run-events.js';

/** A run that has ended, and the recipients of the notification. */
export interface EndedRun {
  id: string;
  workflowId: number;
  workflowName: string;
  /** The live channel of its client. */
  channel: string | null;
  cause: string | null;
  startedBy: number | null;
}

const endOf = (status: string, which: string): string => `
  WITH ended AS (
    UPDATE workflow_runs r SET status = '${status}', finished_at = now()
     WHERE r.workspace_id = $1 AND r.status = 'running' AND ${which}
    RETURNING r.id, r.workflow_id, r.channel, r.cause, r.started_by
  ), left_to_do AS (
    INSERT INTO workflow_run_ends (workspace_id, id) SELECT $1, id FROM ended
  )
  SELECT e.id, e.workflow_id AS "workflowId", w.name AS "workflowName", e.channel, e.cause, e.started_by AS "startedBy"
    FROM ended e JOIN workflows w ON w.workspace_id = $1 AND w.id = e.workflow_id`;

/** A run has ended when no cell of its row is queued or running. */
const FINISH = new Statement<EndedRun>(
  endOf('finished', `r.execution_id = $2 AND NOT ${rowIsPending('$1', '$2', 'r.row_index')}`),
);

const CANCEL = new Statement<EndedRun>(endOf('cancelled', 'r.id = $2'));

/** Marks complete runs of an execution as finished, in the transaction that completed them. */
export async function finishRuns(
  tx: EntityManager,
  { workspaceId, executionId }: { workspaceId: number; executionId: string },
): Promise<EndedRun[]> {
  return announce(tx, { workspaceId, executionId }, await FINISH.run(tx, [workspaceId, executionId]));
}

/** Returns nothing if the run had ended before. */
export async function cancelRun(
  tx: EntityManager,
  { workspaceId, executionId }: { workspaceId: number; executionId: string },
  id: string,
): Promise<EndedRun[]> {
  return announce(tx, { workspaceId, executionId }, await CANCEL.run(tx, [workspaceId, id]));
}

/** Runs that cells have started emit no events: only those cells wait for them. */
async function announce(
  tx: EntityManager,
  { workspaceId, executionId }: { workspaceId: number; executionId: string },
  ended: EndedRun[],
): Promise<EndedRun[]> {
  for (const { id, workflowId, workflowName, cause, startedBy: keyId } of ended) {
    if (cause !== null) continue;
    const details = { agent_name: workflowName, agent_id: workflowId, agent_execution_id: Number(id) };
    await emit(tx, { workspaceId, keyId, requestId: executionId }, RunEvents.finished(details));
  }
  return ended;
}
