import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ChunkStates } from '../states/chunk-states.js';
import { dropRows } from '../cells/drop-cells.queries.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { dropPendingRows } from '../computing/pending.queries.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { recordVersion } from '../shared/record-version.js';
import { rangeOf, type RowSet } from '../shared/row-set.js';

/** Deletes existing rows of a locked sheet as one new version. Their queued cells are dropped. */
export async function deleteRows(
  tx: EntityManager,
  caller: Caller,
  { sheet, columns }: { sheet: Sheet; columns: SheetColumns },
  rows: RowSet,
): Promise<void> {
  await recordVersion(tx, sheet, {
    rows: sheet.rows.without(rows),
    deltas: [{ type: 'rows.delete', row_index: rows.ranges[0]!.from, count: rows.count }],
    createdBy: caller.keyName,
  });
  await dropPendingRows(tx, sheet, rows);
  const keys = columns.list.map((column) => column.key);
  await dropRows(tx, sheet, keys, rows);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, rangeOf(rows));
  for (const key of keys) states.forget(key, rows);
  await states.save(tx, sheet.version);
}
