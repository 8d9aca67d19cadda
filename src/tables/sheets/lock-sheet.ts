import { type EntityManager, IsNull } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { RowSet } from '../rows/row-set.js';
import { Table } from '../tables/table.entity.js';
import { TableErrors } from '../tables.errors.js';
import { Sheet } from './sheet.entity.js';

/** Where a sheet is: in a table of the caller's workspace. */
export interface SheetAddress {
  workspaceId: number;
  tableId: string;
  sheetId: string;
}

const FIELDS = `s.workspace_id AS "workspaceId", s.id, s.table_id AS "tableId", s.title, s.index, s.version, s.rows,
  s.reserved_rows AS "reservedRows", s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;

/** One question for sheet and table, because every request about a sheet starts with it. */
const IN_TABLE = `
  SELECT ${FIELDS} FROM sheets s JOIN tables t ON t.workspace_id = s.workspace_id AND t.id = s.table_id
   WHERE s.workspace_id = $1 AND s.id = $2 AND s.table_id = $3 AND s.deleted_at IS NULL AND t.deleted_at IS NULL`;

type SheetRow = Omit<Sheet, 'rows' | 'deletedAt'> & { rows: string };

const GET = new Statement<SheetRow>(IN_TABLE);
const LOCK = new Statement<SheetRow>(`${IN_TABLE} FOR UPDATE OF s`);
const LOCK_LIVE = new Statement<SheetRow>(
  `SELECT ${FIELDS} FROM sheets s WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE`,
);

/** A live sheet of a live table. Throws table_not_found or sheet_not_found. */
export async function getSheet(tx: EntityManager, address: SheetAddress): Promise<Sheet> {
  return (await find(tx, GET, address)) ?? fail(tx, address);
}

/**
 * The same, locked until the end of the transaction. Everything that changes a sheet starts here, so changes of one
 * sheet happen one after the other and each gets its own version number.
 */
export async function lockSheet(tx: EntityManager, address: SheetAddress): Promise<Sheet> {
  return (await find(tx, LOCK, address)) ?? fail(tx, address);
}

/** For workers, which know the sheet but not its table. null when it is gone. */
export async function lockLiveSheet(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
  return toSheet(await LOCK_LIVE.run(tx, [workspaceId, sheetId]));
}

export async function getTable(tx: EntityManager, workspaceId: number, id: string): Promise<Table> {
  const table = await tx.findOneBy(Table, { workspaceId, id, deletedAt: IsNull() });
  if (!table) throw TableErrors.table_not_found(id);
  return table;
}

async function find(
  tx: EntityManager,
  statement: Statement<SheetRow>,
  { workspaceId, tableId, sheetId }: SheetAddress,
): Promise<Sheet | null> {
  return toSheet(await statement.run(tx, [workspaceId, sheetId, tableId]));
}

function toSheet([row]: SheetRow[]): Sheet | null {
  return row ? Object.assign(new Sheet(), row, { rows: RowSet.parse(row.rows), deletedAt: null }) : null;
}

async function fail(tx: EntityManager, { workspaceId, tableId, sheetId }: SheetAddress): Promise<never> {
  await getTable(tx, workspaceId, tableId);
  throw TableErrors.sheet_not_found(sheetId);
}
