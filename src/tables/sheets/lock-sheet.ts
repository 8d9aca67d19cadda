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
  await getTable(tx, address.workspaceId, address.tableId);
  return (await find(tx, address)) ?? fail(address);
}

/**
 * The same, locked until the end of the transaction. Everything that changes a sheet starts here, so changes of one
 * sheet happen one after the other and each gets its own version number.
 */
export async function lockSheet(tx: EntityManager, address: SheetAddress): Promise<Sheet> {
  await getTable(tx, address.workspaceId, address.tableId);
  return (await find(tx, address, true)) ?? fail(address);
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

function find(tx: EntityManager, address: SheetAddress, locked = false): Promise<Sheet | null> {
  const { workspaceId, tableId, sheetId } = address;
  const where = { workspaceId, tableId, id: sheetId, deletedAt: IsNull() };
  return tx.findOne(Sheet, { where, ...(locked && { lock: { mode: 'pessimistic_write' as const } }) });
}

function fail(address: SheetAddress): never {
  throw TableErrors.sheet_not_found(address.sheetId);
}
