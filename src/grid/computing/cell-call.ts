import { Logger } from '@nestjs/common';
import { isPassingDatabaseFailure } from '../../platform/errors/failures.js';
import { withoutNoise } from '../../platform/numbers.js';
import type { Origin } from '../../llm/records/origin.js';
import { type TimedCallFields, toLoggedCall } from '../../llm/records/logged-call.js';
import type { WorkAborted } from '../../platform/work/work-kind.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';
import type { CellContext, LoggedRequest, PartOptions, RecordedCall } from '../column-type/cell-context.js';
import { CellFailure, type CellResult, type ComputedMetrics } from '../column-type/column-type.js';
import type { CallTools } from './call-tools.js';
import { CellSpending } from './cell-spending.js';
import { CellTrace } from './cell-trace.js';
import { FinishedParts, type Memo } from './finished-parts.js';
import { type RetryOptions, withRetries } from './retries.js';
import type { RowTrace } from '../shared/sheet-owners.js';
import type { TimeLimit } from './time-limit.js';

/** Services for the calls of a cell. */
export interface CallServices {
  tools: Pick<CallTools, 'outbound' | 'prices' | 'spans'>;
  memo: Memo;
  backoffMs: number;
  /** Origin of the traces and request logs of the cells. */
  origin: Origin;
  /** The trace of a row; null where every cell has its own. */
  traceOf: ((rowIndex: number) => RowTrace) | null;
  /** Called when a cell waits for work that needs slots itself. */
  leave(rowIndex: number): void;
  /** Waits for the time that a service has asked for. */
  rest(rowIndex: number, ms: number, wait: Promise<void>): Promise<void>;
  /** Reserves the total cost of a cell after its next call, in US dollars; false when the call must not begin. */
  reserve(rowIndex: number, dollars: number): Promise<boolean>;
}

type Place = Omit<
  CellContext,
  'log' | 'record' | 'count' | 'warn' | 'step' | 'part' | 'attempt' | 'fetch' | 'untimed' | 'away' | 'signal' | 'spent'
>;

/** Tools of one cell's computation, and its spending. */
export class CellCall {
  private static readonly log = new Logger(CellCall.name);
  private readonly spending = new CellSpending();
  private readonly start = performance.now();
  /** Traces and time of workers that died while computing the cell. */
  private readonly earlier = { traceIds: new Set<string>(), ms: 0 };
  private readonly trace: CellTrace;
  private readonly parts: FinishedParts;
  /** The names of the running parts, from the outermost to the innermost. */
  private readonly openParts: string[] = [];

  /** `inputs` is the digest of the cell's inputs. */
  constructor(
    private readonly services: CallServices,
    private readonly place: Place,
    inputs: string,
    private readonly limit: TimeLimit,
  ) {
    const { workspaceId, column, executionId } = place;
    const attributes = { ...this.cell, 'tracesheet.column_type': column.type, 'tracesheet.column_title': column.title };
    const of = services.traceOf?.(place.rowIndex) ?? null;
    this.trace = new CellTrace(services.tools.spans, {
      workspaceId,
      origin: services.origin,
      name: column.title,
      attributes,
      of,
    });
    const identity = [executionId, ...Object.values(this.cell), inputs];
    this.parts = new FinishedParts(services.memo, workspaceId, identity);
  }

  get context(): CellContext {
    const { limit, trace, services } = this;
    return {
      ...this.place,
      signal: limit.signal,
      spent: () => this.spending.dollars,
      log: (call) => this.recordFields(call),
      record: (call) => this.record(call),
      count: (taken) => this.takeOver({ ...taken, request_count: taken.request_ids.length, latency_ms: null }),
      warn: (message) => this.spending.warn(message),
      step: (name, work, attributes) => trace.step(name, work, attributes),
      part: (name, work, more) => this.part(name, work, more),
      attempt: (call) => withRetries(() => this.begin(call), this.retries).catch(asFinal),
      fetch: (url, init) => services.tools.outbound.fetch(url, { signal: limit.signal, ...init }),
      untimed: (wait) => limit.pauseFor(wait),
      away: (wait) => this.away(wait),
    };
  }

  /**
   * Options for retries of the cell's calls. Waiting times that a service asks for do not count as time of the cell.
   */
  get retries(): RetryOptions {
    const { limit, services, place } = this;
    const rest: RetryOptions['rest'] = (ms, wait) => limit.pauseFor(services.rest(place.rowIndex, ms, wait));
    return { backoffMs: services.backoffMs, signal: limit.signal, rest };
  }

