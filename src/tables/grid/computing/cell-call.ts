import { withoutNoise } from '../../../platform/numbers.js';
import type { LoggingService, TimedCallFields } from '../../../requests/index.js';
import { WorkAborted } from '../../../platform/work/work-kind.js';
import type { CellMetrics } from '../cells/cell-metrics.js';
import type { CellContext, LoggedRequest } from '../column-type/cell-context.js';
import type { CellResult, ComputedMetrics } from '../column-type/column-type.js';

/** What one cell is computed with, and what was logged for it. */
export class CellCall {
  private readonly logged: (LoggedRequest & { inputTokens: number | null; outputTokens: number | null })[] = [];
  private readonly start = performance.now();

  constructor(
    private readonly logging: LoggingService,
    private readonly place: Omit<CellContext, 'log'>,
  ) {}

  get context(): CellContext {
    return { ...this.place, log: (call) => this.log(call) };
  }

  /** What the cell took: what its type says, and what was logged for it. A metric that is no number is left out. */
  metricsOf({ metrics = {}, requestLogIds = [], traceId }: Omit<CellResult, 'value'>): CellMetrics {
    const ids = [
      ...new Set([...this.logged.map(({ requestLogId }) => requestLogId), ...requestLogIds.filter(Number.isInteger)]),
    ];
    const { price, inputTokens, outputTokens, latencyMs }: ComputedMetrics = metrics ?? {};
    return {
      request_count: ids.length,
      request_ids: ids,
      latency_ms: known(latencyMs) ?? Math.round(performance.now() - this.start),
      price: cleaned(known(price) ?? this.sum('price')),
      input_tokens: known(inputTokens) ?? this.sum('inputTokens'),
      output_tokens: known(outputTokens) ?? this.sum('outputTokens'),
      trace_ids: typeof traceId === 'string' ? [traceId] : [],
    };
  }

  private async log(call: TimedCallFields): Promise<LoggedRequest> {
    const { workspaceId, sheet, column, rowIndex } = this.place;
    const cell = { table_id: sheet.tableId, sheet_id: sheet.id, column_id: column.id, row_index: rowIndex };
    const fields = { ...call, metadata: { ...call.metadata, ...cell } };
    const { stored } = await this.logging.log({ workspaceId }, fields, { sanitized: false, bytes: 0 });
    const request = { requestLogId: stored.id, price: stored.price };
    this.logged.push({ ...request, inputTokens: call.input_tokens ?? null, outputTokens: call.output_tokens ?? null });
    return request;
  }

  /** Over the calls that tell it; null when none does. */
  private sum(what: 'price' | 'inputTokens' | 'outputTokens'): number | null {
    const told = this.logged.flatMap((call) => call[what] ?? []);
    return told.length === 0 ? null : told.reduce((total, number) => total + number, 0);
  }
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
