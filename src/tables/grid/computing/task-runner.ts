import { Inject, Injectable } from '@nestjs/common';
import { Mutex, type MutexInterface } from 'async-mutex';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { isRetryable } from '../../../platform/database/failures.js';
import { Problem } from '../../../platform/errors/problem.js';
import { Metrics } from '../../../platform/telemetry/metrics.js';
import {
  EncodedCells,
  type GridRange,
  type NewCell,
  readFilledRows,
  readInputHashes,
  readSourceCells,
  type SourceCell,
} from '../cells/cells.queries.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import { Sheet } from '../sheet.entity.js';
import { ColumnPlan, isBlank } from './column-plan.js';
import { Execution } from './execution.entity.js';
import { readStaleSources } from './stale-sources.js';
import { storeResults } from './store-results.js';
import { type ClaimedWork, claimWork, renewLease } from './tasks.queries.js';

/** A task whose worker died so often is not tried again: it may be what kills the workers. */
const MAX_ATTEMPTS = 5;

/** For results that may come out differently each time. */
const NOTHING_KNOWN = new Map<number, string | null>();

/** What was computed for claimed tasks, and from which state of the sheet. */
export interface WorkResults {
  /** Cells to write. */
  cells: NewCell[];
  /** All of them as they are sent. */
  encoded: EncodedCells | null;
  /** Rows whose stored result was computed from the same inputs. */
  unchanged: number[];
  /** Rows that are left uncomputed because they are blank. */
  skipped: number[];
  /** Rows that were not computed because something they read was stale. */
  unready: RowSet;
  /** The version of the sheet at which the inputs were read. */
  readVersion: number;
  sourceKeys: string[];
  /** False when the column had no result in these chunks yet. */
  mayReplace: boolean;
}

/** Works on some tasks after others. Any number of runners in any number of processes may share a sheet. */
@Injectable()
export class TaskRunner {
  /**
   * This process can compute only one thing at a time. What has its turn is ready to be stored soonest, and is stored
   * while the next is computed.
   */
  private readonly turns = new Mutex();

  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Claims tasks of the sheet, computes them and stores the results. False when there are none to claim. */
  async runSome(sheet: { workspaceId: number; sheetId: string }): Promise<boolean> {
    const { leaseMs } = this.config;
    const endTurn = await this.turns.acquire();
    try {
      const work = await claimWork(this.db.manager, sheet, { leaseMs, bulkTypes: this.types.bulkTypes });
      if (work) await this.run(work, endTurn);
      return work !== null;
    } finally {
      endTurn();
    }
  }

  private async run(work: ClaimedWork, endTurn: MutexInterface.Releaser): Promise<void> {
    const heartbeat = setInterval(() => this.renew(work), this.config.leaseMs / 3);
    try {
      const results = await this.compute(work, endTurn);
      endTurn();
      await this.store(work, results);
    } finally {
      clearInterval(heartbeat);
    }
  }

  private renew(work: ClaimedWork): void {
    // A renewal that fails lets the lease end: another worker takes over, and the fence drops what this one brings.
    renewLease(this.db.manager, work, this.config.leaseMs).catch(() => undefined);
  }

  /** null when the sheet or the column is gone. */
  private async compute(work: ClaimedWork, endTurn: MutexInterface.Releaser): Promise<WorkResults | null> {
    if (work.attempts > MAX_ATTEMPTS) {
      return failAll(work, `Computing was interrupted ${MAX_ATTEMPTS} times. Recalculate the cell to try again.`);
    }
    try {
      return await this.computeRows(work, endTurn);
    } catch (error) {
      // A stored config that its column type does not accept any more fails the cells, not the job.
      if (error instanceof Problem) return failAll(work, error.message);
      throw error;
    }
  }

  private async computeRows(work: ClaimedWork, endTurn: MutexInterface.Releaser): Promise<WorkResults | null> {
    const inputs = await this.db.transaction('REPEATABLE READ', (tx) => this.readInputs(tx, work));
    if (!inputs) return null;
    const { plan, known, memo, readVersion } = inputs;
    if (!plan.isImmediate) endTurn();
    const rowOf = new SourceRows(inputs.sources, work.rows);
    const blank = inputs.skipsBlankRows ? await this.findBlankRows(work, inputs, rowOf) : RowSet.EMPTY;
    const unready = work.rows.intersect(inputs.staleSources);
    const results = { ...noResults(readVersion, plan.sourceKeys, known.size > 0), unready };
    const rows = [...work.rows.without(unready)];
    results.skipped = rows.filter((row) => blank.has(row));
    const computed = await plan.compute(blank.isEmpty ? rows : rows.filter((row) => !blank.has(row)), {
      cellsOf: (columnKey) => rowOf.of(columnKey),
      known: memo,
    });
    results.cells = computed.cells;
    results.encoded = new EncodedCells(computed.cells);
    results.unchanged = computed.unchanged;
    this.count(plan.column.type, results);
    return results;
  }

