import { type EntityManager, In } from 'typeorm';
import type { Sheet } from '../shared/sheet.entity.js';
import { ColumnEdge, SheetColumn } from './column.entity.js';
import type { ColumnState } from './column-state.js';
import { insertEdges } from './insert-column.js';

/** A column that changed twice in one version is archived once, because nobody could read the state in between. */
const ARCHIVE = `
  INSERT INTO column_history (workspace_id, sheet_id, column_id, version_from, version_to, title, type, config, edges,
                              position_rank, is_output_column)
  SELECT c.workspace_id, c.sheet_id, c.id, c.version, $4, c.title, c.type, c.config,
         coalesce((SELECT jsonb_agg(jsonb_build_object('sourceId', e.source_id, 'configKey', e.config_key,
                                                       'configMeta', e.config_meta) ORDER BY e.ordinal)
                     FROM column_edges e WHERE e.workspace_id = $1 AND e.column_id = c.id), '[]'),
         c.position_rank, c.is_output_column
    FROM sheet_columns c
   WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.id = ANY ($3::uuid[]) AND c.deleted_at IS NULL AND c.version < $4`;

/**
 * Moves the previous state of live columns to the history, because the current version of the locked sheet changes
 * them. Call it after `recordVersion` and before anything about the columns or their edges is written.
 */
export async function archiveColumns(tx: EntityManager, sheet: Sheet, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.query(ARCHIVE, [sheet.workspaceId, sheet.id, ids, sheet.version]);
}

/** Changes a live column as part of the version that was just recorded, and returns it. */
export async function rewriteColumn(
  tx: EntityManager,
  sheet: Sheet,
  id: string,
  { edges, ...fields }: ColumnState,
): Promise<SheetColumn> {
  const { workspaceId, id: sheetId, version } = sheet;
  await archiveColumns(tx, sheet, [id]);
  const changed = { ...fields, config: fields.config as object, version, updatedAt: new Date() };
  await tx.update(SheetColumn, { workspaceId, id }, changed);
  await tx.delete(ColumnEdge, { workspaceId, columnId: id });
  await insertEdges(tx, { workspaceId, sheetId, columnId: id }, edges);
  return tx.findOneByOrFail(SheetColumn, { workspaceId, id });
}

/**
 * Deletes live columns as part of the version that was just recorded. Columns that read them lose the edge and keep
 * their config. Cells are kept: the key of a column is never used again, and a restored version needs them.
 */
export async function deleteColumns(tx: EntityManager, sheet: Sheet, ids: string[]): Promise<void> {
  const { workspaceId, id: sheetId, version } = sheet;
  const readers = await tx.findBy(ColumnEdge, { workspaceId, sheetId, sourceId: In(ids) });
  const remaining = [...new Set(readers.map((edge) => edge.columnId))].filter((id) => !ids.includes(id));
  await archiveColumns(tx, sheet, [...ids, ...remaining]);
  await tx.delete(ColumnEdge, { workspaceId, sheetId, sourceId: In(ids) });
  await tx.delete(ColumnEdge, { workspaceId, sheetId, columnId: In(ids) });
  const now = new Date();
  await tx.update(SheetColumn, { workspaceId, sheetId, id: In(remaining) }, { version, updatedAt: now });
  await tx.update(SheetColumn, { workspaceId, sheetId, id: In(ids) }, { version, updatedAt: now, deletedAt: now });
}
