import type { EntityManager } from 'typeorm';
import { namesPerson, type Sought } from '../../platform/database/erase-rows.js';
import { RowSet } from '../../grid/shared/row-set.js';

/** A row at the version in which it was added to a sheet, or found there. */
export interface RowOrigin {
  sheetId: string;
  row: number;
  /** The version that added it; 0 when unknown. */
  from: number;
  /** The version that replaced the found content; null when it is current. */
  until: number | null;
}

const IDS = `o.state #> '{plan,source,ids}'`;
const OF_LOGS = `jsonb_typeof(${IDS}) = 'array'`;
const VERSION_OF_IMPORT = `(SELECT min(v.number) FROM sheet_versions v WHERE v.workspace_id = $1 AND v.sheet_id = o.sheet_id
  AND v.deltas @> jsonb_build_array(jsonb_build_object('type', 'import', 'operation_id', o.id)))`;

/** Rows that imports created from request logs: an import stores which log became which row. */
export function rowsOfLogs(db: EntityManager, { workspaceId, logIds }: Sought): Promise<RowOrigin[]> {
  return db.query<RowOrigin[]>(
    `SELECT f."sheetId", f.row, coalesce(f.from, 0) AS from, NULL AS until FROM (
       SELECT o.sheet_id AS "sheetId", (o.state->>'firstRow')::int + e.place::int - 1 AS row, ${VERSION_OF_IMPORT} AS from
         FROM import_operations o CROSS JOIN LATERAL jsonb_array_elements_text(CASE WHEN ${OF_LOGS} THEN ${IDS} END)
              WITH ORDINALITY AS e (log_id, place)
        WHERE o.workspace_id = $1 AND o.status = 'completed' AND ${OF_LOGS} AND e.log_id = ANY($2::text[])) f`,
    [workspaceId, logIds],
  );
}

/** Counts running imports of these logs. */
export async function countRunningImports(db: EntityManager, { workspaceId, logIds }: Sought): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM import_operations o
      WHERE o.workspace_id = $1 AND o.status IN ('queued', 'running') AND ${OF_LOGS} AND EXISTS (
        SELECT FROM jsonb_array_elements_text(CASE WHEN ${OF_LOGS} THEN ${IDS} END) AS e (log_id) WHERE e.log_id = ANY($2::text[]))`,
    [workspaceId, logIds],
  );
  return row!.count;
}

/** Rows that were added as traces: the version stores which trace. */
export function rowsOfTraces(db: EntityManager, { workspaceId, traceIds }: Sought): Promise<RowOrigin[]> {
  return db.query<RowOrigin[]>(
    `SELECT v.sheet_id AS "sheetId", (d->>'row_index')::int AS row, v.number AS from, NULL AS until
       FROM sheet_versions v CROSS JOIN LATERAL jsonb_array_elements(v.deltas) AS d
      WHERE v.workspace_id = $1 AND v.deltas @> '[{"type": "trace_import"}]'
        AND d->>'type' = 'trace_import' AND d->>'trace_id' = ANY($2::text[])`,
    [workspaceId, traceIds],
  );
}

const metricsName = (key: string, ids: string): string =>
  `EXISTS (SELECT FROM jsonb_array_elements_text(c.metrics->'${key}') AS m (id) WHERE m.id = ANY(${ids}::text[]))`;

/** Personal data in a cell: a name, a trace, the address of a request log, or a call that was made for the person. */
const HOLDS = [
  `(c.value IS NOT NULL AND ${namesPerson('c.value::text', '$2')})`,
  `(c.display_value IS NOT NULL AND ${namesPerson('c.display_value', '$2')})`,
  `(c.error IS NOT NULL AND ${namesPerson('c.error', '$2')})`,
  `(jsonb_typeof(c.value) = 'string' AND c.value #>> '{}' = ANY($3::text[]))`,
  `(c.metrics IS NOT NULL AND NOT c.metrics ? 'reused_from'
    AND (${metricsName('trace_ids', '$4')} OR ${metricsName('request_ids', '$5')}))`,
].join(' OR ');

/** Rows with a cell about the person, also in deleted sheets and columns. */
export async function rowsThatMention(db: EntityManager, sought: Sought, table: 'cells' | 'cell_history') {
  const { workspaceId, person, traceIds, logIds } = sought;
  const exact = [...traceIds, ...logIds.map((id) => `/api/public/v2/requests/${id}`)];
  const until = table === 'cells' ? 'NULL::int' : 'c.version_to';
  return db.query<RowOrigin[]>(
    `SELECT DISTINCT k.sheet_id AS "sheetId", c.row_index AS row, 0 AS from, ${until} AS until
       FROM ${table} c JOIN sheet_columns k ON k.workspace_id = $1 AND k.key = c.column_key
      WHERE c.workspace_id = $1 AND (${HOLDS})`,
    [workspaceId, person, exact, traceIds, logIds],
  );
}

