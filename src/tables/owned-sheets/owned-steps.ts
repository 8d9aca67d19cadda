import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { readingTransaction } from '../../platform/database/joined-transaction.js';
import type { JsonObject } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import type { CellMetrics } from '../../grid/column-type/cell-metrics.js';
import type { CellRecord } from '../../grid/cells/cells.queries.js';
import { LargeValues, readSingleLightCells } from '../../grid/cells/large-values.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { columnsStep, toColumns } from '../../grid/columns/columns.queries.js';
import { insertSteps } from '../../grid/columns/insert-steps.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { dropPendingRows } from '../../grid/computing/pending.queries.js';
import { pendingStep, type PendingRows, toPending } from '../../grid/computing/tasks.queries.js';
import { type ColumnGuard, type GuardSide, SKIPPED } from '../../grid/columns/column-guard.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';

/** A new step of a sheet of runs. Columns are named by their titles, which are unique. */
export interface NewOwnedStep {
  title: string;
  /** The name of a column type. Without a plugin of that name, cells fail with the reason. */
  type: string;
  config: JsonObject;
  isOutputColumn: boolean;
  /** Columns that it waits for, besides those in its config. */
  dependencies: string[];
  /** Edges of a guard, with titles in place of ids. */
  edges: ColumnGuard['edges'];
}

/** The state of a step of a run. `missing`: it will never be computed, because the run has ended before. */
export type StepState = 'queued' | 'running' | 'succeeded' | 'failed' | 'skipped' | 'missing';

export interface RunStep {
  column: SheetColumn;
  state: StepState;
  /** JSON text, in which large values are marks; null for no value. */
  value: string | null;
  error: string | null;
  metrics: CellMetrics | null;
  /** Time of its end, in milliseconds since the epoch; null before. */
  endMs: number | null;
}

export interface RunSteps {
  /** JSON texts, in which large values are marks. */
  inputs: { title: string; value: string | null }[];
  steps: RunStep[];
  /** Replaces the marks by large values when the answer is sent. */
  large: LargeValues;
  /** Size of all values together, in bytes. */
  bytes: number;
}

/** A run: a row of a sheet whose computed columns are steps. */
export interface RunPlace {
  workspaceId: number;
  sheetId: string;
  rowIndex: number;
  /** The execution that computes it. */
  executionId: string;
}

/** Sheets whose rows are runs: each computed column is a step with a guard, and each row goes through them once. */
@Injectable()
export class OwnedSteps {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
  ) {}

  /** Adds steps to a new sheet without rows. Throws the errors of `insertSteps`. */
  async add(tx: EntityManager, sheet: Sheet, steps: NewOwnedStep[]): Promise<void> {
    const { list: before } = await SheetColumns.read(tx, this.types, sheet);
    const added = steps.map(({ title }): [string, string] => [title, randomUUID()]);
    const ids = new Map([...before.map(({ title, id }): [string, string] => [title, id]), ...added]);
    await insertSteps(
      tx,
      sheet,
      before,
      steps.map(({ title, type, dependencies, edges, ...step }) => ({
        ...step,
        title,
        id: ids.get(title)!,
        type: this.types.get(type),
        dependencies: namedBy(dependencies, edges).map((name) => ids.get(name)!),
        guard: { edges: edges.map((edge) => withIds(edge, ids)) },
      })),
    );
  }

  /**
   * Reads the inputs of a run and the states of its steps from one snapshot, in the order of the columns. null when the
   * sheet was deleted.
   */
  read(run: RunPlace): Promise<RunSteps | null> {
    const { workspaceId, sheetId, rowIndex, executionId } = run;
    const large = new LargeValues(this.db.manager, workspaceId);
    return readingTransaction(this.db, async (tx) => {
      const sheet = { workspaceId, id: sheetId };
      const [rows, tasks] = await tx.begin([columnsStep(sheet), pendingStep(sheet, executionId)]);
      const columns = SheetColumns.of(toColumns(rows), this.types);
      const list = columns.shown({ withSystem: false });
      const addresses = list.map(({ key: columnKey }) => ({ columnKey, rowIndex }));
      const records = await readSingleLightCells(tx.manager, workspaceId, addresses);
      await tx.commit();
      if (list.length === 0) return null;
      const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
      const cells = new Map(large.mark(records).map((record) => [record.columnKey, record]));
      const pending = toPending(tasks).filter((task) => task.rows.has(rowIndex));
      const running = runningOf(columns, pending);
      const isInput = ({ guard }: SheetColumn) => guard === null;
      return {
        large,
        bytes,
        inputs: list.filter(isInput).map(({ title, key }) => ({ title, value: cells.get(key)?.value ?? null })),
        steps: list
          .filter((column) => !isInput(column))
          .map((column) => toStep(column, cells.get(column.key), running.get(column.key))),
      };
    });
  }

  /** Cancels a run in a locked sheet. Workers notice within a second. */
  stop(tx: EntityManager, sheet: Sheet, rowIndex: number): Promise<void> {
    return dropPendingRows(tx, sheet, RowSet.of([rowIndex]));
  }

  /** Call it after the commit of `stop`: cells of other runs may have waited. */
  notifyStopped(): void {
    this.notifier.notifyBoth();
  }
}

