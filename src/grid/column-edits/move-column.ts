import type { EntityManager } from 'typeorm';
import { int4Array, uuidArray } from '../../platform/database/binary-arrays.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { refitTasks } from '../computing/pending.queries.js';
import { markStale } from '../states/mark-stale.js';
import { recordVersion } from '../shared/record-version.js';
import { archiveColumns } from '../columns/archive-columns.js';
import type { ChangedColumn, ColumnTarget } from './change-column.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { movedRanks } from '../columns/column-ranks.js';
import { metadataSource } from '../columns/metadata-source.js';
import { SheetColumns } from '../columns/sheet-columns.js';

const MOVE = `
  UPDATE sheet_columns c SET position_rank = m.rank, version = $3, updated_at = now()
    FROM unnest($4::uuid[], $5::int[]) m (id, rank)
   WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.id = m.id`;

/**
 * Moves a column of a locked sheet to `position` among those that people see, from 0, as one new version. A position
 * beyond the end means the end. Makes no version if it is there already. Its metadata columns move with it. Columns
 * that read everything to their left become stale if that has changed.
 */
export async function moveColumn(
  tx: EntityManager,
  types: ColumnTypes,
  { sheet, columnId, createdBy }: ColumnTarget,
  position: number,
): Promise<ChangedColumn> {
  const before = await SheetColumns.read(tx, types, sheet);
  const column = before.require(columnId);
  const people = before.shown({ withSystem: false });
  const target = Math.min(position, people.length - 1);
  if (people[target] === column) return { column, columns: before, affected: [], version: sheet.version };
  const deltas = [{ type: 'column.move', column_id: column.id, after: { position: target } }];
  const version = await recordVersion(tx, sheet, { deltas, createdBy });
  const moved = [...movedRanks(orderAfter(before, column, target))];
  const ids = moved.map(([{ id }]) => id);
  await archiveColumns(tx, sheet, ids);
  const ranks = int4Array(moved.map(([, rank]) => rank));
  await tx.query(MOVE, [sheet.workspaceId, sheet.id, version, uuidArray(ids), ranks]);
  const columns = await SheetColumns.read(tx, types, sheet);
  const affected = columns.withDependents(columns.withOtherLeft(before));
  await refitTasks(tx, sheet, columns, affected);
  await markStale(tx, sheet, affected, sheet.rows);
  const shown = affected.filter((each) => columns.ofSheet.includes(each));
  return { column: columns.require(column.id), columns, affected: shown, version };
}

/** All columns but the steps of a scorecard, in their new order, and which of them have moved. */
function orderAfter(before: SheetColumns, column: SheetColumn, target: number) {
  const isMoving = (each: SheetColumn) => each === column || metadataSource(each)?.sourceColumnId === column.id;
  const moving = before.ofSheet.filter(isMoving);
  const others = before.ofSheet.filter((each) => !isMoving(each));
  const people = others.filter(({ owner }) => owner === 'sheet');
  const next = people[target];
  const at = next ? others.indexOf(next) : others.length;
  return { order: others.toSpliced(at, 0, ...moving), moving: { from: at, to: at + moving.length } };
}
