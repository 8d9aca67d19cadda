import { WorkAborted } from '../../platform/work/work-kind.js';
import { RowSet } from '../shared/row-set.js';
import { ORIGINS_BY_OWNER } from '../shared/sheet-owner.js';
import { type CallServices, unlessAborted } from './cell-call.js';
import { sizeOf } from './cell-result.js';
import { ClaimBudget } from './claim-budget.js';
import type { ColumnPlan } from './column-plan.js';
import { ExternalColumn, type PreparedRow } from './external-column.js';
import type { ExternalEngine } from './external-engine.js';
import { recallResults, type RememberedResult } from './memo.queries.js';
import { computedRows, inputsOfNext, settledRows, uncomputedCells, type WorkInputs } from './read-work.js';
import type { RowResult, StoredClaim } from './result-store.js';
import type { RowSignals } from './row-signals.js';
import type { AnnouncedResult } from './shared-results.js';
import type { ClaimedCells } from './tasks.queries.js';

/** Limit of the characters of results that a claim keeps for the following columns. A row beyond its share stops. */
const KEPT_RESULTS = 8_000_000;

/**
 * Time after its claim during which a row still continues with the next column. Later, others have their turn: claiming
 * is cheap compared with calls that take this long.
 */
const TURN_MS = 2_000;

/** A cell that waits longer than this for its service frees its slot. */
const LONG_REST_MS = 5_000;

/** One of the columns that rows go through. */
interface Step {
  index: number;
  plan: ColumnPlan;
  column: ExternalColumn;
}

/** The result of a row in a column, and the announcement to update when it is stored. */
interface Ended {
  result: RowResult;
  announced?: AnnouncedResult;
}

interface ClaimedRows {
  claim: ClaimedCells;
  inputs: WorkInputs;
  signals: RowSignals;
  /** Aborted when the process stops: running calls may still finish then, but no other one starts. */
  ending: AbortSignal;
  traceOf: CallServices['traceOf'];
}

/** Computes and stores the rows of a claim, each of them in one column after the other. */
export class ExternalRows {
  private readonly steps: Step[];
  private readonly stored: StoredClaim;
  private readonly budget: ClaimBudget;
  private readonly start = performance.now();
  /** Rows without a slot. */
  private readonly left = new Set<number>();
  /** Rows that hold call slots: their calls are running, or their results are not stored. */
  private readonly slots = new Set<number>();
  /** Rows that gave up their slots because they wait for other cells. */
  private readonly waiting = new Set<number>();
  /** Characters of a row's results. */
  private readonly sizes = new Map<number, number>();

  constructor(
    private readonly engine: ExternalEngine,
    private readonly rows: ClaimedRows,
  ) {
    const { claim, inputs, traceOf } = rows;
    const { config, tools } = engine;
    const { externalTimeLimitMs: timeLimitMs, externalBackoffMs: backoffMs, cellMemoDays: days } = config;
    const memo = { db: engine.claims.db.manager, days };
    const origin = ORIGINS_BY_OWNER[inputs.sheet.owner];
    this.stored = { claim, sheet: inputs.sheet, lost: new Set() };
    this.budget = new ClaimBudget(engine, claim, inputs);
    this.steps = [inputs.plan, ...inputs.following].map((plan, index) => {
      const leave = (row: number) => this.away(row, plan);
      const reserve = (row: number, needed: number) => this.budget.reserveMore(plan.column, row, needed);
      const rest: CallServices['rest'] = (row, ms, wait) => this.rest(row, plan, { ms, wait });
      const options = { timeLimitMs, backoffMs, tools, memo, origin, traceOf, leave, rest, reserve };
      return { index, plan, column: new ExternalColumn({ ...inputs, plan }, options) };
    });
  }

  /** Whether the execution has no running calls, and no budget for another one. */
  get isSpent(): boolean {
    return this.budget.isSpent;
  }

  /** Resolves when every row has its results or was aborted. Rejects when a result could not be stored. */
  async compute(): Promise<void> {
    const ends = await this.take(this.rows.inputs, this.steps[0]!);
    const broken = ends.find((end) => end.status === 'rejected' && !(end.reason instanceof WorkAborted));
    if (broken) throw (broken as PromiseRejectedResult).reason;
  }

