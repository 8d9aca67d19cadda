import { floorDivide, type HourlyRows } from '../../rollups/index.js';

const SECOND_NS = 1_000_000_000;
const HOUR_NS = 3600 * SECOND_NS;
const INT8_MAX = 2n ** 63n - 1n;

/** Divisions of negative numbers round towards zero. */
const rounded = (by: number): string => `(t.start_ns / ${by} - (t.start_ns % ${by} < 0)::int)`;

/** Facets begin with the workspace and the kind. */
const KEPT = `split_part(facet, ':', 2) IN ('model', 'provider', 'trace-status', 'prompt', 'tag', 'user', 'environment')`;

/** How traces are summed up by the hour in which they began. Traces that search has not read yet have no facets. */
export const TRACE_HOURS: HourlyRows = {
  name: 'trace',
  noun: 'traces',
  from: 'traces t',
  facetsFrom: 'LEFT JOIN trace_search x ON x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id',
  facetList: 'x.facets',
  alias: 't.',
  start: {
    column: 't.start_ns',
    type: 'bigint',
    write: (microseconds) => String(clamped(microseconds * 1000n)),
    text: 't.start_ns::text',
    read: (text) => floorDivide(BigInt(text), 1000n),
    seconds: `${rounded(SECOND_NS)}::float8`,
    hour: `to_timestamp(${rounded(HOUR_NS)} * 3600)`,
    ofHour: (hour) => `(date_part('epoch', ${hour})::bigint * ${SECOND_NS})`,
  },
  measures: {
    failed: 't.error_count > 0',
    unpriced: 'coalesce(t.unpriced_count, 0) > 0',
    cost: 't.cost',
    inputTokens: 't.input_tokens',
    outputTokens: 't.output_tokens',
    // The greater of 0 and null would be 0.
    latencyMs: '(CASE WHEN t.end_ns IS NOT NULL THEN greatest(0, t.end_ns - t.start_ns) / 1e6::float8 END)',
  },
  origin: 't.origin',
  facets: `ARRAY(SELECT DISTINCT facet FROM unnest(x.facets) AS facet WHERE ${KEPT})`,
  facetsCut: 'coalesce(x.facets_cut, false)',
};

/** Times of spans fit an int8, which ends in 2262. */
function clamped(ns: bigint): bigint {
  return ns > INT8_MAX ? INT8_MAX : ns < -INT8_MAX ? -INT8_MAX : ns;
}