  /**
   * Metrics of the cell, from its type and from its calls. A metric that is no number is left out. A paid call counts
   * even if its log could not be stored; `unlogged_count` counts such calls.
   */
  async metricsOf({ metrics = {}, requestLogIds = [], traceId }: Omit<CellResult, 'value'>): Promise<CellMetrics> {
    // Excludes the time of storing logs.
    const tookMs = this.msSince(this.start) + this.earlier.ms;
    const totals = await this.spending.totals();
    const ids = [...new Set([...totals.request_ids, ...requestLogIds.filter(Number.isInteger)])];
    const { price, inputTokens, outputTokens, latencyMs }: ComputedMetrics = metrics ?? {};
    const traceIds = [...this.earlier.traceIds, this.trace.idIfUsed, traceId].filter((id) => typeof id === 'string');
    return {
      ...totals,
      request_count: ids.length,
      request_ids: ids,
      latency_ms: known(latencyMs) ?? tookMs,
      price: cleaned(known(price)) ?? totals.price,
      input_tokens: known(inputTokens) ?? totals.input_tokens,
      output_tokens: known(outputTokens) ?? totals.output_tokens,
      trace_ids: traceIds,
    };
  }

  /** Stores the rest of the cell's trace, if possible. `error` is the reason why the cell failed. */
  async end(error: string | null): Promise<void> {
    await this.parts.settled();
    await this.trace.end(error).catch((reason: unknown) => this.warn('The end of the trace', reason));
  }

  /** The budget for the first call of a cell is reserved before the cell begins. Every later call reserves its own. */
  private async begin<T>(call: () => Promise<T>): Promise<T> {
    const { dollars, dearestCall, count } = this.spending;
    if (count > 0 && !(await this.services.reserve(this.place.rowIndex, dollars + dearestCall))) {
      const amounts = `it has spent $${withoutNoise(dollars)}, and another call costs about $${withoutNoise(dearestCall)}`;
      throw new CellFailure(`The cell was stopped because max_cost does not suffice for its next call: ${amounts}.`);
    }
    return call();
  }

  private away<T>(wait: Promise<T>): Promise<T> {
    this.services.leave(this.place.rowIndex);
    return this.limit.pauseFor(wait);
  }

  private get cell(): Record<string, string> {
    const { sheet, column, rowIndex } = this.place;
    const place = { sheet_id: sheet.id, column_id: column.id, row_index: String(rowIndex) };
    return sheet.tableId === null ? place : { table_id: sheet.tableId, ...place };
  }

  private recordFields(fields: TimedCallFields): Promise<LoggedRequest> {
    const { call } = toLoggedCall(fields);
    return this.record({ call, startMs: fields.request_start_time, endMs: fields.request_end_time });
  }

  private record({ call: made, startMs, endMs }: RecordedCall): Promise<LoggedRequest> {
    const call = { ...made, metadata: { ...made.metadata, ...this.cell } };
    const price = this.services.tools.prices.costOf(this.place.workspaceId, call, startMs);
    const logged = this.trace.addCall({ call, startMs, endMs }).then((requestLogId) => ({ requestLogId, price }));
    const { input: inputTokens, output: outputTokens } = call.usage;
    const requestLogId = logged.then(
      (log) => log.requestLogId,
      (reason: unknown) => this.warn('A call of a model', reason),
    );
    this.spending.add({ price, inputTokens, outputTokens, requestLogId });
    return logged;
  }

  private async part<T>(name: string, work: () => Promise<T>, { attributes, of }: PartOptions = {}): Promise<T> {
    const key = JSON.stringify([...this.openParts, name, of]);
    const found = await this.parts.next(key);
    if (found) {
      this.takeOver(found.metrics!);
      return found.value as T;
    }
    const [first, start, earlierMs] = [this.spending.count, performance.now(), this.earlier.ms];
    this.openParts.push(name);
    const value = await this.trace.step(name, work, attributes).finally(() => this.openParts.pop());
    // Includes stored parts of this part.
    const latency_ms = this.msSince(start) + this.earlier.ms - earlierMs;
    const trace_ids = [...this.earlier.traceIds, this.trace.id];
    const metrics = this.spending.totals(first).then((spent) => ({ ...spent, latency_ms, trace_ids }));
    this.parts.keep(key, value, metrics).catch((reason: unknown) => this.warn(`What came of "${name}"`, reason));
    return value;
  }

  /** Adds the spending of others for the cell. */
  private takeOver(metrics: CellMetrics): void {
    this.spending.addFinished(metrics);
    this.earlier.ms += metrics.latency_ms ?? 0;
    for (const id of metrics.trace_ids) this.earlier.traceIds.add(id);
  }

  private msSince(start: number): number {
    return Math.round(performance.now() - start);
  }

  private warn(what: string, reason: unknown): null {
    const { column, rowIndex } = this.place;
    CellCall.log.warn(`${what} was not stored, for column ${column.id}, row ${rowIndex}: ${String(reason)}`);
    return null;
  }
}

/** Makes an error final, so that the retries of the whole cell do not repeat those of the call. */
function asFinal(error: unknown): never {
  if (isPassingDatabaseFailure(error)) throw error;
  if (error instanceof CellFailure) throw new CellFailure(error.message, error.spent);
  throw error instanceof Error ? new CellFailure(error.message) : error;
}

/** Rounds sums such as 0.30000000000000004. */
const cleaned = (price: number | null) => (price === null ? null : withoutNoise(price));

function known(number: unknown): number | null {
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

/**
 * Settles like a promise, unless the signal is aborted first. Then it rejects with the reason, and the result of the
 * promise is ignored.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as WorkAborted);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
