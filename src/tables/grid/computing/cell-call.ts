import { withoutNoise } from '../../../platform/numbers.js';
import type { OutboundClient } from '../../../platform/outbound/outbound.client.js';
import { checkOutcome, type ModelPrices, type TimedCallFields, toLoggedCall } from '../../../requests/index.js';
import type { OwnSpans } from '../../../traces/index.js';
import type { WorkAborted } from '../../../platform/work/work-kind.js';
import type { CellMetrics } from '../cells/cell-metrics.js';
import type { CellContext, LoggedRequest, RecordedCall } from '../column-type/cell-context.js';
import { CellFailure, type CellResult, type ComputedMetrics } from '../column-type/column-type.js';
import { CellTrace } from './cell-trace.js';
import { withRetries } from './retries.js';
import type { TimeLimit } from './time-limit.js';

/** What calls are made with. */
export interface CallServices {
  spans: OwnSpans;
  prices: ModelPrices;
  outbound: OutboundClient;
  backoffMs: number;
}

interface LoggedCall extends LoggedRequest {
  inputTokens: number | null;
  outputTokens: number | null;
}

/** What one cell is computed with, and what was logged for it. */
export class CellCall {
  private readonly logged: Promise<LoggedCall>[] = [];
  private readonly start = performance.now();
  private readonly trace: CellTrace;
  private spent = 0;

  constructor(
    private readonly services: CallServices,
    private readonly place: Omit<
      CellContext,
      'log' | 'record' | 'step' | 'attempt' | 'fetch' | 'untimed' | 'signal' | 'spent'
    >,
    private readonly limit: TimeLimit,
  ) {
    const { workspaceId, column } = place;
    const attributes = { ...this.cell, 'tracesheet.column_type': column.type, 'tracesheet.column_title': column.title };
    this.trace = new CellTrace(services.spans, { workspaceId, name: column.title, attributes });
  }

  get context(): CellContext {
    const { limit, trace, services } = this;
    return {
      ...this.place,
      signal: limit.signal,
      spent: () => this.spent,
      log: (call) => this.log(call),
      record: (call) => this.record(call),
      step: (name, work, attributes) => trace.step(name, work, attributes),
      attempt: (call) => withRetries(call, { ...services, signal: limit.signal }).catch(asFinal),
      fetch: (url, init) => services.outbound.fetch(url, { signal: limit.signal, ...init }),
      untimed: (wait) => limit.pauseFor(wait),
    };
  }

  /** What the cell took: what its type says, and what was logged for it. A metric that is no number is left out. */
  async metricsOf({ metrics = {}, requestLogIds = [], traceId }: Omit<CellResult, 'value'>): Promise<CellMetrics> {
    // Storing what was logged is no part of it.
    const tookMs = Math.round(performance.now() - this.start);
    const logged = await Promise.all(this.logged);
    const ids = [
      ...new Set([...logged.map(({ requestLogId }) => requestLogId), ...requestLogIds.filter(Number.isInteger)]),
    ];
    const { price, inputTokens, outputTokens, latencyMs }: ComputedMetrics = metrics ?? {};
    const traceIds = [this.trace.idIfUsed, traceId].filter((id) => typeof id === 'string');
    return {
      request_count: ids.length,
      request_ids: ids,
      latency_ms: known(latencyMs) ?? tookMs,
      price: cleaned(known(price) ?? sum(logged, 'price')),
      input_tokens: known(inputTokens) ?? sum(logged, 'inputTokens'),
      output_tokens: known(outputTokens) ?? sum(logged, 'outputTokens'),
      trace_ids: traceIds,
    };
  }

  /** Completes the trace of the cell. `error` is why the cell failed. */
  end(error: string | null): Promise<void> {
    return this.trace.end(error);
  }

  private get cell(): Record<string, string> {
    const { sheet, column, rowIndex } = this.place;
    const place = { sheet_id: sheet.id, column_id: column.id, row_index: String(rowIndex) };
    return sheet.tableId === null ? place : { table_id: sheet.tableId, ...place };
  }

  private log(fields: TimedCallFields): Promise<LoggedRequest> {
    checkOutcome(fields);
    const { call } = toLoggedCall(fields);
    return this.record({ call, startMs: fields.request_start_time, endMs: fields.request_end_time });
  }

  private record(recorded: RecordedCall): Promise<LoggedRequest> {
    const call = { ...recorded.call, metadata: { ...recorded.call.metadata, ...this.cell } };
    const logged = this.store({ ...recorded, call });
    this.logged.push(logged);
    // It is looked at when the cell is done, which may be long after; until then a failure must not count as unhandled.
    logged.catch(() => undefined);
    return logged;
  }

  private async store(recorded: RecordedCall): Promise<LoggedCall> {
    const { call, startMs } = recorded;
    const price = this.services.prices.costOf(this.place.workspaceId, call, startMs);
    this.spent += price ?? 0;
    const requestLogId = await this.trace.addCall(recorded);
    if (requestLogId === null) throw new Error('The call of a model was not stored.');
    return { requestLogId, price, inputTokens: call.usage.input, outputTokens: call.usage.output };
  }
}

/** Over the calls that tell it; null when none does. */
function sum(logged: LoggedCall[], what: 'price' | 'inputTokens' | 'outputTokens'): number | null {
  const told = logged.flatMap((call) => call[what] ?? []);
  return told.length === 0 ? null : told.reduce((total, number) => total + number, 0);
}

/** What was tried in vain is not tried again by whoever tries the whole cell. */
function asFinal(error: unknown): never {
  if (error instanceof CellFailure) throw new CellFailure(error.message, error.spent);
  throw error instanceof Error ? new CellFailure(error.message) : error;
}

/** Prices of calls add up to sums such as 0.30000000000000004. */
const cleaned = (price: number | null) => (price === null ? null : withoutNoise(price));

function known(number: unknown): number | null {
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

/**
 * What a promise gives, unless the signal is aborted first; then it rejects with the reason, and nobody hears of the promise
 * any more. It ends by itself or never.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as WorkAborted);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
