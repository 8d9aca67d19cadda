/** What the requests that made a cell took, as it is stored; totals over all of them. */
export interface CellMetrics {
  request_count: number;
  request_ids: number[];
  latency_ms: number | null;
  /** In US dollars; null when it is not known. */
  price: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  trace_ids: string[];
  /** Calls that were made and paid for, but have no request log; left out when there are none. */
  unlogged_count?: number;
  /** What a reader has to know of the value, such as that an answer was cut off; left out for nothing. */
  warning?: string;
  /** When the value was computed that this cell shares with others of the same inputs; left out for one of its own. */
  reused_from?: string;
}
