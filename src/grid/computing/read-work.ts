import type { DataSource, EntityManager } from 'typeorm';
import { type JoinedTransaction, readingTransaction } from '../../platform/database/joined-transaction.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { Statement } from '../../platform/database/statement.js';
import {
  type GridRange,
  inputHashesStep,
  measureInputs,
  type NewCell,
  readFilledRows,
  readOversizedRows,
  sourceCellsStep,
} from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { columnsStep, toColumns } from '../columns/columns.queries.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { SKIPPED } from '../columns/column-guard.js';
import { endsStep, findGuardedRows, type GuardedRows, UNGUARDED } from './guarded-rows.js';
import { sheetStep, toSheet } from '../shared/lock-sheet.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { emptyCell, failCell, isBlank } from './cell-result.js';
import { ColumnPlan } from './column-plan.js';
import type { Execution } from './execution.entity.js';
import { SourceRows } from './source-rows.js';
import { readStaleSources } from './stale-sources.js';
import type { ClaimedCells } from './tasks.queries.js';

/**
 * Limit of the bytes of inputs that are read for one claim: further rows are released and claimed again. A single row
 * may exceed it.
 */
const INPUT_BYTES = 16 * 1024 * 1024;
/** Limit of the bytes of inputs of one row. */
const ROW_BYTES = 64 * 1024 * 1024;

const TOO_LARGE = `What this cell reads is larger than ${ROW_BYTES / 1024 / 1024} MB together. Read fewer columns, or only parts of them.`;

/** The inputs of claimed cells, read from one snapshot: a result of two states of a sheet would fit neither. */
export interface WorkInputs {
  plan: ColumnPlan;
  sheet: Sheet;
  execution: Pick<Execution, 'id' | 'isForced' | 'asksAgain' | 'maxCost' | 'cost' | 'dearestCells'>;
  /** The rows that were read. */
  rows: RowSet;
  /** Claimed rows that were not read, because their inputs do not fit into memory. */
  unread: RowSet;
  /** Rows whose inputs are too large to be computed at all. */
  oversized: RowSet;
  /** Rows that are not computed because a source is stale. */
  unready: RowSet;
  /** Rows without any written value: their cells become empty. */
  blank: RowSet;
  /** Rows that are not computed because of the guard of the column. */
  guarded: GuardedRows;
  /** Inputs of the cells of this column and of the following ones, as far as they existed. */
  sources: SourceRows;
  /** The next columns of the rows, in their order. */
  following: ColumnPlan[];
  /** Input hashes of the stored cells of the column, by row. */
  known: Map<number, string | null>;
}

const READ_EXECUTION = new Statement<WorkInputs['execution']>(`
  SELECT id, is_forced AS "isForced", asks_again AS "asksAgain", max_cost AS "maxCost", cost, dearest_cells AS "dearestCells" FROM executions WHERE workspace_id = $1 AND id = $2`);

/** The column to compute, its sheet and its execution. */
export type WorkContext = Pick<WorkInputs, 'plan' | 'following' | 'sheet' | 'execution'> & { columns: SheetColumns };

/** The rows of a column that are read. */
type WorkRows = Pick<ClaimedCells, 'workspaceId' | 'rows'>;

/** null when the sheet or the column was deleted. */
export function readWork(db: DataSource, types: ColumnTypes, work: ClaimedCells): Promise<WorkInputs | null> {
  return readingTransaction(db, async (tx) => {
    const context = await readContext(tx, types, work);
    const inputs = context && (await readInputs(tx.manager, context, work));
    await tx.commit();
    return inputs;
  });
}

async function readContext(
  tx: JoinedTransaction,
  types: ColumnTypes,
  { workspaceId, sheetId, columnKeys, executionId }: ClaimedCells,
): Promise<WorkContext | null> {
  const [sheets, [execution], rows] = await tx.begin([
    sheetStep(workspaceId, sheetId),
    READ_EXECUTION.with([workspaceId, executionId]),
    columnsStep({ workspaceId, id: sheetId }),
  ]);
  const sheet = toSheet(sheets);
  const columns = SheetColumns.of(toColumns(rows), types);
  const column = columns.byKey(columnKeys[0]!);
  if (!sheet || !execution || !column) return null;
  return {
    plan: ColumnPlan.of(columns, column),
    following: plansOf(columns, columnKeys.slice(1)),
    sheet,
    execution,
    columns,
  };
}

/**
 * The plans of the columns before the first one that cannot be computed at all. That one fails when a row begins with
 * it.
 */
function plansOf(columns: SheetColumns, keys: string[]): ColumnPlan[] {
  const plans: ColumnPlan[] = [];
  try {
    for (const key of keys) plans.push(ColumnPlan.of(columns, columns.byKey(key)!));
  } catch {
    // Rows still continue with the columns before the failed one.
  }
  return plans;
}