/** A copy of rows of a sheet: those at `rows`, one after the other, became the rows from `firstRow` on. */
export interface SheetCopy {
  sourceId: string;
  sheetId: string;
  firstRow: number;
  from: number;
  rows: RowSet;
}

export async function copiesOf(db: EntityManager, workspaceId: number, sheetIds: string[]): Promise<SheetCopy[]> {
  const found = await db.query<(Omit<SheetCopy, 'rows'> & { rows: string })[]>(
    `SELECT o.request->>'sheetId' AS "sourceId", o.sheet_id AS "sheetId", (o.state->>'firstRow')::int AS "firstRow",
            coalesce(${VERSION_OF_IMPORT}, 0) AS from, o.state #>> '{plan,source,rows}' AS rows
       FROM import_operations o
      WHERE o.workspace_id = $1 AND o.source = 'sheet' AND o.status = 'completed' AND o.request->>'sheetId' = ANY($2::text[])
        AND o.state IS NOT NULL`,
    [workspaceId, sheetIds],
  );
  return found.map((copy) => ({ ...copy, rows: RowSet.parse(copy.rows) }));
}

/** Sheets that show columns of others, row by row. */
export function mirrorsOf(db: EntityManager, workspaceId: number, sheetIds: string[]) {
  return db.query<{ sourceId: string; sheetId: string }[]>(
    `SELECT DISTINCT source_sheet_id AS "sourceId", sheet_id AS "sheetId" FROM composition_links
      WHERE workspace_id = $1 AND source_sheet_id = ANY($2::uuid[])`,
    [workspaceId, sheetIds],
  );
}

/** The rows that exist in all versions of a sheet since the given one. */
export async function rowsKeptSince(db: EntityManager, workspaceId: number, sheetId: string, from: number) {
  const [kept] = await db.query<{ rows: string | null }[]>(
    `SELECT range_intersect_agg(rows)::text AS rows FROM sheet_versions
      WHERE workspace_id = $1 AND sheet_id = $2 AND number >= $3`,
    [workspaceId, sheetId, from],
  );
  return RowSet.parse(kept?.rows ?? '');
}

/** The first version without each row, for rows that were deleted at least for a while. */
export async function versionsWithout(
  db: EntityManager,
  workspaceId: number,
  { sheetId, from, rows }: { sheetId: string; from: number; rows: number[] },
): Promise<Map<number, number>> {
  const found = await db.query<{ row: number; until: number | null }[]>(
    `SELECT r.row, (SELECT min(v.number) FROM sheet_versions v
                     WHERE v.workspace_id = $1 AND v.sheet_id = $2 AND v.number > $3 AND NOT v.rows @> r.row) AS until
       FROM unnest($4::int[]) AS r (row)`,
    [workspaceId, sheetId, from, rows],
  );
  return new Map(found.flatMap(({ row, until }) => (until === null ? [] : [[row, until]])));
}

/** Returns the given rows that still have cells, in the sheet or in its history. */
export async function rowsWithCells(
  db: EntityManager,
  workspaceId: number,
  { sheetId, rows }: { sheetId: string; rows: { row: number; from: number; until: number | null }[] },
): Promise<Set<number>> {
  const found = await db.query<{ row: number }[]>(
    `SELECT r.row FROM unnest($3::int[], $4::int[], $5::int[]) AS r (row, since, until)
      WHERE (r.until IS NULL AND EXISTS (SELECT FROM sheets s WHERE s.workspace_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND s.rows @> r.row))
         OR EXISTS (
           SELECT FROM sheet_columns k JOIN cells c ON c.workspace_id = $1 AND c.column_key = k.key AND c.row_index = r.row
            WHERE k.workspace_id = $1 AND k.sheet_id = $2 AND r.until IS NULL)
         OR EXISTS (
           SELECT FROM sheet_columns k JOIN cell_history c ON c.workspace_id = $1 AND c.column_key = k.key AND c.row_index = r.row
            WHERE k.workspace_id = $1 AND k.sheet_id = $2 AND c.version_to > r.since AND c.version_from < coalesce(r.until, ${2 ** 31 - 1}))`,
    [workspaceId, sheetId, rows.map(({ row }) => row), rows.map(({ from }) => from), rows.map(({ until }) => until)],
  );
  return new Set(found.map(({ row }) => row));
}
