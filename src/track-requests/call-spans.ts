import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { int8Array, textArray, timestamptzArray } from '../platform/database/binary-arrays.js';
import { workspaceOf } from '../platform/database/one-workspace.js';
import { sendTogether } from '../platform/database/send-together.js';
import { Statement } from '../platform/database/statement.js';
import { CallLog, type CallSpans, type CallToLog, type LogOfSpan } from '../requests/index.js';
import { ReportedLogs } from '../traces/index.js';

interface Claim {
  workspace_id: number;
  span_id: string;
  /** The log that was reported last for the span; null when there was none. */
  log_id: string | null;
}

/** Maximum number of unread traces that are searched. More wait only if spans arrive faster than workers read them. */
const MOST_WAITING = 1000;

/** Locks the traces of the spans that exist. Ingestion locks traces in this order too, and before it claims logs. */
const LOCK_TRACES = new Statement(`
  SELECT FROM traces t
   WHERE t.workspace_id = $1 AND t.trace_id = ANY (ARRAY(
     SELECT l.trace_id FROM unnest($2::text[]) AS n (span_id)
      CROSS JOIN LATERAL (
        SELECT l.trace_id FROM linkable_spans l
         WHERE l.workspace_id = $1 AND l.request_span_id = n.span_id OFFSET 0) AS l))
   ORDER BY t.trace_id COLLATE "C" FOR UPDATE`);

/** Locks the row of a span id, under which repeated deliveries of one call find each other. */
const CLAIM = new Statement<Claim>(`
  INSERT INTO log_claims (workspace_id, span_id) SELECT $1, * FROM unnest($2::text[])
  ON CONFLICT (workspace_id, span_id) DO UPDATE SET span_id = excluded.span_id
  RETURNING workspace_id, span_id, log_id`);

/** A separate statement, because that of the lock does not see the logs of the transactions it waited for. */
const SAME_TIMES = new Statement<{ at: string }>(`
  SELECT n.at FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[])
         WITH ORDINALITY AS n (id, started, ended, at)
   WHERE EXISTS (
     SELECT FROM request_logs l
      WHERE l.workspace_id = $1 AND l.id = n.id
        AND (l.request_start_time, l.request_end_time) IS NOT DISTINCT FROM (n.started, n.ended))`);

const NAME_LOGS = new Statement(`
  UPDATE log_claims c SET log_id = n.log_id
    FROM unnest($2::text[], $3::bigint[]) AS n (span_id, log_id)
   WHERE c.workspace_id = $1 AND c.span_id = n.span_id`);

/**
 * Records spans that exist without a mark of an SDK. They are in the search index, or their traces wait for it.
 */
const NOTE_UNMARKED = new Statement(`
  INSERT INTO linkable_spans (workspace_id, request_span_id, trace_id, span_id)
  SELECT DISTINCT $1::int, n.span_id, s.trace_id, n.span_id
    FROM unnest($2::text[]) AS n (span_id)
   CROSS JOIN LATERAL (
     SELECT f.trace_id FROM span_search f WHERE f.workspace_id = $1 AND f.span_id = n.span_id
      UNION ALL
     SELECT w.trace_id
       FROM (SELECT trace_id FROM trace_search_queue q WHERE q.workspace_id = $1
              ORDER BY q.due_at DESC LIMIT ${MOST_WAITING}) AS w
      CROSS JOIN LATERAL (
        SELECT FROM spans s
         WHERE s.workspace_id = $1 AND s.trace_id = w.trace_id AND s.span_id = n.span_id OFFSET 0) AS s
   ) AS s
  ON CONFLICT DO NOTHING`);

/** Finds spans that exist, or that another span names, in the order in which traces are locked. */
const ARRIVED = new Statement<{ at: string }>(`
  SELECT n.at FROM unnest($2::text[]) WITH ORDINALITY AS n (span_id, at)
   CROSS JOIN LATERAL (
     SELECT l.trace_id FROM linkable_spans l
       LEFT JOIN spans s ON s.workspace_id = $1 AND s.trace_id = l.trace_id AND s.span_id = l.span_id
      WHERE l.workspace_id = $1 AND l.request_span_id = n.span_id
      ORDER BY s.id DESC NULLS LAST LIMIT 1) AS newest
   ORDER BY newest.trace_id COLLATE "C", n.at`);

/** Recognises calls that clients send again after a lost response: the same span with the same times is the same call. */
@Injectable()
export class SpansOfCalls implements CallSpans, OnModuleInit {
  constructor(
    private readonly calls: CallLog,
    private readonly reported: ReportedLogs,
  ) {}

  onModuleInit(): void {
    this.calls.connectTo(this);
  }

  async findLogged(tx: EntityManager, calls: CallToLog[]): Promise<(number | null)[]> {
    const claims = await claimSpans(tx, calls);
    const found = calls.map((call) => claims.get(spanKey(call)) ?? null);
    const same = await withSameTimes(tx, calls, found);
    return found.map((id, at) => (same.has(at) ? id : null));
  }

  async link(tx: EntityManager, logs: LogOfSpan[]): Promise<LogOfSpan[]> {
    if (logs.length === 0) return [];
    const spans = [workspaceOf(logs), textArray(logs.map(({ spanId }) => spanId))];
    // The last call of a span in a batch counts.
    const latest = [...new Map(logs.map((log) => [`${log.workspaceId}\0${log.spanId}`, log])).values()];
    await NAME_LOGS.run(tx, [
      workspaceOf(latest),
      textArray(latest.map(({ spanId }) => spanId)),
      int8Array(latest.map(({ logId }) => logId)),
    ]);
    await NOTE_UNMARKED.run(tx, spans);
    // Most calls are reported before their span, which then finds the log.
    const arrived = (await ARRIVED.run(tx, spans)).map(({ at }) => logs[Number(at) - 1]);
    for (const log of arrived) await this.reported.link(tx, log);
    return arrived;
  }
}

const spanKey = ({ workspaceId, spanId }: CallToLog): string => `${workspaceId}\0${spanId}`;

/** Existing logs of the spans, by the key of the span. */
async function claimSpans(tx: EntityManager, calls: CallToLog[]): Promise<Map<string, number>> {
  const spans = new Map(calls.map((call) => [spanKey(call), call]));
  // Sorted, because batches that lock the same rows in different order would deadlock.
  const sorted = [...spans].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, call]) => call);
  const keys = [workspaceOf(sorted), textArray(sorted.map(({ spanId }) => spanId))];
  const [, rows] = await sendTogether(tx, [LOCK_TRACES.with(keys), CLAIM.with(keys)]);
  const claimed = rows.filter((row) => row.log_id !== null);
  return new Map(claimed.map((row) => [`${row.workspace_id}\0${row.span_id}`, Number(row.log_id)]));
}

/** Positions of the calls whose log has the same times. Usually no span has a log yet, and no statement runs. */
async function withSameTimes(tx: EntityManager, calls: CallToLog[], logIds: (number | null)[]): Promise<Set<number>> {
  const asked = calls.flatMap((call, at) => (logIds[at] === null ? [] : [{ call, id: logIds[at], at }]));
  if (asked.length === 0) return new Set();
  const rows = await SAME_TIMES.run(tx, [
    workspaceOf(asked.map(({ call }) => call)),
    int8Array(asked.map(({ id }) => id)),
    timestamptzArray(asked.map(({ call }) => call.startMs)),
    timestamptzArray(asked.map(({ call }) => Math.max(call.startMs, call.endMs))),
  ]);
  return new Set(rows.map((row) => asked[Number(row.at) - 1].at));
}
