import type { TraceKey } from './incoming-span.js';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { textArray } from '../../platform/database/binary-arrays.js';
import { Columns } from '../../platform/database/columns.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { JsonObject } from '../../platform/json.js';
import type { SpanEvent } from '../../trace-conventions/index.js';
import { type IncomingSpan, spanKeyOf, traceKeyOf } from './incoming-span.js';
import { lockOpenTraces } from './spans.queries.js';

/** An event of a span that came as a log record. */
export interface NewLogEvent extends TraceKey {
  spanId: string;
  event: SpanEvent;
}

const HASH_BYTES = 16;

const COLUMNS = new Columns<NewLogEvent>(
  {
    workspace_id: ['int4', ({ workspaceId }) => workspaceId],
    trace_id: ['text', ({ traceId }) => traceId],
    span_id: ['text', ({ spanId }) => spanId],
    hash: ['bytea', ({ event }) => hashOf(event)],
    time_ns: ['int8', ({ event }) => event.timeNs],
    name: ['text', ({ event }) => event.name],
    attributes: ['jsonb', ({ event }) => JSON.stringify(event.attributes)],
  },
  { ofOneWorkspace: true },
);

const INSERT = new Statement(`
  INSERT INTO span_log_events (${COLUMNS.names.join(', ')})
  SELECT * FROM (${COLUMNS.selection}) AS given ORDER BY workspace_id, trace_id COLLATE "C", span_id COLLATE "C", hash
  ON CONFLICT DO NOTHING`);

const FORGET_LOCKS = new Statement(`
  DELETE FROM traces t USING unnest($2::text[]) AS k (trace_id)
   WHERE t.workspace_id = $1 AND t.trace_id = k.trace_id AND t.span_count = 0 AND t.closed_at IS NULL`);

function hashOf({ name, timeNs, attributes }: SpanEvent): Buffer {
  const content = JSON.stringify([name, timeNs.toString(), attributes]);
  return createHash('sha256').update(content).digest().subarray(0, HASH_BYTES);
}

/**
 * Stores events of open traces; returns the ids of these traces. Takes the lock on a trace that ingestion takes: a span
 * is either written after its events and finds them, or is found by the transaction that stores them. A trace without
 * spans is created only for the lock.
 */
export async function storeLogEvents(tx: EntityManager, events: NewLogEvent[]): Promise<Set<string>> {
  const traces = [...new Map(events.map((event) => [event.traceId, event])).values()].sort((a, b) =>
    a.traceId < b.traceId ? -1 : 1,
  );
  const locked = await lockTraces(tx, traces);
  const open = new Set(locked);
  const accepted = events.filter(({ traceId }) => open.has(traceId));
  if (accepted.length > 0) await INSERT.run(tx, COLUMNS.values(accepted));
  await FORGET_LOCKS.run(tx, keysOf(traces));
  return open;
}

async function lockTraces(tx: EntityManager, traces: TraceKey[]): Promise<string[]> {
  const [rows] = await sendTogether(tx, [lockOpenTraces(traces)]);
  return rows.map((row) => row.trace_id);
}

const keysOf = (traces: TraceKey[]): unknown[] => [
  workspaceOf(traces),
  textArray(traces.map(({ traceId }) => traceId)),
];

interface EventRow {
  workspace_id: number;
  trace_id: string;
  span_id: string;
  time_ns: string;
  name: string;
  attributes: JsonObject;
}

const FIND = new Statement<EventRow>(`
  SELECT e.workspace_id, e.trace_id, e.span_id, e.time_ns, e.name, e.attributes
    FROM unnest($2::text[], $3::text[]) AS k (trace_id, span_id)
   CROSS JOIN LATERAL (
     SELECT * FROM span_log_events e
      WHERE e.workspace_id = $1 AND e.trace_id = k.trace_id AND e.span_id = k.span_id OFFSET 0) AS e
   ORDER BY e.time_ns, e.hash`);

export const findLogEvents = (spans: IncomingSpan[]): Step<EventRow> =>
  FIND.with([
    workspaceOf(spans),
    textArray(spans.map(({ span }) => span.traceId)),
    textArray(spans.map(({ span }) => span.spanId)),
  ]);

/** By the key of their span. */
export function toLogEvents(rows: EventRow[]): Map<string, SpanEvent[]> {
  const events = new Map<string, SpanEvent[]>();
  for (const { workspace_id, trace_id, span_id, time_ns, name, attributes } of rows) {
    const key = spanKeyOf(traceKeyOf(workspace_id, trace_id), span_id);
    const list = events.get(key) ?? [];
    list.push({ name, timeNs: BigInt(time_ns), attributes });
    events.set(key, list);
  }
  return events;
}
