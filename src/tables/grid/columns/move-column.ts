import type { EntityManager } from 'typeorm';
import { int4Array, uuidArray } from '../../../platform/database/binary-arrays.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { refitTasks } from '../computing/pending.queries.js';
import { markStale } from '../states/mark-stale.js';
import { recordVersion } from '../versions/record-version.js';
import { archiveColumns } from './archive-columns.js';
import type { ColumnTarget } from './change-column.js';
import { RANK_GAP } from './insert-column.js';
import { SheetColumns } from './sheet-columns.js';

const MOVE = `
  UPDATE sheet_columns c SET position_rank = m.rank, version = $3, updated_at = now()
    FROM unnest($4::uuid[], $5::int[]) m (id, rank)
   WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.id = m.id`;

/**
 * Makes a column of a locked sheet the one at `position` among those that people see, from 0, as one new version; beyond the
 * end means the end. Makes none when it stands there already. What reads everything to its left becomes stale where that is
 * something else now.
 */
export async function moveColumn(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, columnId, createdBy }: ColumnTarget,
  position: number,
): Promise<void> {
  const before = await SheetColumns.read(tx, types, sheet);
  const column = before.require(columnId);
  const others = before.shown({ withSystem: false }).filter((each) => each !== column);
  const order = others.toSpliced(position, 0, column);
  const ranks = order.map((each, index) => ({ ...each, rank: (index + 1) * RANK_GAP }));
  if (before.shown({ withSystem: false }).every((each, index) => each === order[index])) return;
  const moved = ranks.filter(({ rank, positionRank }) => rank !== positionRank);
  const deltas = [{ type: 'column.move', column_id: column.id, after: { position: order.indexOf(column) } }];
  const version = await recordVersion(tx, sheet, { deltas, createdBy });
  await archiveColumns(
    tx,
    sheet,
    moved.map(({ id }) => id),
  );
  await tx.query(MOVE, [
    sheet.workspaceId,
    sheet.id,
    version,
    uuidArray(moved.map(({ id }) => id)),
    int4Array(moved.map(({ rank }) => rank)),
  ]);
  const after = await SheetColumns.read(tx, types, sheet);
  const affected = after.withDependents(after.withOtherLeft(before));
  if (affected.length === 0) return;
  await refitTasks(tx, sheet, after, affected);
  await markStale(tx, sheet, affected, sheet.rows);
}