  /** Reads everything at one moment: results made of two states of a sheet would belong to neither. */
  private async readInputs(tx: EntityManager, work: ClaimedWork) {
    const { workspaceId, sheetId, columnKey } = work;
    const sheet = await tx.findOneBy(Sheet, { workspaceId, id: sheetId });
    const execution = await tx.findOneBy(Execution, { workspaceId, id: work.executionId });
    const columns = await SheetColumns.read(tx, this.types, { workspaceId, id: sheetId });
    const column = columns.byKey(columnKey);
    if (!sheet || sheet.deletedAt || !execution || !column) return null;
    const plan = ColumnPlan.of(columns, column);
    const rows = rangeOf(work.rows);
    const sources = await readSourceCells(tx, { workspaceId, columnKeys: plan.sourceKeys, rows });
    const known = await readInputHashes(tx, { workspaceId, columnKeys: [columnKey], rows });
    return {
      plan,
      sources,
      staleSources: await readStaleSources(tx, { workspaceId, columns, column }, rows),
      known,
      memo: columns.rules(column).repeats ? known : NOTHING_KNOWN,
      readVersion: sheet.version,
      skipsBlankRows: execution.skipsBlankRows && plan.sourceKeys.length > 0,
      textKeys: columns.inputs.map((input) => input.key),
    };
  }

  /** Rows in which what the cell reads and every text cell is empty. Asks the database only about candidates. */
  private async findBlankRows(
    work: ClaimedWork,
    { plan: { sourceKeys }, textKeys }: { plan: ColumnPlan; textKeys: string[] },
    rowOf: SourceRows,
  ): Promise<RowSet> {
    const candidates = [...work.rows].filter((row) => sourceKeys.every((key) => isBlank(rowOf.of(key)(row)?.value)));
    if (candidates.length === 0) return RowSet.EMPTY;
    const range: GridRange = { workspaceId: work.workspaceId, columnKeys: textKeys, rows: rangeOf(work.rows) };
    return RowSet.of(candidates).without(RowSet.of(await readFilledRows(this.db.manager, range)));
  }

  private async store(work: ClaimedWork, results: WorkResults | null): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.db.transaction((tx) => storeResults(tx, this.types, work, results));
      } catch (error) {
        if (!isRetryable(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private count(type: string, results: WorkResults): void {
    const failed = results.cells.filter((cell) => cell.error).length;
    this.metrics.cellsComputed.inc({ type, outcome: 'completed' }, results.cells.length - failed);
    this.metrics.cellsComputed.inc({ type, outcome: 'failed' }, failed);
    this.metrics.cellsComputed.inc({ type, outcome: 'unchanged' }, results.unchanged.length);
  }
}

/** The cells of source columns by row. */
class SourceRows {
  private readonly columns = new Map<string, SourceCell[]>();
  private readonly first: number;

  constructor(cells: SourceCell[], rows: RowSet) {
    this.first = rangeOf(rows).from;
    for (const cell of cells) {
      let column = this.columns.get(cell.columnKey);
      if (!column) this.columns.set(cell.columnKey, (column = []));
      column[cell.rowIndex - this.first] = cell;
    }
  }

  of(columnKey: string): (row: number) => SourceCell | undefined {
    const cells = this.columns.get(columnKey) ?? [];
    return (row) => cells[row - this.first];
  }
}

function noResults(readVersion: number, sourceKeys: string[], mayReplace: boolean): WorkResults {
  return {
    cells: [],
    encoded: null,
    unchanged: [],
    skipped: [],
    unready: RowSet.EMPTY,
    readVersion,
    sourceKeys,
    mayReplace,
  };
}

/** Fails every cell; their last good values stay. */
function failAll({ columnKey, rows }: ClaimedWork, error: string): WorkResults {
  const cells = [...rows].map((rowIndex): NewCell => ({ columnKey, rowIndex, value: null, error }));
  // Nothing was read, so nothing can have changed since.
  return { ...noResults(Number.MAX_SAFE_INTEGER, [], true), cells };
}
