import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { isRetryable } from '../../platform/database/failures.js';
import { Problem } from '../../platform/errors/problem.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import {
  type GridRange,
  type NewCell,
  readFilledRows,
  readInputHashes,
  readSourceCells,
  type SourceCell,
} from '../cells/cells.queries.js';
import { ColumnTypes } from '../column-types/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { CHUNK_ROWS, chunkRange, RowSet } from '../rows/row-set.js';
import { Sheet } from '../sheets/sheet.entity.js';
import { ColumnPlan, isBlank } from './column-plan.js';
import { Execution } from './execution.entity.js';
import { storeResults } from './store-results.js';
import { type ClaimedTask, claimTask, renewLease } from './tasks.queries.js';

/** A task whose worker died so often is not tried again: it may be what kills the workers. */
const MAX_ATTEMPTS = 5;

/** What was computed for a task, and from which state of the sheet. */
export interface TaskResults {
  /** Cells to write. */
  cells: NewCell[];
  /** Rows whose stored result was computed from the same inputs. */
  unchanged: number[];
  /** Rows that are left uncomputed because they are blank. */
  skipped: number[];
  /** The version of the sheet at which the inputs were read. */
  readVersion: number;
  sourceKeys: string[];
  /** False when the column had no result in this chunk yet. */
  mayReplace: boolean;
}

/** Works on one task after another. Any number of runners in any number of processes may share a sheet. */
@Injectable()
export class TaskRunner {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Claims a task of the sheet, computes it and stores the results. False when there is none to claim. */
  async runOne(sheet: { workspaceId: number; sheetId: string }): Promise<boolean> {
    const task = await claimTask(this.db.manager, sheet, this.config.leaseMs);
    if (!task) return false;
    const heartbeat = setInterval(() => this.renew(task), this.config.leaseMs / 3);
    try {
      const results = await this.compute(task);
      await this.store(task, results);
    } finally {
      clearInterval(heartbeat);
    }
    return true;
  }

  private renew(task: ClaimedTask): void {
    // A renewal that fails lets the lease end: another worker takes over, and the fence drops what this one brings.
    renewLease(this.db.manager, task, this.config.leaseMs).catch(() => undefined);
  }

  /** null when the sheet or the column is gone. */
  private async compute(task: ClaimedTask): Promise<TaskResults | null> {
    if (task.attempts > MAX_ATTEMPTS) {
      return failAll(task, `Computing was interrupted ${MAX_ATTEMPTS} times. Recalculate the cell to try again.`);
    }
    try {
      return await this.computeRows(task);
    } catch (error) {
      // A stored config that its column type does not accept any more fails the cells, not the job.
      if (error instanceof Problem) return failAll(task, error.message);
      throw error;
    }
  }

  private async computeRows(task: ClaimedTask): Promise<TaskResults | null> {
    const inputs = await this.db.transaction('REPEATABLE READ', (tx) => this.readInputs(tx, task));
    if (!inputs) return null;
    const { plan, known, readVersion } = inputs;
    const rowOf = bySource(inputs.sources);
    const blank = inputs.skipsBlankRows ? await this.findBlankRows(task, inputs, rowOf) : RowSet.EMPTY;
    const results = noResults(readVersion, plan.sourceKeys, known.size > 0);
    for (const row of task.rows) {
      if (blank.has(row)) {
        results.skipped.push(row);
        continue;
      }
      const cell = plan.compute(row, (key) => rowOf.get(key)?.[row % CHUNK_ROWS], known.get(row));
      if (cell) results.cells.push(cell);
      else results.unchanged.push(row);
    }
    this.count(plan.column.type, results);
    return results;
  }

  /** Reads everything at one moment: results made of two states of a sheet would belong to neither. */
  private async readInputs(tx: EntityManager, task: ClaimedTask) {
    const { workspaceId, sheetId, columnKey } = task;
    const sheet = await tx.findOneBy(Sheet, { workspaceId, id: sheetId });
    const execution = await tx.findOneBy(Execution, { workspaceId, id: task.executionId });
    const columns = await SheetColumns.read(tx, this.types, { workspaceId, id: sheetId });
    const column = columns.byKey(columnKey);
    if (!sheet || sheet.deletedAt || !execution || !column) return null;
    const plan = ColumnPlan.of(columns, column);
    const rows = chunkRange(task.chunkNo);
    const sources = await readSourceCells(tx, { workspaceId, columnKeys: plan.sourceKeys, rows });
    const known = await readInputHashes(tx, { workspaceId, columnKeys: [columnKey], rows });
    return {
      plan,
      sources,
      known,
      readVersion: sheet.version,
      skipsBlankRows: execution.skipsBlankRows && plan.inputs.length > 0,
      textKeys: columns.inputs.map((input) => input.key),
    };
  }

  /** Rows in which what the cell reads and every text cell is empty. Asks the database only about candidates. */
  private async findBlankRows(
    task: ClaimedTask,
    { plan: { sourceKeys }, textKeys }: { plan: ColumnPlan; textKeys: string[] },
    rowOf: RowsBySource,
  ): Promise<RowSet> {
    const candidates = [...task.rows].filter((row) =>
      sourceKeys.every((key) => isBlank(rowOf.get(key)?.[row % CHUNK_ROWS]?.value)),
    );
    if (candidates.length === 0) return RowSet.EMPTY;
    const range: GridRange = { workspaceId: task.workspaceId, columnKeys: textKeys, rows: chunkRange(task.chunkNo) };
    return RowSet.of(candidates).without(RowSet.of(await readFilledRows(this.db.manager, range)));
  }

  private async store(task: ClaimedTask, results: TaskResults | null): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.db.transaction((tx) => storeResults(tx, this.types, task, results));
      } catch (error) {
        if (!isRetryable(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private count(type: string, results: TaskResults): void {
    const failed = results.cells.filter((cell) => cell.error).length;
    this.metrics.cellsComputed.inc({ type, outcome: 'completed' }, results.cells.length - failed);
    this.metrics.cellsComputed.inc({ type, outcome: 'failed' }, failed);
    this.metrics.cellsComputed.inc({ type, outcome: 'unchanged' }, results.unchanged.length);
  }
}

/** The cells of each source column by their place in the chunk. */
type RowsBySource = Map<string, SourceCell[]>;

function bySource(cells: SourceCell[]): RowsBySource {
  const sources: RowsBySource = new Map();
  for (const cell of cells) {
    let rows = sources.get(cell.columnKey);
    if (!rows) sources.set(cell.columnKey, (rows = []));
    rows[cell.rowIndex % CHUNK_ROWS] = cell;
  }
  return sources;
}

function noResults(readVersion: number, sourceKeys: string[], mayReplace: boolean): TaskResults {
  return { cells: [], unchanged: [], skipped: [], readVersion, sourceKeys, mayReplace };
}

/** Fails every cell of a task; their last good values stay. */
function failAll({ columnKey, rows }: ClaimedTask, error: string): TaskResults {
  const cells = [...rows].map((rowIndex): NewCell => ({ columnKey, rowIndex, value: null, error }));
  // Nothing was read, so nothing can have changed since.
  return { ...noResults(Number.MAX_SAFE_INTEGER, [], true), cells };
}