/** Reads the inputs of as many rows as fit into memory. */
export async function readInputs(tx: EntityManager, context: WorkContext, work: WorkRows): Promise<WorkInputs> {
  const { plan, columns, sheet, execution } = context;
  const { column } = plan;
  const { workspaceId } = work;
  const { rows, oversized, following } = await chooseRows(tx, context, work);
  const range = rangeOf(rows);
  const plans = [plan, ...following];
  const sourceKeys = oversized.isEmpty ? keysOf(plans, (each) => each.sourceKeys) : [];
  const [cells, hashes, ends] = await sendTogether(tx, [
    sourceCellsStep({ workspaceId, columnKeys: sourceKeys, rows: range }),
    inputHashesStep({ workspaceId, columnKeys: [column.key], rows: range }),
    endsStep({ workspaceId, columnKeys: keysOf(plans, ({ guard }) => guard?.askedKeys ?? []), rows: range }),
  ]);
  const sources = new SourceRows(cells, rows);
  sources.addEnds(ends);
  const unready = rows.intersect(await readStaleSources(tx, { workspaceId, columns, column }, range));
  const judged = rows.without(unready).without(oversized);
  return {
    plan,
    following,
    sheet,
    execution,
    rows,
    unread: work.rows.without(rows),
    oversized,
    unready,
    guarded: plan.guard ? findGuardedRows(plan.guard, judged, sources) : UNGUARDED,
    blank: await findBlankRows(tx, { columns, column, plan }, rows, sources),
    sources,
    known: new Map(hashes.map(({ row, hash }) => [row, hash])),
  };
}

const keysOf = (plans: ColumnPlan[], keys: (plan: ColumnPlan) => string[]): string[] => [
  ...new Set(plans.flatMap(keys)),
];

/** The inputs of a row in one of its next columns. All of its sources are computed by then. */
export function inputsOfNext(inputs: WorkInputs, plan: ColumnPlan, row: number): WorkInputs {
  const none = RowSet.EMPTY;
  const rows = RowSet.of([row]);
  const guarded = plan.guard ? findGuardedRows(plan.guard, rows, inputs.sources) : UNGUARDED;
  return {
    ...inputs,
    plan,
    rows,
    unread: none,
    oversized: none,
    unready: none,
    blank: none,
    guarded,
    known: new Map(),
  };
}

/** The claimed rows that can be read together, and those that are too large to be read at all. */
async function chooseRows(
  tx: EntityManager,
  { plan, following }: WorkContext,
  { workspaceId, rows }: WorkRows,
): Promise<Pick<WorkInputs, 'rows' | 'oversized' | 'following'>> {
  const columnKeys = keysOf([plan, ...following], ({ sourceKeys }) => sourceKeys);
  const range: GridRange = { workspaceId, columnKeys, rows: rangeOf(rows) };
  const { bytes, end } = await measureInputs(tx, range, INPUT_BYTES);
  const fitting = rows.intersect(RowSet.range(0, end));
  if (bytes <= ROW_BYTES) return { rows: fitting, oversized: RowSet.EMPTY, following };
  const large = await readOversizedRows(
    tx,
    { ...range, columnKeys: plan.sourceKeys, rows: rangeOf(fitting) },
    ROW_BYTES,
  );
  const oversized = RowSet.of(large).intersect(fitting);
  // Rows that are too large are handled alone, because nothing is read for them.
  return { rows: oversized.isEmpty ? fitting : oversized, oversized, following: [] };
}

/**
 * Finds rows in which every cell that is not computed is empty. A column without sources is computed in them, too.
 * Queries the database only for rows that the sources do not decide.
 */
async function findBlankRows(
  tx: EntityManager,
  { columns, column, plan }: { columns: SheetColumns; column: SheetColumn; plan: ColumnPlan },
  rows: RowSet,
  sources: SourceRows,
): Promise<RowSet> {
  const given = columns.given;
  if (plan.guard) return RowSet.EMPTY;
  if (given.length === 0 || plan.sourceKeys.length === 0) return RowSet.EMPTY;
  const telling = plan.sourceKeys.filter((key) => columns.tellsOfRow(column, key)).map((key) => sources.of(key));
  const candidates = [...rows].filter((row) => telling.every((cellOf) => isBlank(cellOf(row)?.value)));
  if (candidates.length === 0) return RowSet.EMPTY;
  const range = { workspaceId: column.workspaceId, columnKeys: given.map(({ key }) => key), rows: rangeOf(rows) };
  return RowSet.of(candidates).without(RowSet.of(await readFilledRows(tx, range)));
}

/** The rows that are computed. */
export function computedRows({ rows, unready, blank, oversized, guarded }: WorkInputs): RowSet {
  const others = rows.without(unready).without(blank).without(oversized);
  return guarded === UNGUARDED ? others : others.without(rowsOf(guarded));
}

/** The rows that are settled without computing them. */
export function settledRows({ blank, oversized, guarded }: WorkInputs): RowSet {
  return RowSet.union([blank, oversized, rowsOf(guarded)]);
}

const rowsOf = ({ skipped, problems }: GuardedRows): RowSet => skipped.union(RowSet.of(problems.keys()));

/**
 * The cells to write instead of results: empty cells in blank rows that had a value before, and errors in rows that are
 * too large or that the guard of the column excludes.
 */
export function uncomputedCells({ plan, known, blank, oversized, guarded }: WorkInputs, rows: RowSet): NewCell[] {
  const { key } = plan.column;
  const keys = [key, ...Object.values(plan.metadata ?? {})];
  const emptied = [...blank.intersect(rows)].filter((row) => known.has(row));
  return [
    ...emptied.flatMap((row) => keys.map((columnKey) => emptyCell(columnKey, row))),
    ...[...oversized.intersect(rows)].map((row) => failCell(emptyCell(key, row), TOO_LARGE)),
    ...[...guarded.skipped.intersect(rows)].map((row) => ({ ...emptyCell(key, row), displayValue: SKIPPED })),
    ...[...guarded.problems].flatMap(([row, problem]) => (rows.has(row) ? failCell(emptyCell(key, row), problem) : [])),
  ];
}
