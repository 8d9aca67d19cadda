import type { TraceKey } from '../ingestion/incoming-span.js';
import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/shared/blueprint.js';
import type { Origin } from '../../llm/records/origin.js';
import { hexByteaArray, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import { LOG_LINKS } from '../ingestion/incoming-span.js';
import type { StoredEvent } from '../ingestion/spans.queries.js';
import { SPAN_KINDS, type SpanKind, type SpanStatus } from '../../trace-conventions/index.js';
import type { ReportedCall, SpanPayload } from './span-findings.js';
import { byStart, type ShapeSpan } from './trace-shape.js';

/** A span without its payload, and so without the prompts and workflows that only the payload names. */
export interface SpanOutline extends ShapeSpan {
  /** Bytes of its payload as it is stored. */
  bytes: number;
}

interface OutlineRow {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  start_ns: string;
  bytes: string;
}

/**
 * The log that was reported for a span. Logs that were made from a span or are shared add nothing to the spans: their
 * key is null, so none is looked up. OFFSET 0 makes PostgreSQL look up logs one by one instead of reading all.
 */
const REPORTED_LOG = `LEFT JOIN LATERAL (
      SELECT * FROM request_logs WHERE workspace_id = $1
         AND id = CASE WHEN s.log_link = ${LOG_LINKS.GIVEN} THEN s.request_log_id END OFFSET 0) AS l ON true`;

/** PostgreSQL keeps the size of an out-of-line value beside its pointer, so no payload is read here. */
const OUTLINES = new Statement<OutlineRow>(`
  SELECT s.trace_id, s.span_id, s.parent_id, s.start_ns,
         pg_column_size(s.attributes) + coalesce(pg_column_size(s.events), 0)
           + coalesce(pg_column_size(l.input) + pg_column_size(l.output), 0) AS bytes
    FROM unnest($2::text[]) AS k (trace_id)
    JOIN spans s ON s.workspace_id = $1 AND s.trace_id = k.trace_id
    ${REPORTED_LOG}`);

/** All spans of each trace in the order of `byStart`; one list per trace. */
export async function readOutlines(
  db: EntityManager,
  workspaceId: number,
  traceIds: string[],
): Promise<SpanOutline[][]> {
  const rows = await OUTLINES.run(db, [workspaceId, textArray(traceIds)]);
  const lists = new Map(traceIds.map((traceId) => [traceId, [] as SpanOutline[]]));
  for (const row of rows) {
    lists.get(row.trace_id)!.push({
      spanId: row.span_id,
      parentId: row.parent_id,
      startNs: BigInt(row.start_ns),
      promptId: null,
      workflowId: null,
      bytes: Number(row.bytes),
    });
  }
  return traceIds.map((traceId) => lists.get(traceId)!.sort(byStart));
}

/** Totals of a trace. */
export interface TraceTotals {
  /** Whether the trace was made searchable before. */
  isStored: boolean;
  startNs: bigint;
  endNs: bigint | null;
  spanCount: number;
  inputTokens: number;
  outputTokens: number;
  /** In US dollars. */
  cost: number;
  origin: Origin;
  environment: string | null;
}

interface TotalsRow {
  trace_id: string;
  is_stored: boolean;
  start_ns: string;
  end_ns: string | null;
  span_count: number;
  input_tokens: string;
  output_tokens: string;
  cost: string;
  origin: Origin;
  environment: string | null;
}

const TOTALS = new Statement<TotalsRow>(`
  SELECT t.trace_id, t.start_ns, t.end_ns, t.span_count, t.input_tokens, t.output_tokens, t.cost, t.origin, t.environment,
         x.trace_id IS NOT NULL AS is_stored
    FROM traces t LEFT JOIN trace_search x ON x.workspace_id = $1 AND x.trace_id = t.trace_id
   WHERE t.workspace_id = $1 AND t.trace_id = ANY($2::text[]) AND t.span_count > 0 AND t.start_ns IS NOT NULL`);

/** The totals of those traces of a workspace that exist, by their ids. */
export async function readTotals(
  db: EntityManager,
  workspaceId: number,
  traceIds: string[],
): Promise<Map<string, TraceTotals>> {
  const rows = await TOTALS.run(db, [workspaceId, textArray(traceIds)]);
  return new Map(rows.map((row) => [row.trace_id, toTotals(row)]));
}

const toTotals = (row: TotalsRow): TraceTotals => ({
  isStored: row.is_stored,
  startNs: BigInt(row.start_ns),
  endNs: row.end_ns === null ? null : BigInt(row.end_ns),
  spanCount: row.span_count,
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  cost: Number(row.cost),
  origin: row.origin,
  environment: row.environment,
});

/** A span with everything that search looks at. */
export interface SearchedSpan extends SpanPayload {
  spanId: string;
  startNs: bigint;
  endNs: bigint | null;
  kind: SpanKind;
  status: SpanStatus;
  provider: string | null;
  model: string | null;
  promptId: number | null;
  promptVersionNumber: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  /** Metadata that clients have added to its log. */
  added: Record<string, string>;
}

/** Key of one span. */
export interface SpanKey extends TraceKey {
  spanId: string;
}

interface PayloadRow {
  span_id: string;
  start_ns: string;
  end_ns: string | null;
  kind: SpanKind;
  status: SpanStatus;
  status_message: string | null;
  name: string;
  span_type: string;
  provider: string | null;
  model: string | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
  attributes: JsonObject;
  events: StoredEvent[] | null;
  source: string;
  log_input: Prompt | null;
  log_output: Prompt;
  log_variables: JsonObject;
  log_tags: string[];
  log_metadata: Record<string, string>;
  added_metadata: Record<string, string> | null;
}

/**
 * Additions of clients to the log of a call, however the log was made. For a shared log, only one of its spans has
 * them.
 */
const ADDITIONS = `LEFT JOIN LATERAL (
      SELECT tracked, prompt_id, prompt_version_number, prompt_input_variables FROM request_logs
       WHERE workspace_id = $1 AND tracked IS NOT NULL
         AND id = CASE WHEN s.log_link <> ${LOG_LINKS.MANAGED} THEN s.request_log_id END OFFSET 0) AS a ON true`;

/**
 * OFFSET 0 makes PostgreSQL look up spans one by one by the primary key, instead of reading all spans of a trace or a
 * workspace for each piece.
 */
const PAYLOADS = new Statement<PayloadRow>(`
  SELECT s.span_id, s.start_ns, s.end_ns, s.kind, s.status, s.status_message, s.name, s.span_type, s.provider, s.model,
         CASE WHEN a.tracked ? 'prompt' THEN a.prompt_id ELSE s.prompt_id END AS prompt_id,
         CASE WHEN a.tracked ? 'prompt' THEN a.prompt_version_number ELSE s.prompt_version_number END AS prompt_version_number,
         s.input_tokens, s.output_tokens, s.cost, s.attributes, s.events, encode(s.source_hash, 'hex') AS source,
         l.input AS log_input, l.output AS log_output, l.prompt_input_variables AS log_variables, l.tags AS log_tags,
         l.metadata AS log_metadata, a.tracked -> 'metadata' AS added_metadata
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (trace_id, span_id, place)
    LEFT JOIN LATERAL (
      SELECT * FROM spans WHERE workspace_id = $1 AND trace_id = k.trace_id AND span_id = k.span_id OFFSET 0) AS s ON true
    ${REPORTED_LOG}
    ${ADDITIONS}
   ORDER BY k.place`);

const RESOURCES = new Statement<{ source: string; attributes: JsonObject | null }>(`
  SELECT encode(hash, 'hex') AS source, resource -> 'attributes' AS attributes
    FROM span_sources WHERE workspace_id = $1 AND hash = ANY($2::bytea[])`);

/** Reads spans of a workspace with their payloads. */
export class PayloadReader {
  /** Resource attributes of the spans that were read last, by hash: most spans share those of earlier ones. */
  private resources = new Map<string, JsonObject>();

  constructor(
    private readonly db: EntityManager,
    private readonly workspaceId: number,
  ) {}

  /** The spans in the order of their keys; null where one was deleted meanwhile. */
  async read(keys: readonly SpanKey[]): Promise<(SearchedSpan | null)[]> {
    const rows = await PAYLOADS.run(this.db, [
      this.workspaceId,
      textArray(keys.map((key) => key.traceId)),
      textArray(keys.map((key) => key.spanId)),
    ]);
    const sources = new Set(rows.flatMap(({ span_id, source }) => (span_id === null ? [] : [source])));
    this.resources = await this.resourcesOf([...sources]);
    return rows.map((row) => (row.span_id === null ? null : toSpan(row, this.resources.get(row.source) ?? {})));
  }

  private async resourcesOf(sources: string[]): Promise<Map<string, JsonObject>> {
    const missing = sources.filter((source) => !this.resources.has(source));
    const rows = missing.length > 0 ? await RESOURCES.run(this.db, [this.workspaceId, hexByteaArray(missing)]) : [];
    const read = new Map(rows.map(({ source, attributes }) => [source, attributes ?? {}]));
    return new Map(sources.map((source) => [source, this.resources.get(source) ?? read.get(source) ?? {}]));
  }
}

function toSpan(row: PayloadRow, resource: JsonObject): SearchedSpan {
  return {
    spanId: row.span_id,
    startNs: BigInt(row.start_ns),
    endNs: row.end_ns === null ? null : BigInt(row.end_ns),
    kind: row.kind,
    status: row.status,
    statusMessage: row.status_message,
    name: row.name,
    spanType: row.span_type,
    provider: row.provider,
    model: row.model,
    promptId: row.prompt_id,
    promptVersionNumber: row.prompt_version_number,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: row.cost,
    attributes: row.attributes,
    events: (row.events ?? []).map(({ name, time_ns, attributes }) => ({ name, timeNs: BigInt(time_ns), attributes })),
    resource,
    call: callOf(row),
    added: row.added_metadata ?? {},
  };
}

function callOf(row: PayloadRow): ReportedCall | null {
  if (row.log_input === null) return null;
  const {
    log_input: input,
    log_output: output,
    log_variables: variables,
    log_tags: tags,
    log_metadata: metadata,
  } = row;
  return { input, output, variables, tags, metadata };
}

/** The names of kinds and statuses as filters write them. */
export const KIND_NAMES = Object.fromEntries(Object.entries(SPAN_KINDS).map(([name, code]) => [code, name])) as Record<
  SpanKind,
  string
>;
