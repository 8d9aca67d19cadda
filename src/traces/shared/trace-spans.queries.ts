import { type EntityManager, In } from 'typeorm';
import { textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { StoredEvent } from '../ingestion/spans.queries.js';
import type { SpanKind, SpanLink, SpanStatus } from '../../trace-conventions/index.js';
import { SpanSourceRecord } from './span.entity.js';
import { piecesOf } from './span-pieces.js';

/** Id and payload size of a span. For the whole trace only these are held in memory while it is read. */
export interface SpanPlace {
  spanId: string;
  /** Bytes of its payload as it is stored. */
  bytes: number;
}

/** PostgreSQL keeps the size of an out-of-line value beside its pointer, so no payload is read here. */
const PLACES = new Statement<{ span_id: string; bytes: number }>(`
  SELECT span_id, pg_column_size(attributes) + coalesce(pg_column_size(events), 0) + coalesce(pg_column_size(links), 0) AS bytes
    FROM spans WHERE workspace_id = $1 AND trace_id = $2 ORDER BY start_ns, id`);

/** The spans of a trace by start time, then by id. */
export async function readPlaces(db: EntityManager, workspaceId: number, traceId: string): Promise<SpanPlace[]> {
  const rows = await PLACES.run(db, [workspaceId, traceId]);
  return rows.map((row) => ({ spanId: row.span_id, bytes: row.bytes }));
}

const PLACE = new Statement<{ span_id: string; bytes: number }>(`
  SELECT span_id, pg_column_size(attributes) + coalesce(pg_column_size(events), 0) + coalesce(pg_column_size(links), 0) AS bytes
    FROM spans WHERE workspace_id = $1 AND trace_id = $2 AND span_id = $3`);

/** Id and payload size of one span; none when the trace has no such span. */
export async function readPlace(
  db: EntityManager,
  { workspaceId, traceId }: { workspaceId: number; traceId: string },
  spanId: string,
): Promise<SpanPlace[]> {
  const rows = await PLACE.run(db, [workspaceId, traceId, spanId]);
  return rows.map((row) => ({ spanId: row.span_id, bytes: row.bytes }));
}

/** A span without its payload. */
export interface BareSpan {
  span_id: string;
  id: string;
  parent_id: string | null;
  name: string;
  kind: SpanKind;
  span_type: string;
  start_ns: string;
  end_ns: string | null;
  status: SpanStatus;
  request_log_id: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost: number | null;
}

/** A span with its payload. */
export interface FullSpan extends BareSpan {
  status_message: string | null;
  trace_state: string;
  provider: string | null;
  prompt_id: number | null;
  prompt_version_number: number | null;
  sanitized: boolean;
  /** JSON text. It is most of a span's size and is passed on unparsed. */
  attributes: string;
  events: StoredEvent[] | null;
  links: SpanLink[] | null;
  source_hash: Buffer;
}

export interface SpanWithSource {
  span: FullSpan;
  source: SpanSourceRecord;
}

const BARE_COLUMNS = `span_id, id, parent_id, name, kind, span_type, start_ns, end_ns, status, request_log_id, model, input_tokens,
         output_tokens, cost`;

/** Not a join with the ids: the planner underestimates traces and would compare all spans with all ids. */
const OF_TRACE = 'FROM spans WHERE workspace_id = $1 AND trace_id = $2 AND span_id = ANY($3::text[])';

const BARE = new Statement<BareSpan>(`SELECT ${BARE_COLUMNS} ${OF_TRACE}`);

const FULL = new Statement<FullSpan>(`
  SELECT ${BARE_COLUMNS}, status_message, trace_state, provider, prompt_id, prompt_version_number, sanitized,
         attributes::text AS attributes, events, links, source_hash
    ${OF_TRACE}`);

const BARE_PIECE = { spans: 2000, bytes: Infinity };
/** Stored payloads can be compressed to a tenth of their size. */
const FULL_PIECE = { spans: 200, bytes: 1024 * 1024 };

/** Spans that are read together. */
export interface SpanPiece {
  /** Bytes of its largest payload as it is stored. */
  largest: number;
  read(): Promise<SpanWithSource[]>;
}

/** Reads the spans with their payloads, in pieces that fit into memory. */
export async function* readSpans(
  db: EntityManager,
  trace: { workspaceId: number; traceId: string },
  places: SpanPlace[],
): AsyncGenerator<SpanWithSource[]> {
  for (const piece of spanPieces(db, trace, places)) yield await piece.read();
}

/** Like `readSpans`, but the caller decides when each piece is read. */
export function* spanPieces(
  db: EntityManager,
  { workspaceId, traceId }: { workspaceId: number; traceId: string },
  places: SpanPlace[],
): Generator<SpanPiece> {
  const sources = new Map<string, SpanSourceRecord>();
  for (const piece of piecesOf(places, FULL_PIECE)) {
    const spanIds = idsOf(piece);
    const read = async () => {
      const spans = inOrder(spanIds, await FULL.run(db, [workspaceId, traceId, textArray(spanIds)]));
      await readSources(db, workspaceId, { spans, sources });
      return spans.map((span) => ({ span, source: sources.get(span.source_hash.toString('hex'))! }));
    };
    yield { largest: Math.max(...piece.map(({ bytes }) => bytes)), read };
  }
}

const idsOf = (piece: SpanPlace[]): string[] => piece.map(({ spanId }) => spanId);

async function readSources(
  db: EntityManager,
  workspaceId: number,
  { spans, sources }: { spans: FullSpan[]; sources: Map<string, SpanSourceRecord> },
): Promise<void> {
  const missing = new Map(
    spans
      .map((span) => [span.source_hash.toString('hex'), span.source_hash] as const)
      .filter(([hex]) => !sources.has(hex)),
  );
  if (missing.size === 0) return;
  const records = await db.find(SpanSourceRecord, { where: { workspaceId, hash: In([...missing.values()]) } });
  for (const record of records) sources.set(record.hash.toString('hex'), record);
}

/** Reads the spans without their payloads, in pieces. */
export async function* readBareSpans(
  db: EntityManager,
  { workspaceId, traceId }: { workspaceId: number; traceId: string },
  places: SpanPlace[],
): AsyncGenerator<BareSpan[]> {
  for (const piece of piecesOf(places, BARE_PIECE)) {
    const spanIds = idsOf(piece);
    const rows = await BARE.run(db, [workspaceId, traceId, textArray(spanIds)]);
    yield inOrder(spanIds, rows);
  }
}

/** Skips spans that were deleted meanwhile. */
function inOrder<T extends BareSpan>(spanIds: string[], spans: T[]): T[] {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  return spanIds.flatMap((spanId) => byId.get(spanId) ?? []);
}
