import type { EntityManager } from 'typeorm';
import type { ColumnTypes, SourceAddress } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { parseConfig } from '../column-type/parse-config.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { GridErrors } from '../shared/grid.errors.js';
import { noteChange } from '../shared/changed-sources.js';

const FIND_SOURCE = `
  SELECT FROM sheet_columns c
    JOIN sheets s ON s.workspace_id = c.workspace_id AND s.id = c.sheet_id AND s.deleted_at IS NULL
    JOIN tables t ON t.workspace_id = s.workspace_id AND t.id = s.table_id AND t.deleted_at IS NULL
   WHERE c.workspace_id = $1 AND c.id = $2 AND c.owner <> 'scorecard' AND c.deleted_at IS NULL AND s.id = $3 AND t.id = $4
     AND s.id <> $5`;

const LINK = `
  INSERT INTO composition_links AS l (workspace_id, column_id, sheet_id, source_sheet_id, source_column_id)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (workspace_id, column_id) DO UPDATE SET
    source_sheet_id = excluded.source_sheet_id, source_column_id = excluded.source_column_id, seen_version = NULL`;

/**
 * Stores which columns these columns of a locked sheet mirror, so that they follow them. Columns that mirror nothing
 * are skipped. Throws composition_source_unknown unless the source is a live column of another live sheet.
 */
export async function linkMirrors(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  columns: SheetColumn[],
): Promise<void> {
  for (const column of columns) {
    const source = sourceOf(types, column);
    if (!source) continue;
    const { tableId, sheetId, columnId } = source;
    const found = await tx.query<unknown[]>(FIND_SOURCE, [sheet.workspaceId, columnId, sheetId, tableId, sheet.id]);
    if (found.length === 0) throw GridErrors.composition_source_unknown(columnId);
    await link(tx, sheet, column, source);
  }
}

/**
 * Links the mirroring columns among these to their sources again, after their content was replaced. They fail if a
 * source was deleted meanwhile. Throws cycle_detected.
 */
export async function relinkMirrors(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  columns: SheetColumn[],
): Promise<void> {
  const mirrors = columns.filter((column) => sourceOf(types, column));
  for (const column of mirrors) await link(tx, sheet, column, sourceOf(types, column)!);
  // Their sources may have come to depend on this sheet meanwhile.
  for (const column of mirrors) await requireNoCircle(tx, types, column);
}

/** Links a column and has all of its source read again, whatever it showed before. */
async function link(tx: EntityManager, sheet: Sheet, column: SheetColumn, source: SourceAddress): Promise<void> {
  const { workspaceId } = sheet;
  await tx.query(LINK, [workspaceId, column.id, sheet.id, source.sheetId, source.columnId]);
  noteChange(tx, workspaceId, source.sheetId);
}

function sourceOf(types: ColumnTypes, column: SheetColumn): SourceAddress | undefined {
  const type = types.get(column.type);
  return type.plugin.mirrors?.(parseConfig(type, column.config));
}

/** Two transactions that each close half of a cycle would both find none, so they run one after the other. */
const TAKE_TURNS = `
  SELECT pg_advisory_xact_lock(hashtext('composition_links'), $1)
   WHERE EXISTS (SELECT FROM composition_links WHERE workspace_id = $1)`;

/** Edges into columns that are not computed have no effect. */
const FIND_CIRCLE = `
  WITH RECURSIVE upstream (id) AS (
    VALUES ($2::uuid)
    UNION
    SELECT n.source_id FROM upstream u CROSS JOIN LATERAL (
      SELECT e.source_id FROM column_edges e
        JOIN sheet_columns c ON c.workspace_id = e.workspace_id AND c.id = e.column_id
       WHERE e.workspace_id = $1 AND e.column_id = u.id AND c.type = ANY($3::text[]) AND c.deleted_at IS NULL
      UNION ALL
      SELECT l.source_column_id FROM composition_links l
        JOIN sheet_columns c ON c.workspace_id = l.workspace_id AND c.id = l.column_id
       WHERE l.workspace_id = $1 AND l.column_id = u.id AND c.deleted_at IS NULL) n)
  SELECT EXISTS (
    SELECT FROM upstream u
      LEFT JOIN column_edges e ON e.workspace_id = $1 AND e.column_id = u.id AND e.source_id = $2
      LEFT JOIN sheet_columns c ON c.workspace_id = $1 AND c.id = u.id AND c.type = ANY($3::text[])
      LEFT JOIN composition_links l ON l.workspace_id = $1 AND l.column_id = u.id AND l.source_column_id = $2
     WHERE (e.source_id IS NOT NULL AND c.id IS NOT NULL) OR l.source_column_id IS NOT NULL) AS circle`;

/**
 * Throws cycle_detected when a column reads itself through columns of other sheets. Cycles within a sheet are found
 * without the database. Call it after the edges and links of the column are written.
 */
export async function requireNoCircle(tx: EntityManager, types: ColumnTypes, column: SheetColumn): Promise<void> {
  const linked = await tx.query<unknown[]>(TAKE_TURNS, [column.workspaceId]);
  if (linked.length === 0) return;
  const computing = types.list().filter(({ options }) => rulesOf(options.kind).computes);
  const names = computing.map(({ options }) => options.name);
  const [found] = await tx.query<{ circle: boolean }[]>(FIND_CIRCLE, [column.workspaceId, column.id, names]);
  if (found!.circle) throw GridErrors.cycle_detected([column.title]);
}
