import type { EntityManager } from 'typeorm';
import { copiedJson, copyRows } from '../platform/database/copy-rows.js';
import type { ImportState } from './import-steps.js';
import type { ImportedValue } from './importer.js';

interface Rows {
  from: number;
  to: number;
}

/**
 * Writes imported rows to reserved indexes, column by column like the index. Nobody else writes into these rows, and
 * they must be empty. The sheet must be locked.
 */
export async function writeRows(
  tx: EntityManager,
  { workspaceId, version }: { workspaceId: number; version: number },
  state: ImportState,
  { from, values }: { from: number; values: ImportedValue[][] },
): Promise<void> {
  const lines = linesOf(workspaceId, version, state, { from, values });
  await copyRows(tx, 'cells (workspace_id, column_key, row_index, version, value)', lines);
}

function* linesOf(
  workspaceId: number,
  version: number,
  { columnKeys, firstRow }: ImportState,
  { from, values }: { from: number; values: ImportedValue[][] },
): Generator<string> {
  for (const [index, key] of columnKeys.entries()) {
    for (const [offset, row] of values.entries()) {
      const value = row[index] ?? null;
      if (value === null) continue;
      yield `${workspaceId}\t${key}\t${firstRow + from + offset}\t${version}\t${copiedJson(JSON.stringify(value))}\n`;
    }
  }
}

/** Deletes rows that are not visible yet. Their columns are deleted with the last of them: see `deleteHidden`. */
export async function deleteWritten(
  tx: EntityManager,
  workspaceId: number,
  { columnKeys, firstRow }: ImportState,
  rows: Rows,
): Promise<void> {
  await tx.query(
    'DELETE FROM cells WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4',
    [workspaceId, columnKeys, firstRow + rows.from, firstRow + rows.to],
  );
}

/** Deletes the hidden columns of an import. */
export async function deleteHidden(tx: EntityManager, workspaceId: number, { newColumnIds }: ImportState) {
  await tx.query(
    'DELETE FROM sheet_columns WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND deleted_at IS NOT NULL',
    [workspaceId, newColumnIds],
  );
}
