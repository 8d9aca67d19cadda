import { randomUUID } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import { insertColumn } from '../../grid/columns/insert-column.js';
import { RowSet } from '../../grid/shared/row-set.js';
import { Table } from '../shared/table.entity.js';
import { readSettings } from '../../grid/settings/read-settings.js';
import { TableErrors } from '../shared/tables.errors.js';
import type { TableSheet } from './lock-sheet.js';
import { placeSheet } from './sheet-order.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';

export interface NewSheet {
  tableId: string;
  /** Default: the next free `Sheet N`. */
  title?: string | null;
  /** Default: the end. */
  index?: number | null;
}

/**
 * A live table, locked until the end of the transaction. Every change of a table's sheets, or of their order, locks it
 * first. Throws table_not_found.
 */
export async function lockTable(tx: EntityManager, workspaceId: number, id: string): Promise<Table> {
  const where = { workspaceId, id, deletedAt: IsNull() };
  const table = await tx.findOne(Table, { where, lock: { mode: 'for_no_key_update' } });
  if (!table) throw TableErrors.table_not_found(id);
  return table;
}

/** Adds a sheet without columns and rows to a locked table, as version 0. */
export async function insertSheet(tx: EntityManager, workspaceId: number, input: NewSheet): Promise<TableSheet> {
  const { tableId } = input;
  const id = randomUUID();
  const title = input.title ?? (await nextTitle(tx, workspaceId, tableId));
  const index = await placeSheet(tx, { workspaceId, tableId }, { sheetId: id, index: input.index ?? null });
  const { autoRecalculate } = await readSettings(tx, workspaceId);
  await tx.insert(Sheet, { workspaceId, id, tableId, title, index, rows: RowSet.EMPTY, autoRecalculate });
  return (await tx.findOneByOrFail(Sheet, { workspaceId, id })) as TableSheet;
}

/** Adds a sheet with one text column and one empty row, as version 0. */
export async function insertBlankSheet(tx: EntityManager, workspaceId: number, input: NewSheet): Promise<TableSheet> {
  const sheet = await insertSheet(tx, workspaceId, input);
  const column = { title: 'Column A', type: 'TEXT', config: {}, isOutputColumn: false, edges: [] };
  await insertColumn(tx, sheet, { ...column, version: 0 });
  sheet.rows = RowSet.range(0, 1);
  await tx.update(Sheet, { workspaceId, id: sheet.id }, { rows: sheet.rows });
  return sheet;
}

/** `Sheet N`, with one more than the number of sheets the table ever had, but never the title of an existing sheet. */
async function nextTitle(tx: EntityManager, workspaceId: number, tableId: string): Promise<string> {
  const sheets = await tx.find(Sheet, { select: { title: true, deletedAt: true }, where: { workspaceId, tableId } });
  const taken = new Set(sheets.filter((sheet) => sheet.deletedAt === null).map((sheet) => sheet.title));
  let number = sheets.length + 1;
  while (taken.has(`Sheet ${number}`)) number++;
  return `Sheet ${number}`;
}
