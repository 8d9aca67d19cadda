import { type EntityManager, IsNull } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { Table } from '../shared/table.entity.js';
import { TableErrors } from '../shared/tables.errors.js';
import { SHEET_FIELDS, type SheetRow, toSheet } from '../../grid/shared/lock-sheet.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';

/** Address of a sheet: in a table of the caller's workspace. */
export interface SheetAddress {
  workspaceId: number;
  tableId: string;
  sheetId: string;
}

/** One query for sheet and table, because every request about a sheet starts with it. */
const IN_TABLE = `
  SELECT ${SHEET_FIELDS} FROM sheets s JOIN tables t ON t.workspace_id = s.workspace_id AND t.id = s.table_id
   WHERE s.workspace_id = $1 AND s.id = $2 AND s.table_id = $3 AND s.deleted_at IS NULL AND t.deleted_at IS NULL`;

const GET = new Statement<SheetRow>(IN_TABLE);
const LOCK = new Statement<SheetRow>(`${IN_TABLE} FOR NO KEY UPDATE OF s`);

/** A sheet that a table owns. */
export type TableSheet = Sheet & { tableId: string };

/** A live sheet of a live table. Throws table_not_found or sheet_not_found. */
export async function getSheet(tx: EntityManager, address: SheetAddress): Promise<TableSheet> {
  return (await find(tx, GET, address)) ?? fail(tx, address);
}

/**
 * Does the same and locks the sheet until the end of the transaction. Every change of a sheet starts here, so changes
 * of one sheet happen one after the other and each gets its own version number.
 */
export async function lockSheet(tx: EntityManager, address: SheetAddress): Promise<TableSheet> {
  return (await find(tx, LOCK, address)) ?? fail(tx, address);
}

export async function getTable(tx: EntityManager, workspaceId: number, id: string): Promise<Table> {
  const table = await tx.findOneBy(Table, { workspaceId, id, deletedAt: IsNull() });
  if (!table) throw TableErrors.table_not_found(id);
  return table;
}

const IN_ANY_TABLE = `
  SELECT ${SHEET_FIELDS} FROM sheets s JOIN tables t ON t.workspace_id = s.workspace_id AND t.id = s.table_id
   WHERE s.workspace_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND t.deleted_at IS NULL`;

const FIND = new Statement<SheetRow>(IN_ANY_TABLE);
const FIND_AND_LOCK = new Statement<SheetRow>(`${IN_ANY_TABLE} FOR NO KEY UPDATE OF s`);

/** A live sheet of any live table; null when there is none. */
export async function findTableSheet(
  tx: EntityManager,
  workspaceId: number,
  sheetId: string,
): Promise<TableSheet | null> {
  return toSheet(await FIND.run(tx, [workspaceId, sheetId])) as TableSheet | null;
}

/** Does the same and locks the sheet until the end of the transaction. */
export async function lockTableSheet(
  tx: EntityManager,
  workspaceId: number,
  sheetId: string,
): Promise<TableSheet | null> {
  return toSheet(await FIND_AND_LOCK.run(tx, [workspaceId, sheetId])) as TableSheet | null;
}

async function find(
  tx: EntityManager,
  statement: Statement<SheetRow>,
  { workspaceId, tableId, sheetId }: SheetAddress,
): Promise<TableSheet | null> {
  return toSheet(await statement.run(tx, [workspaceId, sheetId, tableId])) as TableSheet | null;
}

async function fail(tx: EntityManager, { workspaceId, tableId, sheetId }: SheetAddress): Promise<never> {
  await getTable(tx, workspaceId, tableId);
  throw TableErrors.sheet_not_found(sheetId);
}
