import { type EntityManager, IsNull } from 'typeorm';
import { Table } from '../tables/table.entity.js';
import { TableErrors } from '../tables.errors.js';
import { Sheet } from './sheet.entity.js';

/** Where a sheet is: in a table of the caller's workspace. */
export interface SheetAddress {
  workspaceId: number;
  tableId: string;
  sheetId: string;
}

/** A live sheet of a live table. Throws table_not_found or sheet_not_found. */
export async function getSheet(tx: EntityManager, address: SheetAddress): Promise<Sheet> {
  return (await find(tx, address)) ?? fail(tx, address);
}

/**
 * The same, locked until the end of the transaction. Everything that changes a sheet starts here, so changes of one
 * sheet happen one after the other and each gets its own version number.
 */
export async function lockSheet(tx: EntityManager, address: SheetAddress): Promise<Sheet> {
  return (await find(tx, address, true)) ?? fail(tx, address);
}

/** For workers, which know the sheet but not its table. null when it is gone. */
export async function lockLiveSheet(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
  const where = { workspaceId, id: sheetId, deletedAt: IsNull() };
  return tx.findOne(Sheet, { where, lock: { mode: 'pessimistic_write' } });
}

export async function getTable(tx: EntityManager, workspaceId: number, id: string): Promise<Table> {
  const table = await tx.findOneBy(Table, { workspaceId, id, deletedAt: IsNull() });
  if (!table) throw TableErrors.table_not_found(id);
  return table;
}

/** One question for both, because every request about a sheet starts with it. */
function find(
  tx: EntityManager,
  { workspaceId, tableId, sheetId }: SheetAddress,
  locked = false,
): Promise<Sheet | null> {
  const query = tx
    .createQueryBuilder(Sheet, 's')
    .innerJoin(Table, 't', 't.workspaceId = s.workspaceId AND t.id = s.tableId AND t.deletedAt IS NULL')
    .where('s.workspaceId = :workspaceId AND s.tableId = :tableId AND s.id = :sheetId AND s.deletedAt IS NULL')
    .setParameters({ workspaceId, tableId, sheetId });
  if (locked) query.setLock('pessimistic_write', undefined, ['s']);
  return query.getOne();
}

async function fail(tx: EntityManager, { workspaceId, tableId, sheetId }: SheetAddress): Promise<never> {
  await getTable(tx, workspaceId, tableId);
  throw TableErrors.sheet_not_found(sheetId);
}
