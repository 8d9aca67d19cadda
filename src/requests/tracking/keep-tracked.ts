import type { EntityManager } from 'typeorm';
import type { NewRequestLog } from '../request-logs.queries.js';
import type { Tracked } from '../request-log.entity.js';

/**
 * Puts into logs that are about to be written again what clients have added to them since: a re-delivered span must not
 * wipe out metadata or a prompt that was tracked. Locks those logs until the end of the transaction. Most logs are new:
 * pass only those that exist.
 */
export async function keepTracked(tx: EntityManager, logs: NewRequestLog[]): Promise<void> {
  if (logs.length === 0) return;
  const rows = await tx.query<{ workspace_id: number; id: string; tracked: Tracked }[]>(
    `SELECT l.workspace_id, l.id, l.tracked
       FROM unnest($1::int[], $2::bigint[]) AS n (workspace_id, id)
       JOIN request_logs l ON l.workspace_id = n.workspace_id AND l.id = n.id
      WHERE l.tracked IS NOT NULL ORDER BY l.workspace_id, l.id FOR UPDATE OF l`,
    [logs.map((log) => log.workspaceId), logs.map((log) => log.id)],
  );
  const additions = new Map(rows.map((row) => [`${row.workspace_id}:${row.id}`, row.tracked]));
  for (const log of logs) {
    const tracked = additions.get(`${log.workspaceId}:${log.id}`);
    if (tracked) addTracked(log, tracked);
  }
}

function addTracked(log: NewRequestLog, { metadata, prompt }: Tracked): void {
  log.call = {
    ...log.call,
    metadata: { ...log.call.metadata, ...metadata },
    promptInputVariables: prompt?.variables ?? log.call.promptInputVariables,
  };
  if (prompt) log.promptLink = { promptId: prompt.id, versionNumber: prompt.versionNumber };
}
