import { SPAN_KINDS, SPAN_STATUSES } from '../../trace-conventions/index.js';
import { isoTimestamp } from '../../platform/database/iso-timestamp.js';
import { boolean, type ExportColumn, integer, json, number, text } from './export-column.js';
import type { ExportSource } from './export-source.js';
import { duration, nanoseconds } from './trace-columns.js';
import { TRACES } from './traces.source.js';

/** A column with the name of a code, the same as in a trace of the API. */
const named = (name: string, sql: string, prefix: string, codes: Record<string, number>): ExportColumn => {
  const names = new Map(Object.entries(codes).map(([key, code]) => [String(code), `${prefix}.${key}`]));
  return { name, type: 'text', sql: `(${sql})::text`, derive: (code) => names.get(code) ?? code };
};

const EVENT_TIME = `('epoch'::timestamptz + (e ->> 'time_ns')::bigint / 1000 * interval '1 microsecond')`;

/** Events in the form of a trace of the API. */
const EVENTS = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('name', e -> 'name', 'timestamp', ${isoTimestamp(EVENT_TIME)},
      'attributes', e -> 'attributes'))
    FROM jsonb_array_elements(s.events) AS e), '[]')`;
const LINKS = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('context', jsonb_build_object('trace_id', x -> 'traceId', 'span_id', x -> 'spanId',
      'trace_state', x -> 'traceState'), 'attributes', x -> 'attributes'))
    FROM jsonb_array_elements(s.links) AS x), '[]')`;

const SIZE = `pg_column_size(s.attributes) + coalesce(pg_column_size(s.events), 0)
  + coalesce(pg_column_size(s.links), 0) + 200`;

/**
 * The spans of the matching traces, a row each, ordered by trace, newest first. There is no index on the start of spans,
 * because it would slow ingestion down.
 */
export const SPANS: ExportSource = {
  name: 'spans',
  columns: [
    integer('id', 's.id'),
    text('trace_id', 's.trace_id'),
    text('span_id', 's.span_id'),
    text('parent_id', 's.parent_id'),
    text('name', 's.name'),
    named('kind', 's.kind', 'SpanKind', SPAN_KINDS),
    nanoseconds('start_time', 's.start_ns'),
    nanoseconds('end_time', 's.end_ns'),
    duration('duration_ms', 's.start_ns', 's.end_ns'),
    named('status_code', 's.status', 'StatusCode', SPAN_STATUSES),
    text('status_message', 's.status_message'),
    text('span_type', 's.span_type'),
    text('provider', 's.provider'),
    text('model', 's.model'),
    integer('input_tokens', 's.input_tokens'),
    integer('output_tokens', 's.output_tokens'),
    number('cost', 's.cost'),
    integer('request_log_id', 's.request_log_id'),
    integer('prompt_id', 's.prompt_id'),
    integer('prompt_version_number', 's.prompt_version_number'),
    json('attributes', 's.attributes'),
    json('events', EVENTS),
    json('links', LINKS),
    json(
      'resource',
      `jsonb_build_object('attributes', o.resource -> 'attributes', 'schema_url', o.resource -> 'schemaUrl')`,
    ),
    json('scope', 'o.scope'),
    text('trace_state', 's.trace_state'),
    boolean('sanitized', 's.sanitized'),
  ],
  path: { ...TRACES.path, weight: 't.span_count', rows: 'coalesce(sum(t.span_count), 0)' },
  parts: `
    SELECT s.trace_id, s.span_id, (${SIZE})::int AS weight
      FROM unnest($2::text[]) WITH ORDINALITY AS k (trace_id, place)
      JOIN spans s ON s.workspace_id = $1 AND s.trace_id = k.trace_id
     ORDER BY k.place, s.start_ns DESC, s.id DESC`,
  keys: { trace_id: 'text', span_id: 'text' },
  join: `spans s ON s.workspace_id = $1 AND s.trace_id = k.trace_id AND s.span_id = k.span_id
    LEFT JOIN span_sources o ON o.workspace_id = $1 AND o.hash = s.source_hash`,
  condition: (...query) => TRACES.condition(...query),
};
