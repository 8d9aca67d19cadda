import type { TraceKey } from './incoming-span.js';
import type { EntityManager } from 'typeorm';
import { textArray } from '../../platform/database/binary-arrays.js';
import type { BinaryRows, Later } from '../../platform/database/binary-rows.js';
import { Columns, type ColumnsOf } from '../../platform/database/columns.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import type { SpanEvent } from '../../trace-conventions/index.js';
import { type IncomingSpan, type LogLink, spanKeyOf, traceKeyOf } from './incoming-span.js';
import type { LogPlan, SpanLog } from './log-plan.js';
import { addToTraces, type SummedSpan, summedSpan } from './rollups.queries.js';

/** A span with everything its row needs; the ids may be given when the row is written already. */
export interface WrittenSpan {
  incoming: IncomingSpan;
  plan: LogPlan;
  id: number | Later;
  /** The log that the plan names, or the id of the one that is made. */
  logId: number | Later | null;
  sourceHash: Buffer;
  /** The version of a prompt that the span names, if there is one. */
  promptLink: PromptLink | null;
}

export interface SpanRow extends WrittenSpan {
  id: number;
  logId: number | null;
}

export interface StoredSpan extends TraceKey {
  spanKey: string;
  id: number;
  requestLogId: number | null;
  logLink: LogLink;
  /** False when the span was there before and differs now. */
  inserted: boolean;
}

/**
 * Locks the traces of a batch, creating new ones, and returns the keys of the open ones. A closed trace is not updated,
 * so it is missing from the result: it cannot be closed between this check and the insert.
 */
const LOCK_OPEN_TRACES = new Statement<TraceRow>(`
  INSERT INTO traces (workspace_id, trace_id)
  SELECT $1, * FROM unnest($2::text[])
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET trace_id = excluded.trace_id WHERE traces.closed_at IS NULL
  RETURNING workspace_id, trace_id`);

export const lockOpenTraces = (traces: TraceKey[]): Step<TraceRow> => LOCK_OPEN_TRACES.with(keyColumns(traces));

/**
 * Finds the stored spans. Not part of the locking statement: a statement that waited for a lock does not see what was
 * committed meanwhile. A trace that was just created has no spans, so they are not looked for.
 */
const FIND_SPANS = new Statement<FoundRow>(`
  WITH grown AS MATERIALIZED (
    SELECT t.trace_id
      FROM unnest($2::text[]) AS n (trace_id)
     CROSS JOIN LATERAL (
       SELECT t.* FROM traces t
        WHERE t.workspace_id = $1 AND t.trace_id = n.trace_id AND t.span_count > 0 OFFSET 0) AS t)
  SELECT s.*
    FROM unnest($3::text[], $4::text[]) AS n (trace_id, span_id)
    JOIN grown g ON g.trace_id = n.trace_id
   CROSS JOIN LATERAL (
     SELECT s.workspace_id, s.trace_id, s.span_id, s.request_log_id, s.repeats_log_id, s.log_link, s.provider, s.model,
            s.input_tokens, s.output_tokens, s.cost
       FROM spans s
      WHERE s.workspace_id = $1 AND s.trace_id = n.trace_id AND s.span_id = n.span_id OFFSET 0) AS s`);

export const findSpans = (traces: TraceKey[], spans: IncomingSpan[]): Step<FoundRow> =>
  FIND_SPANS.with([
    ...keyColumns(traces),
    textArray(spans.map(({ span }) => span.traceId)),
    textArray(spans.map(({ span }) => span.spanId)),
  ]);

interface TraceRow {
  workspace_id: number;
  trace_id: string;
}

interface FoundRow extends TraceRow {
  span_id: string;
  request_log_id: string | null;
  repeats_log_id: string | null;
  log_link: LogLink;
  provider: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
}

/** By the key of the span. */
export const toFound = (rows: FoundRow[]): Map<string, SpanLog> =>
  new Map(
    rows.map((row) => [
      keyOf(row),
      {
        logId: toId(row.request_log_id),
        logLink: row.log_link,
        repeatsLogId: toId(row.repeats_log_id),
        provider: row.provider,
        model: row.model,
        inputTokens: row.input_tokens,
        outputTokens: row.output_tokens,
        cost: row.cost,
      },
    ]),
  );

const keyOf = (row: TraceRow & { span_id: string }): string =>
  spanKeyOf(traceKeyOf(row.workspace_id, row.trace_id), row.span_id);
const toId = (id: string | null): number | null => (id === null ? null : Number(id));

function keyColumns(traces: TraceKey[]): unknown[] {
  return [workspaceOf(traces), textArray(traces.map((trace) => trace.traceId))];
}

