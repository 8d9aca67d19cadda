import type { DataSource } from 'typeorm';
import type { ModelPrices } from '../../../requests/index.js';
import type { OwnSpans } from '../../../traces/index.js';
import type { Config } from '../../../platform/config/config.js';
import type { OutboundClient } from '../../../platform/outbound/outbound.client.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import { WorkAborted } from '../../../platform/work/work-kind.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { RowSet } from '../rows/row-set.js';
import { unlessAborted } from './cell-call.js';
import type { SheetOwners } from '../sheet-owners.js';
import type { ComputationBell } from './computation-bell.js';
import { ExternalColumn, type PreparedRow } from './external-column.js';
import { recallResults, type RememberedResult } from './memo.queries.js';
import { computedRows, readWork, settledRows, uncomputedCells, type WorkInputs } from './read-work.js';
import type { ResultStore, RowResult } from './result-store.js';
import { RowSignals } from './row-signals.js';
import type { SharedResults } from './shared-results.js';
import { storeResults } from './store-results.js';
import { type ClaimedCells, giveBackRows, toClaimSet } from './tasks.queries.js';

/** What all runs of a process share. */
export interface ExternalEngine {
  db: DataSource;
  types: ColumnTypes;
  owners: SheetOwners;
  spans: OwnSpans;
  prices: ModelPrices;
  outbound: OutboundClient;
  metrics: Metrics;
  bell: ComputationBell;
  config: Config;
  results: ResultStore;
  shared: SharedResults;
  /** Called when rows of a claim do not need their places any more. */
  leave(claim: ClaimedCells, places: number): void;
  /** Called when a row of a claim waits for other cells, and when it does so no more. */
  wait(claim: ClaimedCells, rows: 1 | -1): void;
  /** Called when cells from outside may be ready now that have waited for others. */
  onWaiting(): void;
  /** Called when an execution has spent what it may. */
  overBudget(executionId: string): void;
}

/** One claim that is worked on: its rows are computed at the same time, and finished, stored and aborted one by one. */
export class ExternalRun {
  readonly signals = new RowSignals();

  constructor(
    private readonly engine: ExternalEngine,
    readonly claim: ClaimedCells,
  ) {}

  /** Resolves when every row has its result or was aborted. */
  async compute(): Promise<void> {
    const { claim, engine } = this;
    const inputs = await readWork(engine.db, engine.types, claim);
    if (!inputs) return this.abandon();
    await this.giveBack(inputs.unread);
    this.leaveShared(inputs);
    const { externalTimeLimitMs: timeLimitMs, externalBackoffMs: backoffMs, cellMemoDays: days } = engine.config;
    const { spans, prices, outbound } = engine;
    const memo = { db: engine.db.manager, days };
    const traceOf = await engine.owners.traceOf(inputs.sheet);
    let work: RowWork | undefined;
    const leave = (row: number) => work?.away(row);
    const options = { timeLimitMs, backoffMs, spans, prices, outbound, memo, traceOf, leave };
    const column = new ExternalColumn(inputs, options);
    const { prepared, failed } = await column.prepare(computedRows(inputs));
    const recalled = await this.recall(column, prepared);
    work = new RowWork(this, inputs, column);
    const ends = await Promise.allSettled([
      ...[...failed, ...uncomputedRows(inputs)].map((result) => work.finish(result)),
      ...prepared.map((row) => work.compute(row, recalled.get(row.key))),
    ]);
    const broken = ends.find((end) => end.status === 'rejected' && !(end.reason instanceof WorkAborted));
    if (broken) throw (broken as PromiseRejectedResult).reason;
  }

  get shared(): ExternalEngine {
    return this.engine;
  }

  /** The sheet or the column is gone. */
  private async abandon(): Promise<void> {
    const { db, types } = this.engine;
    await db.transaction((tx) => storeResults(tx, types, toClaimSet(this.claim), null));
  }

  private async giveBack(rows: RowSet): Promise<void> {
    if (rows.isEmpty) return;
    await giveBackRows(this.engine.db.manager, toClaimSet(this.claim), rows);
    this.engine.leave(this.claim, rows.count);
  }

  /** Cells that share a place free the others at once, so that the next claim is begun. */
  private leaveShared({ plan, rows }: WorkInputs): void {
    const { cellsPerPlace = 1 } = plan.type.options;
    this.engine.leave(this.claim, rows.count - Math.ceil(rows.count / cellsPerPlace));
  }

  private async recall(column: ExternalColumn, prepared: PreparedRow[]): Promise<Map<string, RememberedResult>> {
    if (!column.reusesResults) return new Map();
    const { db, config } = this.engine;
    const keys = [...new Set(prepared.map(({ key }) => key))];
    return recallResults(db.manager, this.claim.workspaceId, keys, config.cellMemoDays);
  }
}

