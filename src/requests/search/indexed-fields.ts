import { START } from '../../text-search/index.js';
import type { RequestSort } from '../shared/request-sorts.js';

/** Fields of a log in the index, besides its facets. Other fields are compared in the rows. */

/** Besides `START`, the only number that differs for every log. */
export const ID = 'id';

/** Numbers by which logs are sorted or compared. */
export const NUMBERS: Readonly<Record<RequestSort | 'pl_id', string>> = {
  pl_id: ID,
  request_start_time: START,
  status: 'status',
  cost: 'cost',
  latency_ms: 'latency_ms',
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
};

/** Fields with a term for each value: they are only ever compared for equality. */
export const TERMS = ['api_type', 'function_name', 'error_type', 'trace_id', 'span_id', 'group_id'] as const;

/** Texts whose words are all in the index. */
export const TEXTS: ReadonlySet<string> = new Set(['input_text', 'output_text']);
