/** Fields by which request logs can be sorted. */
export const REQUEST_SORTS = [
  'request_start_time',
  'input_tokens',
  'output_tokens',
  'cost',
  'latency_ms',
  'status',
] as const;
export type RequestSort = (typeof REQUEST_SORTS)[number];
