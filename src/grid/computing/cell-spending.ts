import { withoutNoise } from '../../platform/numbers.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';

/** A call of a model that was made for a cell. */
export interface PaidCall {
  /** US dollars; null when unknown. */
  price: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** null when its log could not be stored. */
  requestLogId: Promise<number | null>;
}

type Totals = Omit<CellMetrics, 'latency_ms' | 'trace_ids' | 'reused_from'>;

const NOTHING: Totals = { request_count: 0, request_ids: [], price: null, input_tokens: null, output_tokens: null };

/** Spending and warnings of a cell, by the calls of this worker and of those that died before. */
export class CellSpending {
  /** US dollars, as far as prices are known. */
  dollars = 0;
  /** US dollars of the most expensive call of this worker. */
  dearestCall = 0;
  private readonly entries: Promise<Totals>[] = [];

  get count(): number {
    return this.entries.length;
  }

  add({ price, inputTokens, outputTokens, requestLogId }: PaidCall): void {
    const tokens = { input_tokens: inputTokens, output_tokens: outputTokens };
    const logged = requestLogId.then((id) =>
      id === null ? { request_count: 0, request_ids: [], unlogged_count: 1 } : { request_count: 1, request_ids: [id] },
    );
    this.entries.push(logged.then((requests) => ({ ...requests, ...tokens, price })));
    this.dollars += price ?? 0;
    this.dearestCall = Math.max(this.dearestCall, price ?? 0);
  }

  warn(warning: string): void {
    this.entries.push(Promise.resolve({ ...NOTHING, warning }));
  }

  addFinished(metrics: CellMetrics): void {
    this.entries.push(Promise.resolve(metrics));
    this.dollars += metrics.price ?? 0;
  }

  /** Totals of all entries from the given one on. Resolves when all logs are stored or have failed. */
  async totals(from = 0): Promise<Totals> {
    const entries = await Promise.all(this.entries.slice(from));
    const ids = entries.flatMap(({ request_ids }) => request_ids);
    const unlogged = entries.reduce((count, { unlogged_count = 0 }) => count + unlogged_count, 0);
    const price = sum(entries, 'price');
    const warnings = new Set(entries.flatMap(({ warning }) => warning ?? []));
    return {
      request_count: ids.length,
      request_ids: ids,
      // Prices add up to sums such as 0.30000000000000004.
      price: price === null ? null : withoutNoise(price),
      input_tokens: sum(entries, 'input_tokens'),
      output_tokens: sum(entries, 'output_tokens'),
      ...(unlogged > 0 && { unlogged_count: unlogged }),
      ...(warnings.size > 0 && { warning: [...warnings].join(' ') }),
    };
  }
}

/** Sums the entries that have the value; null when none has. */
function sum(entries: Totals[], what: 'price' | 'input_tokens' | 'output_tokens'): number | null {
  const told = entries.flatMap((entry) => entry[what] ?? []);
  return told.length === 0 ? null : told.reduce((total, number) => total + number, 0);
}
