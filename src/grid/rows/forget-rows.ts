import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { dropPendingRows } from '../computing/pending.queries.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { ChunkStates } from '../states/chunk-states.js';
import { recordVersion } from '../shared/record-version.js';
import { rangeOf, type RowSet } from '../shared/row-set.js';

/** Deletes the cells of some rows and their history, chunk by chunk of the index. */
const FORGET = ['cells', 'cell_history'].map(
  (table) => `
  DELETE FROM ${table} WHERE workspace_id = $1 AND column_key = ANY($2::bigint[])
     AND row_index >= $3::int AND row_index < $4::int AND row_index <@ $5::int4multirange`,
);

/** Deletes old versions, except those that somebody named, scored or restored, and those since the number $3. */
const FORGET_VERSIONS = `
  DELETE FROM sheet_versions v
   WHERE v.workspace_id = $1 AND v.sheet_id = $2 AND v.number < $3::int AND v.name IS NULL
     AND NOT EXISTS (SELECT FROM version_scores s WHERE s.workspace_id = $1 AND s.sheet_id = $2 AND s.version = v.number)
     AND NOT EXISTS (SELECT FROM scorecard_calculations s WHERE s.workspace_id = $1 AND s.sheet_id = $2 AND s.version = v.number)
     AND NOT EXISTS (SELECT FROM sheet_versions r WHERE r.workspace_id = $1 AND r.sheet_id = $2 AND r.source_version_id = v.id)`;

/**
 * Deletes rows of a locked sheet with their history, as one new version. No version has their cells any more. Versions
 * before `firstVersion` that nobody named or scored are deleted, too.
 */
export async function forgetRows(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { rows, firstVersion }: { rows: RowSet; firstVersion: number },
): Promise<void> {
  const { workspaceId, id } = sheet;
  const keys = columns.list.map(({ key }) => key);
  const range = rangeOf(rows);
  await recordVersion(tx, sheet, {
    rows: sheet.rows.without(rows),
    deltas: [{ type: 'rows.delete', row_index: range.from, count: rows.count }],
    createdBy: null,
  });
  await dropPendingRows(tx, sheet, rows);
  for (const statement of FORGET) {
    await tx.query(statement, [workspaceId, int8Array(keys.map(Number)), range.from, range.to, rows.toString()]);
  }
  const states = await ChunkStates.read(tx, workspaceId, keys, range);
  for (const key of keys) states.forget(key, rows);
  await states.save(tx, sheet.version);
  await tx.query(FORGET_VERSIONS, [workspaceId, id, firstVersion]);
}
