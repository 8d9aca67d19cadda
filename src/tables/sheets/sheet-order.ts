import { type EntityManager, IsNull } from 'typeorm';
import { int4Array, uuidArray } from '../../platform/database/binary-arrays.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';

interface TableAddress {
  workspaceId: number;
  tableId: string;
}

/**
 * Moves a sheet, new or not, to `index` (beyond the end, and null, mean the end) and numbers all sheets of the locked
 * table from 0 without gaps. Returns its index. Sheets that merely shift get no version. The caller writes the index of
 * the sheet itself.
 */
export async function placeSheet(
  tx: EntityManager,
  table: TableAddress,
  { sheetId, index }: { sheetId: string; index: number | null },
): Promise<number> {
  const others = (await readOrder(tx, table)).filter(({ id }) => id !== sheetId);
  const at = Math.min(index ?? others.length, others.length);
  await renumber(tx, table, others, (position) => (position < at ? position : position + 1));
  return at;
}

/** Closes the gap of a removed sheet. */
export async function packSheets(tx: EntityManager, table: TableAddress): Promise<void> {
  await renumber(tx, table, await readOrder(tx, table), (position) => position);
}

type Place = Pick<Sheet, 'id' | 'index'>;

function readOrder(tx: EntityManager, { workspaceId, tableId }: TableAddress): Promise<Place[]> {
  return tx.find(Sheet, {
    select: { id: true, index: true },
    where: { workspaceId, tableId, deletedAt: IsNull() },
    order: { index: 'ASC', createdAt: 'ASC', id: 'ASC' },
  });
}

async function renumber(
  tx: EntityManager,
  { workspaceId }: TableAddress,
  sheets: Place[],
  indexOf: (position: number) => number,
): Promise<void> {
  const moved = sheets
    .map(({ id, index }, position) => ({ id, from: index, to: indexOf(position) }))
    .filter(({ from, to }) => from !== to);
  if (moved.length === 0) return;
  await tx.query(
    `UPDATE sheets s SET index = m.index FROM unnest($2::uuid[], $3::int[]) AS m (id, index)
      WHERE s.workspace_id = $1 AND s.id = m.id`,
    [workspaceId, uuidArray(moved.map(({ id }) => id)), int4Array(moved.map(({ to }) => to))],
  );
}
