import type { EntityManager } from 'typeorm';
import { COMFORTABLE_BUCKETS, SIZES_BELOW_DAY } from '../../charts/index.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { requestConditions } from '../search/all-matches.js';
import type { RequestLogQuery } from '../search/request-conditions.js';
import { type TimeRange, timeRangeOf } from './time-range.js';
import { toolSpans } from './tool-spans.js';

/** Maximum entries of a list, those with the most requests: models, prompts, tags, keys and so on. */
export const LONGEST_LIST = 50;
/** Maximum lines of a chart, and of points of all its lines together. With more points there are fewer lines. */
const MOST_LINES = 25;
const FEWEST_LINES = 5;
const COMFORTABLE_POINTS = 10_000;

/** Higher prices are mistakes, and sums of them would exceed the range of a number. */
const HIGHEST_PRICE = 1e15;

/** A query, with the metadata key for the breakdown of costs. */
export interface AnalyticsQuery extends RequestLogQuery {
  metadataKey: string | null;
}

/** One row of the statement. Times are seconds, costs US dollars. */
export interface AnalyticsRows {
  /** Seconds since 1970; null without matching logs where the filters leave the end open. */
  extent: { first: number | null; last: number | null; bucket_seconds: number };
  buckets: BucketRow[] | null;
  lines: LineRow[] | null;
  entries: EntryRow[] | null;
  metadata_values: MetadataValueRow[] | null;
  tool_spans: ToolSpanRow[] | null;
}

export interface BucketRow {
  /** Number of the bucket since 1970. */
  bucket: number;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  thinking_tokens: number;
  cost: number;
  unpriced: number;
  seconds: number;
  traced: number;
  successes: number;
  warnings: number;
  errors: number;
  plain_texts: number;
  json_objects: number;
  tool_calls: number;
  average_turns: number;
  average_tool_calls: number;
  tool_calls_p95: number;
}

export type Dimension = 'all' | 'model' | 'provider' | 'prompt';

/** A point of a line: the latency of one model, provider, prompt, or of all, in one bucket. */
export interface LineRow {
  kind: Dimension;
  name: string | null;
  bucket: number;
  requests: number;
  average: number;
  /** The 50th, 90th and 95th percentile. */
  percentiles: [number, number, number];
}

export type EntryKind = Exclude<Dimension, 'all'> | 'error' | 'tag' | 'output_key' | 'metadata_key' | 'tool';

export interface EntryRow {
  kind: EntryKind;
  name: string;
  requests: number;
  cost: number;
  unpriced: number;
  input_tokens: number;
  output_tokens: number;
}

export interface MetadataValueRow {
  key: string;
  value: string;
  requests: number;
  cost: number;
  unpriced: number;
}

export interface ToolSpanRow {
  name: string;
  average: number;
  shortest: number;
  longest: number;
}

/**
 * All data of the charts in one statement. The matching logs are found once and kept without their payloads; all sums
 * and percentiles are computed from them. Throws what the filter grammar throws.
 */
export async function readAnalytics(
  tx: EntityManager,
  workspaceId: number,
  query: AnalyticsQuery,
): Promise<AnalyticsRows> {
  const parameters = new SqlParameters();
  const condition = await requestConditions(tx, workspaceId, query, parameters);
  const key = parameters.add(query.metadataKey);
  const text = `
    WITH ${matching(condition)}, ${extent(timeRangeOf(query), parameters)}, ${placed()}, ${buckets()},
      ${totals()}, ${pairs()}, ${entries()}, ${lines()}, ${metadataValues(key)},
      ${toolSpans(parameters.add(workspaceId), LONGEST_LIST)}
    SELECT (SELECT to_json(extent) FROM extent) AS extent,
      (SELECT json_agg(buckets) FROM buckets) AS buckets,
      (SELECT json_agg(lines ORDER BY place, kind, bucket) FROM lines) AS lines,
      (SELECT json_agg(entries ORDER BY place) FROM entries WHERE place <= ${LONGEST_LIST}) AS entries,
      (SELECT json_agg(metadata_values ORDER BY cost DESC, requests DESC, key COLLATE "C", value COLLATE "C") FROM metadata_values) AS metadata_values,
      (SELECT json_agg(tool_spans) FROM tool_spans) AS tool_spans`;
  // Sorting and grouping a million logs with the default 4 MB would use the disk many times.
  await tx.query(`SET LOCAL work_mem = '64MB'`);
  const [row] = await tx.query<AnalyticsRows[]>(text, parameters.values);
  return row!;
}

/** Compares names byte by byte, which sorts three times as fast as the collation of a language. */
function matching(condition: string): string {
  return `matching AS MATERIALIZED (
    SELECT id, floor(date_part('epoch', request_start_time))::bigint AS started, latency_ms / 1000 AS seconds,
      least(coalesce(price, 0), ${HIGHEST_PRICE}) AS cost, (price IS NULL)::int AS unpriced,
      coalesce(input_tokens, 0) AS input_tokens, coalesce(output_tokens, 0) AS output_tokens,
      coalesce(cached_tokens, 0) AS cached_tokens, coalesce(thinking_tokens, 0) AS thinking_tokens,
      model COLLATE "C" AS model, provider COLLATE "C" AS provider, prompt_id, status, error_type, trace_id,
      output_shape, turn_count, tool_call_count, tool_names, output_keys, tags, metadata
    FROM request_logs WHERE ${condition})`;
}

