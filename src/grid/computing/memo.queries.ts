import type { EntityManager } from 'typeorm';
import { hexByteaArray, jsonbArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonValue } from '../../platform/json.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';

export interface MemoEntry {
  /** Digest of everything the result depends on, in hex. */
  key: string;
  value: JsonValue;
  metrics: CellMetrics | null;
  /** See `CellMemo.origin`. */
  origin?: string | null;
}

export interface RememberedResult extends MemoEntry {
  computedAt: Date;
}

const RECALL = new Statement<RememberedResult>(`
  SELECT encode(m.key, 'hex') AS key, m.value, m.metrics, m.computed_at AS "computedAt"
    FROM unnest($2::bytea[]) k (key) JOIN cell_memo m ON m.workspace_id = $1 AND m.key = k.key
   WHERE m.computed_at > now() - $3 * interval '1 day' AND ($4::uuid IS NULL OR m.origin = $4)`);

/** Stored results of equal inputs up to an age in days, by key; with an origin, only those of it. */
export async function recallResults(
  db: EntityManager,
  workspaceId: number,
  keys: string[],
  { days, origin = null }: { days: number; origin?: string | null },
): Promise<Map<string, RememberedResult>> {
  if (keys.length === 0 || days === 0) return new Map();
  const found = await RECALL.run(db, [workspaceId, hexByteaArray(keys), days, origin]);
  return new Map(found.map((result) => [result.key, result]));
}

const REMEMBER = new Statement(`
  INSERT INTO cell_memo AS m (workspace_id, key, value, metrics, origin)
  SELECT DISTINCT ON (key) $1::int, key, value, metrics, origin
    FROM unnest($2::bytea[], $3::jsonb[], $4::jsonb[], $5::uuid[]) e (key, value, metrics, origin)
   ORDER BY key
  ON CONFLICT (workspace_id, key) DO UPDATE SET
    value = excluded.value, metrics = excluded.metrics, origin = excluded.origin, computed_at = excluded.computed_at`);

/** Stores results for later. They replace earlier ones of the same inputs. */
export async function rememberResults(tx: EntityManager, workspaceId: number, entries: MemoEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await REMEMBER.run(tx, [
    workspaceId,
    hexByteaArray(entries.map(({ key }) => key)),
    jsonbArray(entries.map(({ value }) => (value === null ? null : JSON.stringify(value)))),
    jsonbArray(entries.map(({ metrics }) => (metrics ? JSON.stringify(metrics) : null))),
    entries.map(({ origin }) => origin ?? null),
  ]);
}

/** A small number keeps the statement fast; the next sweep continues. */
const FORGOTTEN_AT_ONCE = 5_000;

/** Deletes results that are too old to be used. */
export async function forgetResults(db: EntityManager, days: number): Promise<void> {
  await db.query(
    `DELETE FROM cell_memo WHERE (workspace_id, key) IN (
       SELECT workspace_id, key FROM cell_memo WHERE computed_at < now() - $1 * interval '1 day' LIMIT $2)`,
    [days, FORGOTTEN_AT_ONCE],
  );
}