  /** Takes rows through a column and the following ones. */
  private async take(inputs: WorkInputs, step: Step): Promise<PromiseSettledResult<void>[]> {
    const { prepared, failed } = await step.column.prepare(computedRows(inputs));
    const recalled = await this.recall(step.column, prepared);
    const refused = await this.reserve(prepared, recalled, step);
    const begun = prepared.filter(({ row }) => !refused.has(row));
    return Promise.allSettled([
      ...[...failed, ...uncomputedRows(inputs)].map((result) => this.finish({ result }, step)),
      ...begun.map((row) => this.computeRow(row, recalled.get(row.key), step)),
    ]);
  }

  /** Reserves the cost of calls; releases and returns the rows that may not begin. */
  private async reserve(prepared: PreparedRow[], recalled: Map<string, RememberedResult>, step: Step): Promise<RowSet> {
    const called = prepared.filter(({ key }) => !recalled.has(key)).map(({ row }) => row);
    const refused = await this.budget.reserve(step.plan.column, called);
    if (!refused.isEmpty) await this.release(refused, step.index);
    return refused;
  }

  private async recall(column: ExternalColumn, prepared: PreparedRow[]): Promise<Map<string, RememberedResult>> {
    if (!column.reusesResults || prepared.length === 0) return new Map();
    const { claims, config } = this.engine;
    const keys = [...new Set(prepared.map(({ key }) => key))];
    const { cellMemoDays: days } = config;
    return recallResults(claims.db.manager, this.rows.claim.workspaceId, keys, { days, origin: column.origin });
  }

  private async computeRow(row: PreparedRow, remembered: RememberedResult | undefined, step: Step): Promise<void> {
    const { signals } = this.rows;
    const signal = signals.start(row.row, step.plan.column.key);
    const ended = this.resultOf(row, remembered, { step, signal }).finally(() => {
      signals.end(row.row);
      if (this.waiting.delete(row.row)) this.engine.wait(step.plan.column.key, -1);
    });
    await this.finish(await ended.catch((error: unknown) => this.abandon(row.row, step, error)), step);
  }

  private async resultOf(
    row: PreparedRow,
    remembered: RememberedResult | undefined,
    { step, signal }: { step: Step; signal: AbortSignal },
  ): Promise<Ended> {
    const { column } = step;
    if (remembered) return { result: column.reuse(row, remembered) };
    const call = async () => {
      if (column.asksOthers) await this.takeSlot(row.row, signal);
      return column.compute(row, signal);
    };
    return column.reusesResults ? this.computeOnce(row, { column, signal, call }) : { result: await call() };
  }

  /** Waits for a running computation with the same inputs, or announces this one to others. */
  private async computeOnce(
    row: PreparedRow,
    { column, signal, call }: { column: ExternalColumn; signal: AbortSignal; call: () => Promise<RowResult> },
  ): Promise<Ended> {
    const { shared } = this.engine;
    const key = `${this.rows.claim.workspaceId}:${row.key}:${column.origin ?? ''}`;
    for (let other = shared.find(key); other; other = shared.find(key)) {
      const result = await unlessAborted(other, signal);
      if (result) return { result: column.reuse(row, result) };
    }
    const computing = call();
    const announced = shared.announce(
      key,
      computing.then(toRemembered, () => null),
    );
    try {
      const result = await computing;
      if (!result.memo) announced.withdraw();
      return { result, announced };
    } catch (error) {
      announced.withdraw();
      throw error;
    }
  }