const SPAN_COLUMNS: ColumnsOf<WrittenSpan> = {
  workspace_id: ['int4', ({ incoming }) => incoming.workspaceId],
  trace_id: ['text', ({ incoming }) => incoming.span.traceId],
  span_id: ['text', ({ incoming }) => incoming.span.spanId],
  id: ['int8', (row) => row.id],
  request_log_id: ['int8', (row) => row.logId],
  repeats_log_id: ['int8', ({ plan }) => plan.repeats?.logId],
  log_link: ['int2', ({ plan }) => plan.logLink],
  response_id: ['text', ({ incoming }) => incoming.responseId],
  input_tokens: ['int4', ({ incoming }) => incoming.facts.inputTokens],
  output_tokens: ['int4', ({ incoming }) => incoming.facts.outputTokens],
  cost: ['float8', ({ incoming }) => incoming.cost],
  parent_id: ['text', ({ incoming }) => incoming.span.parentId],
  start_ns: ['int8', ({ incoming }) => incoming.span.startNs],
  end_ns: ['int8', ({ incoming }) => incoming.span.endNs],
  kind: ['int2', ({ incoming }) => incoming.span.kind],
  status: ['int2', ({ incoming }) => incoming.span.statusCode],
  sanitized: ['bool', ({ incoming }) => incoming.span.sanitized],
  source_hash: ['bytea', (row) => row.sourceHash],
  name: ['text', ({ incoming }) => incoming.span.name],
  span_type: ['text', ({ incoming }) => incoming.facts.spanType],
  provider: ['text', ({ incoming }) => incoming.facts.provider],
  model: ['text', ({ incoming }) => incoming.facts.model],
  status_message: ['text', ({ incoming }) => incoming.span.statusMessage],
  trace_state: ['text', ({ incoming }) => incoming.span.traceState],
  attributes: ['jsonb', ({ incoming }) => incoming.attributes],
  events: ['jsonb', ({ incoming }) => toJson(incoming.span.events.map(toStoredEvent))],
  links: ['jsonb', ({ incoming }) => toJson(incoming.span.links)],
  prompt_id: ['int4', ({ promptLink }) => promptLink?.promptId],
  prompt_version_number: ['int4', ({ promptLink }) => promptLink?.versionNumber],
};
const COLUMNS = new Columns(SPAN_COLUMNS, { ofOneWorkspace: true });

const toJson = (list: readonly object[]): string | null => (list.length > 0 ? JSON.stringify(list) : null);

/** Columns whose change makes a span a changed one. A newer latest version of its prompt is no change. */
const CONTENT = COLUMNS.names.slice(COLUMNS.names.indexOf('request_log_id'), COLUMNS.names.indexOf('prompt_id'));

const copySpans = COLUMNS.copyInto('spans');

interface ReturnedSpan {
  workspace_id: number;
  trace_id: string;
  span_id: string;
  id: string;
  request_log_id: string | null;
  log_link: LogLink;
}

const rowOf = (table: string, columns: string[]): string => columns.map((column) => `${table}.${column}`).join(', ');

/** An INSERT although the spans exist: the plan of a join may read the whole table. */
const replacing = (where: string): Statement<ReturnedSpan> =>
  new Statement(`
  INSERT INTO spans AS s (${COLUMNS.names.join(', ')})
  ${COLUMNS.selection}
  ON CONFLICT (workspace_id, trace_id, span_id) DO UPDATE SET
    ${[...CONTENT, 'prompt_id', 'prompt_version_number'].map((column) => `${column} = excluded.${column}`).join(', ')}
  ${where}
  RETURNING workspace_id, trace_id, span_id, id, request_log_id, log_link`);

const REPLACE_SPANS = replacing('');
const REPLACE_CHANGED = replacing(`WHERE (${rowOf('s', CONTENT)}) IS DISTINCT FROM (${rowOf('excluded', CONTENT)})`);

/**
 * Updates stored spans of locked traces; returns those that changed. A span that was sent again unchanged is not
 * touched, a changed one is replaced (the last write wins) but keeps its id.
 * @param always keys of spans that are replaced in any case
 */
export async function replaceSpans(tx: EntityManager, rows: SpanRow[], always: Set<string>): Promise<StoredSpan[]> {
  const isForced = ({ incoming }: SpanRow) => always.has(incoming.spanKey);
  const forced = rows.filter(isForced);
  const compared = always.size > 0 ? rows.filter((row) => !isForced(row)) : rows;
  return [...(await replace(tx, forced, REPLACE_SPANS)), ...(await replace(tx, compared, REPLACE_CHANGED))];
}

async function replace(tx: EntityManager, rows: SpanRow[], how: Statement<ReturnedSpan>): Promise<StoredSpan[]> {
  if (rows.length === 0) return [];
  const replaced = await how.run(tx, COLUMNS.values(rows));
  return replaced.map((row) => ({
    workspaceId: row.workspace_id,
    traceId: row.trace_id,
    spanKey: keyOf(row),
    id: Number(row.id),
    requestLogId: toId(row.request_log_id),
    logLink: row.log_link,
    inserted: false,
  }));
}

/** Writes the row of a span that is new. */
export const writeSpan = (span: WrittenSpan, rows: BinaryRows): void => COLUMNS.append(span, rows);

/**
 * Stores new spans after adding them to the summaries of their traces, which are locked, and created where missing.
 * Refused where a span exists or a trace is closed.
 */
export const copySpanRows = (rows: BinaryRows[], spans: SummedSpan[]): Step[] => [addToTraces(spans), copySpans(rows)];

/** Like `copySpanRows`, for spans whose rows are not written yet. */
export function addSpans(rows: SpanRow[]): Step[] {
  if (rows.length === 0) return [];
  const summed = rows.map(({ incoming, plan, logId }) => summedSpan(incoming, plan, logId !== null));
  return copySpanRows([COLUMNS.encode(rows)], summed);
}

/** The stored span of a new row. */
export function toStored({ incoming, id, logId, plan }: SpanRow): StoredSpan {
  const { workspaceId, spanKey, span } = incoming;
  const { logLink } = plan;
  return { workspaceId, traceId: span.traceId, spanKey, id, requestLogId: logId, logLink, inserted: true };
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

const CLOSE = new Statement(`
  UPDATE traces SET closed_at = now()
   WHERE workspace_id = $1 AND trace_id IN (SELECT * FROM unnest($2::text[])) AND closed_at IS NULL`);

export const closeTraces = (traces: TraceKey[]): Step[] => (traces.length > 0 ? [CLOSE.with(keyColumns(traces))] : []);