/** SQL condition that a row of an execution is waiting or being computed. The arguments are SQL as well. */
export const rowIsPending = (workspaceId: string, executionId: string, rowIndex: string): string => `EXISTS (
  SELECT FROM computation_tasks t
   WHERE t.workspace_id = ${workspaceId} AND t.execution_id = ${executionId} AND t.rows @> ${rowIndex})`;

/** Whether a cell is waiting or being computed, in any execution. */
export async function isCellPending(
  db: EntityManager,
  { workspaceId, columnId, rowIndex, executionId }: Omit<RunPlace, 'sheetId'> & { columnId: string },
): Promise<boolean> {
  const pending = await db.query<unknown[]>(
    `SELECT FROM computation_tasks t
       JOIN sheet_columns c ON c.workspace_id = t.workspace_id AND c.key = t.column_key AND c.id = $2
      WHERE t.workspace_id = $1 AND t.execution_id = $3 AND t.rows @> $4::int`,
    [workspaceId, columnId, executionId, rowIndex],
  );
  return pending.length > 0;
}

/** By pending column: whether it is being computed. The others wait, with or without a claim. */
function runningOf(columns: SheetColumns, pending: PendingRows[]): Map<string, boolean> {
  const rankOf = ({ columnKey }: PendingRows) => columns.rank(columns.byKey(columnKey)!);
  const first = Math.min(...pending.map(rankOf));
  return new Map(pending.map((task) => [task.columnKey, task.running && rankOf(task) === first]));
}

/** `isRunning` is undefined when nobody is going to compute the cell. */
function toStep(column: SheetColumn, cell: CellRecord | undefined, isRunning: boolean | undefined): RunStep {
  const open = { column, value: null, error: null, metrics: null, endMs: null };
  if (isRunning !== undefined) return { ...open, state: isRunning ? 'running' : 'queued' };
  if (!cell) return { ...open, state: 'missing' };
  const { value, displayValue, error, updatedMs: endMs } = cell;
  const metrics = cell.metrics === null ? null : readJson<CellMetrics>(cell.metrics);
  if (error !== null) return { ...open, state: 'failed', error, metrics, endMs };
  if (value === null && displayValue === SKIPPED) return { ...open, state: 'skipped', endMs };
  return { ...open, state: 'succeeded', value, metrics, endMs };
}

/** A guard waits for all columns that it names. */
function namedBy(dependencies: string[], edges: ColumnGuard['edges']): string[] {
  const sides = edges.flatMap(({ conditions }) => conditions.flatMap(({ left, right }) => [left, right]));
  const compared = sides.flatMap((side) => (side && 'columnId' in side ? side.columnId : []));
  return [...new Set([...dependencies, ...edges.map(({ sourceId }) => sourceId), ...compared])];
}

function withIds({ sourceId, isAnd, conditions }: ColumnGuard['edges'][number], ids: Map<string, string>) {
  const side = <S extends GuardSide | null>(given: S): S =>
    (given && 'columnId' in given ? { columnId: ids.get(given.columnId)! } : given) as S;
  return {
    sourceId: ids.get(sourceId)!,
    isAnd,
    conditions: conditions.map(({ operator, left, right }) => ({ operator, left: side(left), right: side(right) })),
  };
}