  /**
   * Stores the result of a row. The row continues meanwhile, unless it made a call: an answer is stored before the next
   * call begins.
   */
  private async finish({ result, announced }: Ended, step: Step): Promise<void> {
    const { results, config } = this.engine;
    const stored = this.store(result, step).then(
      () => announced?.stored(),
      (error: unknown) => {
        announced?.withdraw();
        throw error;
      },
    );
    const isLast = step.index === this.steps.length - 1;
    if (isLast && results.waiting <= config.externalConcurrency) this.leave(result.row);
    const mustWait = this.slots.has(result.row) || results.isFull;
    const ends = await Promise.allSettled([stored, this.goOn(result, step, mustWait ? stored : null)]);
    this.leave(result.row);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async store(result: RowResult, step: Step): Promise<void> {
    const { engine } = this;
    this.count(result, step);
    result.cost = this.budget.costOf(step.plan.column, result);
    const adding = engine.results.add(this.stored, step.plan, result);
    const { waiting } = await adding.finally(() => this.leaveSlot(result.row));
    this.budget.ended();
    if (waiting.formulas) engine.claims.notifier.notifyFormulas();
    if (waiting.external) engine.onWaiting();
  }

  private async goOn(result: RowResult, { index }: Step, after: Promise<void> | null): Promise<void> {
    const next = this.steps[index + 1];
    if (!next) return;
    await after;
    if (!this.mayGoOn(result)) return this.release(RowSet.of([result.row]), next.index);
    const { inputs } = this.rows;
    inputs.sources.addComputed(result.cells);
    const [end] = await this.take(inputsOfNext(inputs, next.plan, result.row), next);
    if (end?.status === 'rejected') throw end.reason;
  }

  /** A row continues only with a slot, within its turn, and with a stored result of limited size. */
  private mayGoOn({ row, cells, unready }: RowResult): boolean {
    const size = cells.reduce((sum, { value }) => sum + sizeOf(value), this.sizes.get(row) ?? 0);
    this.sizes.set(row, size);
    const isSmall = size <= KEPT_RESULTS / this.rows.inputs.rows.count;
    const isInTurn = performance.now() - this.start < TURN_MS && !this.rows.ending.aborted;
    return isSmall && isInTurn && !unready && !this.left.has(row) && !this.stored.lost.has(row);
  }

  /** Releases the rest of rows, from a column on. */
  private async release(rows: RowSet, from: number): Promise<void> {
    const { claim } = this.rows;
    const keys = this.steps.slice(from).map(({ plan }) => plan.column.key);
    await this.engine.claims.giveBack(claim, rows, keys);
    for (const row of rows) this.leave(row);
    if (keys.length > 0) this.engine.onWaiting();
  }

  /** Ends an aborted row. If only this cell left the claim, the cells of the following columns are released. */
  private async abandon(row: number, { index }: Step, error: unknown): Promise<never> {
    this.leave(row);
    this.leaveSlot(row);
    this.budget.ended();
    if (error instanceof WorkAborted && error.reason === 'cancelled') await this.release(RowSet.of([row]), index + 1);
    throw error;
  }

  /**
   * Frees the slot of a row that waits for other cells, which need it. The row gets no other slot: it does little
   * afterwards.
   */
  private away(row: number, { column }: ColumnPlan): void {
    if (this.waiting.has(row)) return;
    this.waiting.add(row);
    this.engine.wait(column.key, 1);
    this.leave(row);
    this.leaveSlot(row);
  }

  /**
   * Waits until the time that a service has named. Long waits hold no slot, and a stopping process does not wait until
   * the end.
   */
  private async rest(row: number, plan: ColumnPlan, { ms, wait }: { ms: number; wait: Promise<void> }): Promise<void> {
    const { ending, signals } = this.rows;
    const stop = () => signals.abort(row, new WorkAborted('stopping'));
    if (ms > LONG_REST_MS) this.away(row, plan);
    if (ending.aborted) stop();
    ending.addEventListener('abort', stop, { once: true });
    await wait.finally(() => ending.removeEventListener('abort', stop));
  }

  private async takeSlot(row: number, signal: AbortSignal): Promise<void> {
    const { claim, ending } = this.rows;
    await this.engine.slots.take(claim.workspaceId, AbortSignal.any([signal, ending]));
    this.slots.add(row);
  }

  private leaveSlot(row: number): void {
    if (this.slots.delete(row)) this.engine.slots.leave(this.rows.claim.workspaceId);
  }

  /** Frees the slot of a row, unless it is free already. */
  private leave(row: number): void {
    if (this.left.has(row)) return;
    this.left.add(row);
    this.engine.leave(this.rows.claim, 1);
  }

  private count({ cells: [cell] }: RowResult, { plan }: Step): void {
    if (!cell) return;
    const { counts } = this.engine;
    const isReused = Boolean(cell.metrics?.reused_from);
    const outcome = cell.error ? 'failed' : isReused ? 'reused' : 'completed';
    counts.count(plan.column, outcome, 1);
    if (!isReused) counts.noteTime(plan.column, 1, cell.metrics?.latency_ms ?? 0);
  }
}

/** The result for other cells; null when it must not be shared. */
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
