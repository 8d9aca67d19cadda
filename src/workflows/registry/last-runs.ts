import type { EntityManager } from 'typeorm';
import type { RunStatus } from '../shared/run-status.js';

/** The newest run of a workflow. */
export interface LastRun {
  id: string;
  status: RunStatus;
  createdAt: Date;
}

/** The newest runs of workflows by their ids. Workflows without runs are missing. */
export async function lastRunsOf(
  tx: EntityManager,
  workspaceId: number,
  workflowIds: number[],
): Promise<Map<number, LastRun>> {
  const rows = await tx.query<(LastRun & { workflowId: number })[]>(
    `SELECT w.id AS "workflowId", r.id, r.status, r.created_at AS "createdAt"
       FROM workflows w
      CROSS JOIN LATERAL (
        SELECT id, status, created_at FROM workflow_runs
         WHERE workspace_id = $1 AND workflow_id = w.id
         ORDER BY id DESC LIMIT 1
      ) r
      WHERE w.workspace_id = $1 AND w.id = ANY($2::int[])`,
    [workspaceId, workflowIds],
  );
  return new Map(rows.map(({ workflowId, ...run }) => [workflowId, run]));
}