/** Computes and stores the rows of a run. */
class RowWork {
  private readonly engine: ExternalEngine;
  /** Rows that do not hold a place any more. */
  private readonly left = new Set<number>();
  /** Rows whose calls have ended and that are not stored yet. */
  private readonly unstored = new Set<number>();
  /** Rows that have left their places because they wait for other cells. */
  private readonly waiting = new Set<number>();

  constructor(
    private readonly run: ExternalRun,
    private readonly inputs: WorkInputs,
    private readonly column: ExternalColumn,
  ) {
    this.engine = run.shared;
  }

  async compute(prepared: PreparedRow, remembered: RememberedResult | undefined): Promise<void> {
    const { signals } = this.run;
    const signal = signals.start(prepared.row);
    try {
      if (remembered) await this.finish(this.column.reuse(prepared, remembered));
      else if (this.column.reusesResults) await this.computeOnce(prepared, signal);
      else await this.finish(await this.call(prepared, signal));
    } finally {
      signals.end(prepared.row);
      if (this.waiting.delete(prepared.row)) this.engine.wait(this.run.claim, -1);
      this.stored(prepared.row);
    }
  }

  /** The row waits for other cells, which need its place. It gets none again: what it does afterwards is little. */
  away(row: number): void {
    if (this.waiting.has(row)) return;
    this.waiting.add(row);
    this.engine.wait(this.run.claim, 1);
    this.leave(row);
  }

  /** Stores a row. */
  async finish(result: RowResult): Promise<void> {
    const { claim } = this.run;
    const { sheet, plan } = this.inputs;
    this.count(result);
    this.called(result.row);
    const state = { claim, readVersion: sheet.version, sourceKeys: plan.sourceKeys };
    const { overBudget, waiting } = await this.engine.results.add(state, result);
    this.stored(result.row);
    if (waiting.formulas) this.engine.bell.ringFormulas();
    if (waiting.external) this.engine.onWaiting();
    if (waiting.scored) this.engine.bell.ringScorecards();
    if (overBudget) this.engine.overBudget(claim.executionId);
  }

  private call(prepared: PreparedRow, signal: AbortSignal): Promise<RowResult> {
    return this.column.compute(prepared, signal, () => this.called(prepared.row));
  }

  /** The place of a row is free when its call has ended, unless many wait to be stored. */
  private called(row: number): void {
    const { results, config } = this.engine;
    if (!this.unstored.has(row)) results.waiting++;
    this.unstored.add(row);
    if (results.waiting <= config.externalConcurrency) this.leave(row);
  }

  private stored(row: number): void {
    if (this.unstored.delete(row)) this.engine.results.waiting--;
    this.leave(row);
  }

  /** Frees the place of a row, unless it is free already. */
  private leave(row: number): void {
    if (this.left.has(row)) return;
    this.left.add(row);
    this.engine.leave(this.run.claim, 1);
  }

  /** Waits for a result that somebody computes from the same inputs already, or lets others wait for this one. */
  private async computeOnce(prepared: PreparedRow, signal: AbortSignal): Promise<void> {
    const { shared } = this.engine;
    const key = `${this.run.claim.workspaceId}:${prepared.key}`;
    for (let other = shared.find(key); other; other = shared.find(key)) {
      const result = await unlessAborted(other, signal);
      if (result) return this.finish(this.column.reuse(prepared, result));
    }
    const computing = this.call(prepared, signal);
    const announced = shared.announce(
      key,
      computing.then(toRemembered, () => null),
    );
    try {
      const result = await computing;
      if (!result.memo) announced.withdraw();
      await this.finish(result);
    } catch (error) {
      announced.withdraw();
      throw error;
    } finally {
      announced.stored();
    }
  }

  private count({ cells: [cell] }: RowResult): void {
    if (!cell) return;
    const outcome = cell.error ? 'failed' : cell.metrics?.reused_from ? 'reused' : 'completed';
    this.engine.metrics.counters.cellsComputed.inc({ type: this.inputs.plan.column.type, outcome });
  }
}

/** The result as another cell may have it; null when it is not to be shared. */
function toRemembered({ memo }: RowResult): RememberedResult | null {
  return memo && { ...memo, computedAt: new Date() };
}

/** The results of the rows that are not computed. */
function uncomputedRows(inputs: WorkInputs): RowResult[] {
  const { rows, unready } = inputs;
  const cells = uncomputedCells(inputs, rows);
  const cellsAt = (row: number) => cells.filter((cell) => cell.rowIndex === row);
  const settled = [...settledRows(inputs)].map((row) => ({ row, cells: cellsAt(row), memo: null, cost: 0 }));
  return [...settled, ...[...unready].map((row) => ({ row, cells: [], memo: null, cost: 0, unready: true }))];
}
