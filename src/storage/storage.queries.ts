import type { DataSource, EntityManager } from 'typeorm';
import { Statement } from '../platform/database/statement.js';

/** The own limits of a workspace and its usage. */
export interface StoredRow {
  maxStoredBytes: number | null;
  maxRows: number | null;
  /** null before the first count. */
  storedBytes: number | null;
  countedAt: Date | null;
  rows: number;
}

/** Sheets store their set of rows, so the number of rows is exact. */
const READ = new Statement<StoredRow>(`
  SELECT s.max_stored_bytes::float8 AS "maxStoredBytes", s.max_rows::float8 AS "maxRows",
         s.stored_bytes::float8 AS "storedBytes", s.counted_at AS "countedAt",
         (SELECT coalesce(sum(upper(r) - lower(r)), 0)::float8 FROM sheets h CROSS JOIN LATERAL unnest(h.rows) AS r
           WHERE h.workspace_id = $1 AND h.deleted_at IS NULL) AS rows
    FROM (VALUES ($1::int)) AS w (id) LEFT JOIN workspace_storage s ON s.workspace_id = $1`);

export async function readStored(db: EntityManager, workspaceId: number): Promise<StoredRow> {
  const [row] = await READ.run(db, [workspaceId]);
  return row!;
}

export async function writeLimits(
  tx: EntityManager,
  workspaceId: number,
  { maxStoredBytes, maxRows }: Pick<StoredRow, 'maxStoredBytes' | 'maxRows'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO workspace_storage (workspace_id, max_stored_bytes, max_rows) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id) DO UPDATE
       SET max_stored_bytes = excluded.max_stored_bytes, max_rows = excluded.max_rows, count_began_at = NULL`,
    [workspaceId, maxStoredBytes, maxRows],
  );
}

/** A workspace is counted at most once a minute, and for at most a twentieth of the time. */
const IS_DUE = `(s.count_began_at IS NULL
  OR s.count_began_at < now() - greatest(interval '1 minute', 20 * s.count_ms * interval '1 millisecond'))`;

/** Workspaces with a byte limit, their own or the installation's, that are due for a count. */
export async function workspacesToCount(db: EntityManager, limitOfAll: number): Promise<number[]> {
  const rows = await db.query<{ id: number }[]>(
    `SELECT w.id FROM workspaces w LEFT JOIN workspace_storage s ON s.workspace_id = w.id
      WHERE coalesce(s.max_stored_bytes, $1) > 0 AND ${IS_DUE}`,
    [limitOfAll],
  );
  return rows.map(({ id }) => id);
}

const BEGIN = new Statement(`
  INSERT INTO workspace_storage AS s (workspace_id, count_began_at) VALUES ($1, now())
  ON CONFLICT (workspace_id) DO UPDATE SET count_began_at = excluded.count_began_at WHERE ${IS_DUE}
  RETURNING s.workspace_id`);

/** False when another worker counts it. */
export const beginCount = async (db: EntityManager, workspaceId: number): Promise<boolean> =>
  (await BEGIN.run(db, [workspaceId])).length > 0;

export async function keepCount(
  db: EntityManager,
  workspaceId: number,
  { bytes, ms }: { bytes: number; ms: number },
): Promise<void> {
  await db.query(
    `UPDATE workspace_storage SET stored_bytes = $2, counted_at = now(), count_ms = $3 WHERE workspace_id = $1`,
    [workspaceId, Math.round(bytes), Math.round(ms)],
  );
}

export async function keepCountTime(db: EntityManager, workspaceId: number, ms: number): Promise<void> {
  await db.query('UPDATE workspace_storage SET count_ms = $2 WHERE workspace_id = $1', [workspaceId, Math.round(ms)]);
}

/** Bytes of a row besides its columns of variable length. */
const ROW_BYTES = 24;

/**
 * Statements, one per table with workspaces, that give the bytes of the rows of one workspace as they are stored: long values
 * compressed. Indexes are not counted. No value is read: its size is in its header.
 */
export async function countingStatements(db: DataSource): Promise<string[]> {
  const rows = await db.query<{ table: string; fixed: number; columns: string[] }[]>(`
    SELECT quote_ident(c.relname) AS table, sum(greatest(a.attlen, 0))::int AS fixed,
           coalesce(array_agg(quote_ident(a.attname)) FILTER (WHERE a.attlen < 0), '{}') AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped
     GROUP BY c.relname HAVING bool_or(a.attname = 'workspace_id') ORDER BY c.relname`);
  return rows.map(({ table, fixed, columns }) => {
    const sizes = columns.map((column) => `coalesce(pg_column_size(t.${column}), 0)`);
    const ofRow = [String(fixed + ROW_BYTES), ...sizes].join(' + ');
    return `SELECT coalesce(sum(${ofRow}), 0)::float8 AS bytes FROM ${table} t WHERE t.workspace_id = $1`;
  });
}
