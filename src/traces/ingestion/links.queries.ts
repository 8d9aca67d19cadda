import type { ClaimedLog } from './log-plan.js';
import type { EntityManager } from 'typeorm';
import { int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import { queueTraces } from '../search/trace-queue.queries.js';
import { type IncomingSpan, LOG_LINKS } from './incoming-span.js';
import { recomputeRollups } from './rollups.queries.js';

interface ClaimRow {
  workspace_id: number;
  span_id: string;
  log_id: string | null;
}

interface LogRow {
  workspace_id: number;
  id: string;
  provider: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  price: number | null;
}

/**
 * The row of `log_claims` is the lock under which a log and its spans find each other, whichever comes first: both
 * sides take it before they look for the other.
 */
const LOCK_CLAIMS = new Statement<ClaimRow>(`
  INSERT INTO log_claims (workspace_id, span_id) SELECT $1, * FROM unnest($2::text[])
  ON CONFLICT (workspace_id, span_id) DO UPDATE SET span_id = excluded.span_id
  RETURNING workspace_id, span_id, log_id`);

/** Null when the log names no provider or model. */
const told = (column: 'provider' | 'model'): string => `nullif(l.${column}, 'unknown')`;

/** Not part of the locking statement: a statement that waited for a lock does not see what was committed meanwhile. */
const READ_LOGS = new Statement<LogRow>(`
  SELECT l.workspace_id, l.id, ${told('provider')} AS provider, ${told('model')} AS model,
         l.input_tokens, l.output_tokens, l.price
    FROM unnest($2::bigint[]) AS n (id)
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = n.id`);

const REMEMBER_SPANS = new Statement(`
  INSERT INTO linkable_spans (workspace_id, request_span_id, trace_id, span_id)
  SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`);

const PLACE_LOGS = new Statement(`
  UPDATE request_logs l SET trace_id = n.trace_id
    FROM unnest($2::bigint[], $3::text[]) AS n (id, trace_id)
   WHERE l.workspace_id = $1 AND l.id = n.id AND l.trace_id IS NULL`);

/**
 * Spans for which a log was reported. They are looked up one by one: with a join, the planner may read the whole table.
 */
export const REPORTED = `unnest($2::text[]) AS n (span_id)
 CROSS JOIN LATERAL (
   SELECT FROM log_claims c
    WHERE c.workspace_id = $1 AND c.span_id = n.span_id AND c.log_id IS NOT NULL OFFSET 0) AS c`;

const FIND_REPORTED = new Statement<Omit<ClaimRow, 'log_id'>>(
  `SELECT $1::int AS workspace_id, n.span_id FROM ${REPORTED}`,
);

/** The spans without a mark of an SDK for which a log was reported nevertheless. */
async function findReported(tx: EntityManager, spans: IncomingSpan[]): Promise<Set<string>> {
  if (spans.length === 0) return new Set();
  const rows = await FIND_REPORTED.run(tx, [workspaceOf(spans), textArray(spans.map(({ span }) => span.spanId))]);
  return new Set(rows.map((row) => claimKey(row.workspace_id, row.span_id)));
}

/**
 * The logs that were reported for spans of a batch. Spans with a mark of an SDK are also noted for logs that come
 * later; other spans are looked up by their log. The spans must be sorted.
 */
export async function claimLogs(tx: EntityManager, spans: IncomingSpan[]): Promise<Map<IncomingSpan, ClaimedLog>> {
  const reported = await findReported(
    tx,
    spans.filter((span) => span.requestSpanId === null),
  );
  const linkable = spans.filter(
    ({ requestSpanId, workspaceId, span }) =>
      requestSpanId !== null || reported.has(claimKey(workspaceId, span.spanId)),
  );
  if (linkable.length === 0) return new Map();
  const claims = await lockClaims(tx, linkable);
  await REMEMBER_SPANS.run(tx, [
    workspaceOf(linkable),
    textArray(linkable.map(requestSpanIdOf)),
    textArray(linkable.map(({ span }) => span.traceId)),
    textArray(linkable.map(({ span }) => span.spanId)),
  ]);
  const claimed = linkable.flatMap((span) => {
    const claim = claims.get(claimKey(span.workspaceId, requestSpanIdOf(span)));
    return claim ? [[span, claim] as const] : [];
  });
  await placeLogs(tx, claimed);
  return new Map(claimed);
}

async function lockClaims(tx: EntityManager, spans: IncomingSpan[]): Promise<Map<string, ClaimedLog>> {
  const distinct = new Map(
    spans.map((span) => [claimKey(span.workspaceId, requestSpanIdOf(span)), requestSpanIdOf(span)]),
  );
  // In one order everywhere, or two batches would deadlock.
  const keys = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
  const rows = await LOCK_CLAIMS.run(tx, [workspaceOf(spans), textArray(keys)]);
  return readClaimed(
    tx,
    rows.filter((row) => row.log_id !== null),
  );
}

/** A log that was deleted since claims nothing. */
async function readClaimed(tx: EntityManager, claims: ClaimRow[]): Promise<Map<string, ClaimedLog>> {
  if (claims.length === 0) return new Map();
  const logs = await READ_LOGS.run(tx, [
    workspaceOf(claims.map((claim) => ({ workspaceId: claim.workspace_id }))),
    int8Array(claims.map((claim) => Number(claim.log_id))),
  ]);
  const byId = new Map(logs.map((log) => [`${log.workspace_id}:${log.id}`, log]));
  return new Map(
    claims.flatMap((claim) => {
      const log = byId.get(`${claim.workspace_id}:${claim.log_id}`);
      return log ? [[claimKey(claim.workspace_id, claim.span_id), toClaimedLog(log)] as const] : [];
    }),
  );
}

function toClaimedLog({ id, provider, model, input_tokens, output_tokens, price }: LogRow): ClaimedLog {
  return { logId: Number(id), provider, model, inputTokens: input_tokens, outputTokens: output_tokens, cost: price };
}

async function placeLogs(tx: EntityManager, claimed: (readonly [IncomingSpan, ClaimedLog])[]): Promise<void> {
  if (claimed.length === 0) return;
  await PLACE_LOGS.run(tx, [
    workspaceOf(claimed.map(([span]) => span)),
    int8Array(claimed.map(([, { logId }]) => logId)),
    textArray(claimed.map(([{ span }]) => span.traceId)),
  ]);
}

const requestSpanIdOf = ({ requestSpanId, span }: IncomingSpan): string => requestSpanId ?? span.spanId;

const claimKey = (workspaceId: number, spanId: string): string => `${workspaceId}\0${spanId}`;

const SHOW = new Statement(`
  UPDATE spans s SET
         provider = coalesce(${told('provider')}, s.provider), model = coalesce(${told('model')}, s.model),
         input_tokens = l.input_tokens, output_tokens = l.output_tokens, cost = l.price
    FROM unnest($2::bigint[]) AS k (id)
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = k.id
   WHERE s.workspace_id = l.workspace_id AND s.trace_id = l.trace_id AND s.span_id = l.span_id
     AND s.request_log_id = l.id AND s.log_link = ${LOG_LINKS.GIVEN}`);

/** Makes the spans for which these logs were reported show the models and numbers of the logs. */
export const showLogs = (logs: { workspaceId: number; id: number }[]): Step[] =>
  logs.length === 0 ? [] : [SHOW.with([workspaceOf(logs), int8Array(logs.map(({ id }) => id))])];

/** A log that was reported for a span, by the id of the span. */
export interface ReportedLog {
  workspaceId: number;
  spanId: string;
  logId: number;
}

/** The rank of a log that is reported for the span `$3`, for the span itself and for those that it manages. */
const REPORTED_LINK = `CASE WHEN s.span_id = $3 THEN ${LOG_LINKS.GIVEN} ELSE ${LOG_LINKS.MANAGED} END`;

/**
 * Links a stored request log to the span it was reported for and to the spans that this span manages, if they exist;
 * later spans find the log. If the span id occurs in several traces, the newest is used. A span that has a log keeps
 * it, unless that log has a lower rank.
 * @param complete called before, with the trace of the spans if they exist
 */
export async function linkLogToSpan(
  tx: EntityManager,
  { workspaceId, spanId, logId }: ReportedLog,
  complete: (traceId: string) => Promise<void>,
): Promise<void> {
  await tx.query(
    `INSERT INTO log_claims (workspace_id, span_id, log_id) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, span_id) DO UPDATE SET log_id = excluded.log_id`,
    [workspaceId, spanId, logId],
  );
  const [place] = await tx.query<{ trace_id: string }[]>(
    `SELECT l.trace_id FROM linkable_spans l
       JOIN spans s ON s.workspace_id = l.workspace_id AND s.trace_id = l.trace_id AND s.span_id = l.span_id
      WHERE l.workspace_id = $1 AND l.request_span_id = $2 ORDER BY s.id DESC LIMIT 1`,
    [workspaceId, spanId],
  );
  if (!place) return;
  const trace = { workspaceId, traceId: place.trace_id };
  await tx.query('SELECT FROM traces WHERE workspace_id = $1 AND trace_id = $2 FOR UPDATE', [
    workspaceId,
    trace.traceId,
  ]);
  await tx.query('UPDATE request_logs SET trace_id = $3 WHERE workspace_id = $1 AND id = $2 AND trace_id IS NULL', [
    workspaceId,
    logId,
    trace.traceId,
  ]);
  await complete(trace.traceId);
  await tx.query(
    `UPDATE spans s SET request_log_id = $4, log_link = ${REPORTED_LINK}
       FROM linkable_spans x
      WHERE x.workspace_id = $1 AND x.request_span_id = $3 AND x.trace_id = $2
        AND s.workspace_id = $1 AND s.trace_id = $2 AND s.span_id = x.span_id
        AND (s.request_log_id IS NULL OR s.log_link < ${REPORTED_LINK})`,
    [workspaceId, trace.traceId, spanId, logId],
  );
  const shown = showLogs([{ workspaceId, id: logId }]);
  await sendTogether(tx, [...shown, ...recomputeRollups([trace]), ...queueTraces([trace])]);
}

const FIND_SPANS = new Statement<{ trace_id: string; span_id: string }>(`
  SELECT trace_id, span_id FROM linkable_spans WHERE workspace_id = $1 AND request_span_id = $2 AND trace_id = $3`);

/** The spans of a trace that belong to a log which is reported for a span. */
export async function findSpansOfLog(
  tx: EntityManager,
  { workspaceId, spanId }: ReportedLog,
  traceId: string,
): Promise<{ traceId: string; spanId: string }[]> {
  const rows = await FIND_SPANS.run(tx, [workspaceId, spanId, traceId]);
  return rows.map((row) => ({ traceId: row.trace_id, spanId: row.span_id }));
}
