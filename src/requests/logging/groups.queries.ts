import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';

interface Membership {
  workspaceId: number;
  groupId: number;
}

const EXISTING = new Statement<{ workspace_id: number; id: number }>(`
  SELECT g.workspace_id, g.id FROM unnest($1::int[], $2::bigint[]) AS n (workspace_id, id)
    JOIN request_groups g ON g.workspace_id = n.workspace_id AND g.id = n.id`);

export const groupKey = ({ workspaceId, groupId }: Membership): string => `${workspaceId}:${groupId}`;

/** The keys of those groups that exist. */
export async function readGroups(tx: EntityManager, wanted: Membership[]): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const rows = await EXISTING.run(tx, [
    int4Array(wanted.map(({ workspaceId }) => workspaceId)),
    int8Array(wanted.map(({ groupId }) => groupId)),
  ]);
  return new Set(rows.map((row) => groupKey({ workspaceId: row.workspace_id, groupId: row.id })));
}
