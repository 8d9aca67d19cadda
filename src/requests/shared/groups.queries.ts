import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement } from '../../platform/database/statement.js';

interface Membership {
  workspaceId: number;
  groupId: number;
}

const EXISTING = new Statement<{ workspace_id: number; id: number }>(`
  SELECT g.workspace_id, g.id FROM unnest($2::bigint[]) AS n (id)
    JOIN request_groups g ON g.workspace_id = $1 AND g.id = n.id`);

export const groupKey = ({ workspaceId, groupId }: Membership): string => `${workspaceId}:${groupId}`;

/** The keys of those groups that exist. */
export async function readGroups(tx: EntityManager, wanted: Membership[]): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const rows = await EXISTING.run(tx, [workspaceOf(wanted), int8Array(wanted.map(({ groupId }) => groupId))]);
  return new Set(rows.map((row) => groupKey({ workspaceId: row.workspace_id, groupId: row.id })));
}
