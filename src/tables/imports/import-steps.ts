import { type EntityManager, In } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { readFilledRows } from '../cells/cells.queries.js';
import { markStale } from '../cells/mark-stale.js';
import type { ColumnTypes } from '../column-types/column-type.js';
import { SheetColumn } from '../columns/column.entity.js';
import { insertColumn } from '../columns/insert-column.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { nextRowIndex } from '../rows/next-row-index.js';
import { RowSet } from '../rows/row-set.js';
import { lockLiveSheet } from '../sheets/lock-sheet.js';
import { Sheet } from '../sheets/sheet.entity.js';
import { recordVersion } from '../versions/record-version.js';
import { ImportOperation } from './import-operation.entity.js';
import { ImportFailure, type ImportPlan } from './importer.js';

/** What a worker needs to go on with an import. */
export interface ImportState {
  plan: ImportPlan;
  /** The columns the values go to, in the order of the titles. */
  columnKeys: string[];
  /** Columns the import brings along; hidden until it ends. */
  newColumnIds: string[];
  firstRow: number;
  /** True when the sheet was still as it was created: its blank column and row then make way for the import. */
  replacesScaffold: boolean;
}

/** Decides where the rows go and creates the columns that are missing, hidden. */
export async function prepareImport(
  tx: EntityManager,
  { types, maxRows }: { types: ColumnTypes; maxRows: number },
  operation: ImportOperation,
  plan: ImportPlan,
): Promise<ImportState> {
  const { workspaceId, id } = operation;
  const sheet = await requireSheet(tx, operation);
  const columns = await SheetColumns.read(tx, types, sheet);
  const replacesScaffold = await isScaffold(tx, sheet, columns);
  const firstRow = replacesScaffold ? 0 : nextRowIndex(sheet);
  const before = replacesScaffold ? 0 : sheet.rows.count;
  if (before + plan.rowCount > maxRows) throw new ImportFailure(`The sheet would have more than ${maxRows} rows.`);
  const existing = replacesScaffold ? [] : matchColumns(columns, plan.titles);
  const created: SheetColumn[] = [];
  const columnKeys: string[] = [];
  for (const [index, title] of plan.titles.entries()) {
    const column = existing[index] ?? (await insertHidden(tx, sheet, title));
    if (!existing[index]) created.push(column);
    columnKeys.push(column.key);
  }
  const state = { plan, columnKeys, newColumnIds: created.map((column) => column.id), firstRow, replacesScaffold };
  await tx.update(Sheet, { workspaceId, id: sheet.id }, { reservedRows: firstRow + plan.rowCount });
  await tx.update(ImportOperation, { workspaceId, id }, { state: state as object });
  return state;
}

/** Shows the imported rows and columns, as one new version of the sheet, and ends the operation. */
export async function finishImport(
  tx: EntityManager,
  types: ColumnTypes,
  operation: ImportOperation,
  state: ImportState,
): Promise<void> {
  const { workspaceId, id } = operation;
  const sheet = await requireSheet(tx, operation);
  if (state.replacesScaffold) await dropScaffold(tx, types, sheet);
  const { rowCount } = state.plan;
  const added = RowSet.range(state.firstRow, state.firstRow + rowCount);
  const shown = { deletedAt: null, version: sheet.version + 1 };
  await tx.update(SheetColumn, { workspaceId, id: In(state.newColumnIds) }, shown);
  await recordVersion(tx, sheet, {
    rows: (state.replacesScaffold ? RowSet.EMPTY : sheet.rows).union(added),
    deltas: [{ type: 'import', operation_id: id, rows_added: rowCount, columns_added: state.newColumnIds.length }],
    createdBy: null,
  });
  await tx.update(Sheet, { workspaceId, id: sheet.id }, { reservedRows: 0 });
  await markStale(tx, sheet, (await SheetColumns.read(tx, types, sheet)).computed, added);
  await tx.update(
    ImportOperation,
    { workspaceId, id },
    {
      status: 'completed',
      progress: 100,
      rowsAdded: rowCount,
      rowCount: sheet.rows.count,
      message: `${rowCount} rows were imported.`,
      leaseUntil: null,
      updatedAt: new Date(),
    },
  );
}

async function requireSheet(tx: EntityManager, operation: ImportOperation): Promise<Sheet> {
  const sheet = await lockLiveSheet(tx, operation.workspaceId, operation.sheetId);
  if (!sheet) throw new ImportFailure('The sheet was deleted.');
  return sheet;
}

/** The text column each title goes to, where there is one. */
function matchColumns(columns: SheetColumns, titles: string[]): (SheetColumn | undefined)[] {
  return titles.map((title) => {
    const column = columns.list.find((candidate) => candidate.title === title);
    if (column && columns.isComputed(column))
      throw new ImportFailure(`"${title}" is a computed column: nothing can be imported into it.`);
    return column;
  });
}

async function insertHidden(tx: EntityManager, sheet: Sheet, title: string): Promise<SheetColumn> {
  const config: JsonObject = {};
  const column = await insertColumn(tx, sheet, { title, type: 'TEXT', config, isOutputColumn: false, edges: [] });
  await tx.update(SheetColumn, { workspaceId: sheet.workspaceId, id: column.id }, { deletedAt: new Date() });
  return column;
}

/** One text column and nothing in it: what a new sheet starts with. */
async function isScaffold(tx: EntityManager, sheet: Sheet, columns: SheetColumns): Promise<boolean> {
  const [column, ...others] = columns.list;
  if (!column || others.length > 0 || column.title !== 'Column A' || columns.isComputed(column)) return false;
  if (!sheet.rows.equals(RowSet.range(0, 1))) return false;
  const range = { workspaceId: sheet.workspaceId, columnKeys: [column.key], rows: { from: 0, to: 1 } };
  return (await readFilledRows(tx, range)).length === 0;
}

async function dropScaffold(tx: EntityManager, types: ColumnTypes, sheet: Sheet): Promise<void> {
  const columns = await SheetColumns.read(tx, types, sheet);
  if (!(await isScaffold(tx, sheet, columns))) {
    throw new ImportFailure('The blank sheet was changed while the import ran. Start the import again.');
  }
  const [column] = columns.list;
  await tx.update(SheetColumn, { workspaceId: sheet.workspaceId, id: column!.id }, { deletedAt: new Date() });
}
