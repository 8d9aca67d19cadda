import { isoTimestamp } from '../../platform/database/iso-timestamp.js';
import { isoFromNanoseconds } from '../../platform/time.js';
import { type HourlyRows, microsecondsOf } from '../../rollups/index.js';

/** Beyond it a price is a mistake. */
const HIGHEST_PRICE = 1e15;
/** Facets begin with the workspace and the kind. A pattern would take three times as long. */
const KEPT =
  `split_part(facet, ':', 2) IN ('model', 'provider', 'status', 'prompt', 'tag', 'environment') ` +
  `OR split_part(facet, '=', 1) LIKE '%:m:user_id'`;

/** Describes the hourly sums of request logs. The expressions have no alias, like those of filters. */
export const REQUEST_HOURS: HourlyRows = {
  name: 'request',
  noun: 'request logs',
  from: 'request_logs',
  alias: '',
  start: {
    column: 'request_start_time',
    type: 'timestamptz',
    write: (microseconds) => isoFromNanoseconds(microseconds * 1000n),
    text: isoTimestamp('request_start_time'),
    read: microsecondsOf,
    seconds: `floor(date_part('epoch', request_start_time))`,
    hour: `date_bin('1 hour', request_start_time, '2000-01-01 00:00:00+00')`,
    ofHour: (hour) => hour,
  },
  measures: {
    failed: `status = 'ERROR'`,
    unpriced: 'price IS NULL',
    cost: `least(coalesce(price, 0), ${HIGHEST_PRICE})::numeric`,
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    latencyMs: 'latency_ms',
  },
  origin: 'origin',
  facets: `ARRAY(SELECT DISTINCT facet FROM unnest(facets) AS facet WHERE ${KEPT})`,
};
