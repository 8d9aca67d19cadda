import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { refitTasks } from '../computing/pending.queries.js';
import { lockLiveSheet } from '../shared/lock-sheet.js';
import { KEEPING_OWNERS } from '../shared/sheet-owner.js';
import { ChunkStates } from '../states/chunk-states.js';
import { noteStale } from '../states/stale-notes.js';
import { recordVersion } from '../shared/record-version.js';

/** Columns that use a changed object, by sheet. */
export interface OutdatedColumns {
  sheetId: string;
  columnIds: string[];
}

/**
 * Makes the cells of columns and their dependents stale after a change outside of their sheets. Those that are being
 * computed start again.
 */
export async function outdateColumns(
  tx: EntityManager,
  types: ColumnTypes,
  workspaceId: number,
  { sheetId, columnIds, delta }: OutdatedColumns & { delta: JsonObject },
): Promise<void> {
  const sheet = await lockLiveSheet(tx, workspaceId, sheetId);
  if (!sheet || KEEPING_OWNERS.includes(sheet.owner)) return;
  const columns = await SheetColumns.read(tx, types, sheet);
  const users = columns.computed.filter(({ id }) => columnIds.includes(id));
  // Their workers may have read the object before its change.
  await refitTasks(tx, sheet, columns, users);
  const outdated = [...users, ...columns.dependents(users)];
  const keys = outdated.map(({ key }) => key);
  const states = await ChunkStates.read(tx, workspaceId, keys, { from: 0, to: sheet.rows.end });
  for (const key of keys) states.markStale(key, sheet.rows);
  if (!states.isChanged) return;
  const deltas = [{ ...delta, column_ids: columnIds }];
  await states.save(tx, await recordVersion(tx, sheet, { deltas, createdBy: null }));
  noteStale(tx, sheet, sheet.rows);
}
