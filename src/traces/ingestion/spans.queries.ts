import type { EntityManager } from 'typeorm';
import {
  boolArray,
  byteaArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
} from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { PromptLink } from '../../llm/prompt-reference.js';
import type { SpanEvent } from '../span.js';
import type { IncomingSpan, LogLink } from './incoming-span.js';
import type { LogPlan } from './log-plan.js';
import { addSummary } from './rollups.queries.js';

/** A span with everything its row needs. */
export interface SpanRow {
  incoming: IncomingSpan;
  plan: LogPlan;
  id: number;
  /** The log that the plan names, or the id of the one that is made. */
  logId: number | null;
  sourceHash: Buffer;
  /** The version of a prompt that the span names, if there is one. */
  promptLink: PromptLink | null;
}

export interface StoredSpan {
  workspaceId: number;
  traceId: string;
  spanId: string;
  id: number;
  requestLogId: number | null;
  logLink: LogLink;
  /** False when the span was there before and differs now. */
  inserted: boolean;
}

/**
 * Locks the traces of a batch, creating those that are new, and gives the keys of the open ones. A closed trace is not
 * updated, so it is missing from the answer: there is no moment between this check and the insert in which it could
 * be closed.
 */
const LOCK_OPEN_TRACES = new Statement<{ workspace_id: number; trace_id: string }>(`
  INSERT INTO traces (workspace_id, trace_id)
  SELECT * FROM unnest($1::int[], $2::text[])
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET trace_id = excluded.trace_id WHERE traces.closed_at IS NULL
  RETURNING workspace_id, trace_id`);

export async function lockOpenTraces(tx: EntityManager, traces: TraceKey[]): Promise<TraceKey[]> {
  const rows = await LOCK_OPEN_TRACES.run(tx, keyColumns(traces));
  return rows.map((row) => ({ workspaceId: row.workspace_id, traceId: row.trace_id }));
}

export interface TraceKey {
  workspaceId: number;
  traceId: string;
}

function keyColumns(traces: TraceKey[]): Buffer[] {
  return [int4Array(traces.map((trace) => trace.workspaceId)), textArray(traces.map((trace) => trace.traceId))];
}

const COLUMNS = [
  'parent_id',
  'start_ns',
  'end_ns',
  'kind',
  'status',
  'sanitized',
  'source_hash',
  'name',
  'span_type',
  'provider',
  'model',
  'status_message',
  'trace_state',
  'attributes',
  'events',
  'links',
];

/** What a span takes over from its request log. */
const NUMBERS = ['input_tokens', 'output_tokens', 'cost'];

interface ReturnedSpan {
  workspace_id: number;
  trace_id: string;
  span_id: string;
  id: string;
  request_log_id: string | null;
  log_link: LogLink;
  inserted: boolean;
}

const rowOf = (table: string, columns: string[]): string => columns.map((column) => `${table}.${column}`).join(', ');

/** The stored span has a better log than the one that comes. */
const OUTRANKED = 's.log_link > excluded.log_link';

/**
 * Stores spans and adds those that are new to the summaries of their traces. A span sent again unchanged is left alone
 * and not returned; a changed one is replaced (the last write wins) but keeps its id and its request log, and with a log
 * that was reported by other means its numbers. A prompt that has a new latest version by then is no change. `xmax = 0` tells a row that this statement inserted.
 */
const UPSERT_SPANS = new Statement<ReturnedSpan>(`
  WITH stored AS (
    INSERT INTO spans AS s (workspace_id, trace_id, span_id, id, request_log_id, log_link, ${NUMBERS.join(', ')},
      ${COLUMNS.join(', ')}, prompt_id, prompt_version_number)
    SELECT * FROM unnest(
      $1::int[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::smallint[], $7::int[], $8::int[], $9::float8[],
      $10::text[], $11::bigint[], $12::bigint[], $13::smallint[], $14::smallint[], $15::bool[], $16::bytea[], $17::text[],
      $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::jsonb[], $24::jsonb[], $25::jsonb[],
      $26::int[], $27::int[])
    ON CONFLICT (workspace_id, trace_id, span_id) DO UPDATE SET
      request_log_id = coalesce(s.request_log_id, excluded.request_log_id),
      log_link = greatest(s.log_link, excluded.log_link),
      ${NUMBERS.map((column) => `${column} = CASE WHEN ${OUTRANKED} THEN s.${column} ELSE excluded.${column} END`).join(', ')},
      ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')},
      prompt_id = excluded.prompt_id, prompt_version_number = excluded.prompt_version_number
    WHERE excluded.log_link > s.log_link
       OR (s.request_log_id IS NULL AND excluded.request_log_id IS NOT NULL)
       OR (NOT ${OUTRANKED} AND (${rowOf('s', NUMBERS)}) IS DISTINCT FROM (${rowOf('excluded', NUMBERS)}))
       OR (${rowOf('s', COLUMNS)}) IS DISTINCT FROM (${rowOf('excluded', COLUMNS)})
    RETURNING workspace_id, trace_id, span_id, id, request_log_id, log_link, xmax = 0 AS inserted,
      parent_id, start_ns, end_ns, status, input_tokens, output_tokens, cost, name
  ), added AS (
    ${addSummary('stored WHERE inserted')})
  SELECT workspace_id, trace_id, span_id, id, request_log_id, log_link, inserted FROM stored`);