/** The time range of the charts, and the size of its buckets by the rule of `bucketSizeFor`. */
function extent({ first, last }: TimeRange, parameters: SqlParameters): string {
  const sizes = parameters.add(SIZES_BELOW_DAY.map((size) => size.ms / 1000));
  return `bounds AS MATERIALIZED (
    SELECT coalesce(${parameters.add(first)}::bigint, min(started)) AS first,
      coalesce(${parameters.add(last)}::bigint, max(started)) AS last FROM matching),
  extent AS MATERIALIZED (
    SELECT first, last, coalesce((SELECT min(size) FROM unnest(${sizes}::bigint[]) AS size
      WHERE floor(last::float8 / size) - floor(first::float8 / size) < ${COMFORTABLE_BUCKETS}), 86400) AS bucket_seconds
    FROM bounds)`;
}

function placed(): string {
  return `placed AS NOT MATERIALIZED (
    SELECT floor(started::float8 / (SELECT bucket_seconds FROM extent))::bigint AS bucket, * FROM matching)`;
}

function buckets(): string {
  const counted = (condition: string, name: string) => `count(*) FILTER (WHERE ${condition}) AS ${name}`;
  return `buckets AS MATERIALIZED (
    SELECT bucket, count(*) AS requests, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      sum(cached_tokens) AS cached_tokens, sum(thinking_tokens) AS thinking_tokens,
      sum(cost) AS cost, sum(unpriced) AS unpriced, sum(seconds) AS seconds, count(trace_id) AS traced,
      ${counted(`status = 'SUCCESS'`, 'successes')}, ${counted(`status = 'WARNING'`, 'warnings')},
      ${counted(`status = 'ERROR'`, 'errors')}, ${counted('output_shape = 1', 'plain_texts')},
      ${counted('output_shape = 2', 'json_objects')}, ${counted('output_shape = 3', 'tool_calls')},
      avg(turn_count) AS average_turns, avg(tool_call_count) AS average_tool_calls,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY tool_call_count) AS tool_calls_p95
    FROM placed GROUP BY bucket)`;
}

/** One pass over the logs for all lists. Lists in a log are grouped as a whole, because few of them differ. */
function totals(): string {
  return `totals AS MATERIALIZED (
    SELECT count(*) AS requests, sum(cost) AS cost, sum(unpriced) AS unpriced,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      ${kindOf({ model: 'model', provider: 'provider', prompt: 'prompt_id', error: 'error_type', tag: 'tags', output_key: 'output_keys', tool: 'tool_names' })} AS kind,
      CASE WHEN GROUPING(tags) = 0 THEN tags WHEN GROUPING(output_keys) = 0 THEN output_keys
        WHEN GROUPING(tool_names) = 0 THEN tool_names
        ELSE ARRAY[coalesce(model, provider, prompt_id::text, error_type COLLATE "C")] END AS names
    FROM matching GROUP BY GROUPING SETS
      ((model), (provider), (prompt_id), (error_type), (tags), (output_keys), (tool_names)))`;
}

/** Keys first and then the value of each: reading both at once takes half as long again. */
function pairs(): string {
  return `pairs AS MATERIALIZED (
    SELECT key, metadata ->> key AS value, count(*) AS requests, sum(cost) AS cost, sum(unpriced) AS unpriced
    FROM (SELECT jsonb_object_keys(metadata) AS key, metadata, cost, unpriced FROM matching) AS keyed GROUP BY 1, 2)`;
}

/** A log counts once for each of its names, however often a name occurs. */
function entries(): string {
  const summed = ['requests', 'cost', 'unpriced', 'input_tokens', 'output_tokens'];
  const sums = summed.map((column) => `sum(${column}) AS ${column}`).join(', ');
  return `entries AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY kind ORDER BY requests DESC, name COLLATE "C") AS place FROM (
      SELECT kind, name COLLATE "C" AS name, ${sums}
      FROM totals, LATERAL (SELECT DISTINCT name FROM unnest(names) AS name) AS named
      WHERE name IS NOT NULL GROUP BY kind, name
      UNION ALL
      SELECT 'metadata_key', key COLLATE "C", sum(requests), sum(cost), sum(unpriced), 0, 0 FROM pairs GROUP BY key) AS counted)`;
}

function lines(): string {
  const points = '(SELECT count(*) FROM buckets)';
  const most = `greatest(${FEWEST_LINES}, least(${MOST_LINES}, ${COMFORTABLE_POINTS} / ${points}))`;
  return `lines AS MATERIALIZED (
    SELECT kind, name, place, bucket, points.requests, average, percentiles FROM (
      SELECT ${kindOf({ model: 'model', provider: 'provider', prompt: 'prompt_id' })} AS kind,
        coalesce(model, provider, prompt_id::text) COLLATE "C" AS name, bucket, count(*) AS requests, avg(seconds) AS average,
        percentile_cont(ARRAY[0.5, 0.9, 0.95]) WITHIN GROUP (ORDER BY seconds) AS percentiles
      FROM placed GROUP BY GROUPING SETS ((bucket, model), (bucket, provider), (bucket, prompt_id), (bucket))) AS points
    LEFT JOIN entries USING (kind, name)
    WHERE kind = 'all' OR place <= ${most})`;
}

function metadataValues(key: string): string {
  return `metadata_values AS MATERIALIZED (
    SELECT key, value, requests, cost, unpriced FROM pairs WHERE value IS NOT NULL AND (${key}::text IS NULL OR key = ${key}::text)
    ORDER BY cost DESC, requests DESC, key COLLATE "C", value COLLATE "C" LIMIT ${LONGEST_LIST})`;
}

/** SQL that names the column of a grouping set. */
function kindOf(columns: Record<string, string>): string {
  const cases = Object.entries(columns).map(([kind, column]) => `WHEN GROUPING(${column}) = 0 THEN '${kind}'`);
  return `CASE ${cases.join(' ')} ELSE 'all' END`;
}
