/** Stored totals over the requests that computed a cell. */
export interface CellMetrics {
  request_count: number;
  request_ids: number[];
  latency_ms: number | null;
  /** In US dollars; null when it is not known. */
  price: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  trace_ids: string[];
  /** Paid calls without a request log; absent for none. */
  unlogged_count?: number;
  /** A warning about the value for readers, such as that an answer was cut off; absent for none. */
  warning?: string;
  /** Time when a value shared by cells with the same inputs was computed; absent for a value of this cell's own. */
  reused_from?: string;
}