/** Stores spans of locked traces in one statement; gives those that changed something. */
export async function upsertSpans(tx: EntityManager, rows: SpanRow[]): Promise<StoredSpan[]> {
  const stored = await UPSERT_SPANS.run(tx, [...keyAndTimeColumns(rows), ...detailColumns(rows)]);
  return stored.map((row) => ({
    workspaceId: row.workspace_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    id: Number(row.id),
    requestLogId: row.request_log_id === null ? null : Number(row.request_log_id),
    logLink: row.log_link,
    inserted: row.inserted,
  }));
}

function keyAndTimeColumns(rows: SpanRow[]): Buffer[] {
  const incoming = rows.map((row) => row.incoming);
  const spans = incoming.map(({ span }) => span);
  return [
    int4Array(incoming.map(({ workspaceId }) => workspaceId)),
    textArray(spans.map((span) => span.traceId)),
    textArray(spans.map((span) => span.spanId)),
    int8Array(rows.map((row) => row.id)),
    int8Array(rows.map((row) => row.logId)),
    int2Array(rows.map((row) => row.plan.logLink)),
    int4Array(incoming.map(({ facts }) => facts.inputTokens)),
    int4Array(incoming.map(({ facts }) => facts.outputTokens)),
    float8Array(incoming.map(({ cost }) => cost)),
    textArray(spans.map((span) => span.parentId)),
    int8Array(spans.map((span) => span.startNs)),
    int8Array(spans.map((span) => span.endNs)),
    int2Array(spans.map((span) => span.kind)),
    int2Array(spans.map((span) => span.statusCode)),
    boolArray(spans.map((span) => span.sanitized)),
  ];
}

function detailColumns(rows: SpanRow[]): Buffer[] {
  const facts = rows.map((row) => row.incoming.facts);
  const spans = rows.map((row) => row.incoming.span);
  return [
    byteaArray(rows.map((row) => row.sourceHash)),
    textArray(spans.map((span) => span.name)),
    textArray(facts.map(({ spanType }) => spanType)),
    textArray(facts.map(({ provider }) => provider)),
    textArray(facts.map(({ model }) => model)),
    textArray(spans.map((span) => span.statusMessage)),
    textArray(spans.map((span) => span.traceState)),
    jsonbArray(rows.map((row) => row.incoming.attributes)),
    jsonbArray(spans.map((span) => (span.events.length > 0 ? JSON.stringify(span.events.map(toStoredEvent)) : null))),
    jsonbArray(spans.map((span) => (span.links.length > 0 ? JSON.stringify(span.links) : null))),
    int4Array(rows.map((row) => row.promptLink?.promptId)),
    int4Array(rows.map((row) => row.promptLink?.versionNumber)),
  ];
}

/** Nanoseconds do not fit a JSON number: they are kept as text. */
export interface StoredEvent {
  name: string;
  time_ns: string;
  attributes: SpanEvent['attributes'];
}

function toStoredEvent({ name, timeNs, attributes }: SpanEvent): StoredEvent {
  return { name, time_ns: timeNs.toString(), attributes };
}

const CLOSE = `
  UPDATE traces SET closed_at = now()
   WHERE (workspace_id, trace_id) IN (SELECT * FROM unnest($1::int[], $2::text[])) AND closed_at IS NULL`;

export async function closeTraces(tx: EntityManager, traces: TraceKey[]): Promise<void> {
  if (traces.length > 0) await tx.query(CLOSE, keyColumns(traces));
}
