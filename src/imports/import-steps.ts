import { type EntityManager, In } from 'typeorm';
import { Problem } from '../platform/errors/problem.js';
import { markStale } from '../grid/states/mark-stale.js';
import type { ColumnTypes } from '../grid/column-type/column-type.js';
import { outdateLeftReaders } from '../grid/column-edits/outdate-left-readers.js';
import { deleteColumns } from '../grid/columns/archive-columns.js';
import { SheetColumn } from '../grid/columns/column.entity.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { nextRowIndex } from '../grid/rows/next-row-index.js';
import { RowSet } from '../grid/shared/row-set.js';
import { lockLiveSheet, SHEET_DELETED } from '../grid/shared/lock-sheet.js';
import { notifyOwner } from '../grid/shared/sheet-owners.js';
import { Sheet } from '../grid/shared/sheet.entity.js';
import { recordVersion } from '../grid/shared/record-version.js';
import { deleteFile } from './import-chunks.queries.js';
import { insertTextColumns, matchColumns } from './import-columns.js';
import { starterOf } from './starter.js';
import { remarkOn } from './import-file.js';
import { ImportOperation } from './import-operation.entity.js';
import { ImportFailure, type ImportPlan, type ImportTarget } from './importer.js';
import { isScaffold } from './scaffold.js';

/** State with which a worker can resume an import. */
export interface ImportState extends ImportTarget {
  plan: ImportPlan;
  /** Columns that the import adds; hidden until it ends. */
  newColumnIds: string[];
  /** True when the sheet was still as it was created: the import then replaces its blank column and row. */
  replacesScaffold: boolean;
}

/** Reserves the rows and creates the missing columns, hidden. */
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
  const existing = replacesScaffold ? [] : matchOrFail(columns, plan.titles);
  const missing = plan.titles.filter((_, index) => !existing[index]);
  const created = await insertTextColumns(tx, sheet, missing, { version: sheet.version + 1, hidden: true });
  const rest = created.values();
  const columnKeys = plan.titles.map((_, index) => (existing[index] ?? rest.next().value!).key);
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
  const scaffold = state.replacesScaffold ? await requireScaffold(tx, types, sheet) : null;
  const { rowCount } = state.plan;
  const added = RowSet.range(state.firstRow, state.firstRow + rowCount);
  const version = await recordVersion(tx, sheet, {
    rows: (scaffold ? RowSet.EMPTY : sheet.rows).union(added),
    deltas: [{ type: 'import', operation_id: id, rows_added: rowCount, columns_added: state.newColumnIds.length }],
    createdBy: starterOf(operation).keyName,
  });
  const before = await SheetColumns.read(tx, types, sheet);
  if (scaffold) await deleteColumns(tx, sheet, [scaffold.id]);
  await tx.update(SheetColumn, { workspaceId, id: In(state.newColumnIds) }, { deletedAt: null, version });
  await tx.update(Sheet, { workspaceId, id: sheet.id }, { reservedRows: 0 });
  const after = await SheetColumns.read(tx, types, sheet);
  requireTargets(after, state);
  await markStale(tx, sheet, after.withStates, added);
  // Columns that were added during the import have its columns on their left now, and may read them.
  await outdateLeftReaders(tx, sheet, before, after);
  const end = { rowsAdded: rowCount, rowCount: sheet.rows.count };
  const message = [`${rowCount} rows were imported.`, remarkOn(operation.request)].filter(Boolean).join(' ');
  const success = { status: 'completed' as const, progress: 100, ...end, message };
  await tx.update(ImportOperation, { workspaceId, id }, { ...success, leaseUntil: null, updatedAt: new Date() });
  await deleteFile(tx, operation);
  notifyOwner(tx, sheet.owner, (plugin) =>
    plugin.importCompleted?.(tx, operation, { ...end, origin: state.plan.source }),
  );
}

/** Refuses columns that were deleted or became computed since the plan was made: their values would be lost. */
function requireTargets({ inputs }: SheetColumns, { plan, columnKeys }: ImportState): void {
  const texts = new Set(inputs.map(({ key }) => key));
  const lost = plan.titles.find((_, index) => !texts.has(columnKeys[index]!));
  if (lost === undefined) return;
  throw new ImportFailure(`The column "${lost}" was changed while the import ran. Start the import again.`);
}

/** Ends the operation without a result, under the lock of its sheet. The sheet is as it was before. */
export async function failImport(tx: EntityManager, operation: ImportOperation, errorMessage: string): Promise<void> {
  const { workspaceId, id, sheetId } = operation;
  const { owner } = await tx.findOneOrFail(Sheet, { select: { owner: true }, where: { workspaceId, id: sheetId } });
  const failure = { status: 'failed' as const, errorMessage, message: null, leaseUntil: null, updatedAt: new Date() };
  await tx.update(ImportOperation, { workspaceId, id }, failure);
  await tx.update(Sheet, { workspaceId, id: sheetId }, { reservedRows: 0 });
  await deleteFile(tx, operation);
  notifyOwner(tx, owner, (plugin) => plugin.importFailed?.(tx, operation, errorMessage));
}

async function requireSheet(tx: EntityManager, operation: ImportOperation): Promise<Sheet> {
  const sheet = await lockLiveSheet(tx, operation.workspaceId, operation.sheetId);
  if (!sheet) throw new ImportFailure(SHEET_DELETED);
  return sheet;
}

/** Matches the columns again, because they may have changed since the import was requested. */
function matchOrFail(columns: SheetColumns, titles: string[]): (SheetColumn | undefined)[] {
  try {
    return matchColumns(columns, titles);
  } catch (error) {
    throw error instanceof Problem ? new ImportFailure(error.message) : error;
  }
}

async function requireScaffold(tx: EntityManager, types: ColumnTypes, sheet: Sheet): Promise<SheetColumn> {
  const columns = await SheetColumns.read(tx, types, sheet);
  if (!(await isScaffold(tx, sheet, columns))) {
    throw new ImportFailure('The blank sheet was changed while the import ran. Start the import again.');
  }
  return columns.list[0]!;
}
