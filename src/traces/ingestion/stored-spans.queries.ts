import type { EntityManager } from 'typeorm';
import { textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import {
  DecodedAttributes,
  type NormalizedSpan,
  type SpanKind,
  type SpanLink,
  type SpanSource,
  type SpanStatus,
} from '../../trace-conventions/index.js';
import type { StoredEvent } from './spans.queries.js';
import { readJson } from '../../platform/read-json.js';

/** A stored span in the form in which it came. */
export interface StoredSpanContent {
  span: NormalizedSpan;
  /** JSON as it is stored. */
  attributes: string;
}

interface Row {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  trace_state: string;
  name: string;
  kind: SpanKind;
  start_ns: string;
  end_ns: string | null;
  status: SpanStatus;
  status_message: string | null;
  sanitized: boolean;
  attributes: string;
  events: StoredEvent[] | null;
  links: SpanLink[] | null;
  resource: SpanSource['resource'] | null;
  scope: SpanSource['scope'] | null;
}

const READ = new Statement<Row>(`
  SELECT s.trace_id, s.span_id, s.parent_id, s.trace_state, s.name, s.kind, s.start_ns, s.end_ns, s.status, s.status_message,
         s.sanitized, s.attributes::text AS attributes, s.events, s.links, r.resource, r.scope
    FROM unnest($2::text[], $3::text[]) AS k (trace_id, span_id)
   CROSS JOIN LATERAL (
     SELECT * FROM spans s WHERE s.workspace_id = $1 AND s.trace_id = k.trace_id AND s.span_id = k.span_id OFFSET 0) AS s
    LEFT JOIN span_sources r ON r.workspace_id = $1 AND r.hash = s.source_hash`);

/** The spans with these keys that are stored. */
export async function readStoredSpans(
  db: EntityManager,
  workspaceId: number,
  keys: { traceId: string; spanId: string }[],
): Promise<StoredSpanContent[]> {
  const distinct = [...new Map(keys.map((key) => [`${key.traceId}\0${key.spanId}`, key])).values()];
  const rows = await READ.run(db, [
    workspaceId,
    textArray(distinct.map(({ traceId }) => traceId)),
    textArray(distinct.map(({ spanId }) => spanId)),
  ]);
  return rows.map((row) => ({ span: toSpan(row), attributes: row.attributes }));
}

function toSpan(row: Row): NormalizedSpan {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    parentId: row.parent_id,
    traceState: row.trace_state,
    name: row.name,
    kind: row.kind,
    startNs: BigInt(row.start_ns),
    endNs: row.end_ns === null ? null : BigInt(row.end_ns),
    statusCode: row.status,
    statusMessage: row.status_message,
    attributes: new DecodedAttributes(readJson(row.attributes) as JsonObject),
    events: (row.events ?? []).map(({ name, time_ns, attributes }) => ({ name, timeNs: BigInt(time_ns), attributes })),
    links: row.links ?? [],
    source: {
      resource: row.resource ?? { attributes: {}, schemaUrl: '' },
      scope: row.scope ?? { name: '', version: '', attributes: {} },
    },
    sanitized: row.sanitized,
  };
}
