import type { EntityManager } from 'typeorm';
import { textArray } from '../platform/database/binary-arrays.js';
import type { RowsOfSheet } from '../tables/index.js';
import type { ErasureTarget } from './erasure.entity.js';

export interface ErasureKey {
  workspaceId: number;
  id: string;
}

type Kind = ErasureTarget['kind'];

/** Stores targets and returns the new ones. */
export async function addTargets(
  db: EntityManager,
  { workspaceId, id }: ErasureKey,
  kind: Kind,
  keys: Iterable<string>,
): Promise<string[]> {
  const all = [...new Set(keys)];
  if (all.length === 0) return [];
  const rows = await db.query<{ key: string }[]>(
    `INSERT INTO erasure_targets (workspace_id, erasure_id, kind, key) SELECT $1, $2, $3, k FROM unnest($4::text[]) AS k
     ON CONFLICT DO NOTHING RETURNING key`,
    [workspaceId, id, kind, textArray(all)],
  );
  return rows.map(({ key }) => key);
}

/** Reads all targets of a kind, in order. */
export async function readTargets(db: EntityManager, { workspaceId, id }: ErasureKey, kind: Kind): Promise<string[]> {
  const rows = await db.query<{ key: string }[]>(
    'SELECT key FROM erasure_targets WHERE workspace_id = $1 AND erasure_id = $2 AND kind = $3 ORDER BY key',
    [workspaceId, id, kind],
  );
  return rows.map(({ key }) => key);
}

export async function removeTargets(
  tx: EntityManager,
  { workspaceId, id }: ErasureKey,
  kind: Kind,
  keys: string[],
): Promise<void> {
  await tx.query(
    'DELETE FROM erasure_targets WHERE workspace_id = $1 AND erasure_id = $2 AND kind = $3 AND key = ANY($4::text[])',
    [workspaceId, id, kind, textArray(keys)],
  );
}

const NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)';

/** Keeps targets of erased rows, with the time: calls of their cells may be recorded later. */
export async function markErased(tx: EntityManager, { workspaceId, id }: ErasureKey, keys: string[]): Promise<void> {
  const [{ now }] = await tx.query<[{ now: string }]>(`SELECT ${NOW_MS}::bigint AS now`);
  await tx.query(
    `UPDATE erasure_targets SET kind = 'erased_row', key = concat_ws(' ', key, $4::text)
      WHERE workspace_id = $1 AND erasure_id = $2 AND kind = 'row' AND key = ANY($3::text[])`,
    [workspaceId, id, textArray(keys), now],
  );
}

/** Milliseconds since the last row was erased; null when there was none. */
export async function msSinceErased(db: EntityManager, { workspaceId, id }: ErasureKey): Promise<number | null> {
  const [row] = await db.query<{ ms: number | null }[]>(
    `SELECT (${NOW_MS} - max(split_part(key, ' ', 6)::bigint))::float8 AS ms
       FROM erasure_targets WHERE workspace_id = $1 AND erasure_id = $2 AND kind = 'erased_row'`,
    [workspaceId, id],
  );
  return row!.ms;
}

/** Encodes rows as targets, in the order in which they were found: a row comes before its copies. */
export function toRowTargets(portions: RowsOfSheet[]): string[] {
  return portions.flatMap(({ sheetId, rows }, number) =>
    rows.map(({ row, from, until }) => [String(number).padStart(8, '0'), sheetId, row, from, until ?? ''].join(' ')),
  );
}

/** Decodes targets into rows of sheets, each with its targets. */
export function fromRowTargets(keys: string[]): (RowsOfSheet & { keys: string[] })[] {
  const portions = new Map<string, RowsOfSheet & { keys: string[] }>();
  for (const key of keys) {
    const [number, sheetId, row, from, until] = key.split(' ') as [string, string, string, string, string];
    const portion = portions.get(`${number} ${sheetId}`) ?? { sheetId, rows: [], keys: [] };
    portions.set(`${number} ${sheetId}`, portion);
    portion.rows.push({ row: Number(row), from: Number(from), until: until === '' ? null : Number(until) });
    portion.keys.push(key);
  }
  return [...portions.values()];
}
