import type { EntityManager } from 'typeorm';
import { float8Array, int8Array, textArray } from '../../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../../platform/database/statement.js';
import { type IncomingSpan, LOG_LINKS, type LogLink, type TraceKey } from '../incoming-span.js';

/** Position of a call in its trace. */
export interface CallPlace extends TraceKey {
  spanId: string;
  parentId: string | null;
  startNs: bigint;
  endNs: bigint;
  /** See `Span.responseId`. */
  responseId: string | null;
}

export function placeOf({ workspaceId, span, responseId }: IncomingSpan): CallPlace {
  const { traceId, spanId, parentId, startNs, endNs } = span;
  return { workspaceId, traceId, spanId, parentId, startNs, endNs: endNs ?? startNs, responseId };
}

/** A stored span that is a call. */
export interface StoredCall extends CallPlace {
  /** Its log, or that of the span which it repeats. */
  logId: number;
  ownsLog: boolean;
  logLink: LogLink;
}

interface CallRow {
  workspace_id: number;
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  start_ns: string;
  end_ns: string | null;
  response_id: string | null;
  request_log_id: string | null;
  repeats_log_id: string | null;
  log_link: LogLink;
}

const OF_TRACE = 's.workspace_id = $1 AND s.trace_id = k.trace_id';
/** Same condition as in the index on the parents of calls. */
const IS_CALL = '(s.request_log_id IS NOT NULL OR s.repeats_log_id IS NOT NULL)';
const INSIDE = `SELECT s.* FROM spans s WHERE ${OF_TRACE} AND s.parent_id = k.span_id AND ${IS_CALL}`;

/** Calls of the same time whose answer has the same id. */
const OF_RESPONSE = `SELECT s.* FROM spans s WHERE ${OF_TRACE} AND s.response_id = k.response_id AND s.span_id <> k.span_id
     AND s.start_ns <= k.end_ns AND COALESCE(s.end_ns, s.start_ns) >= k.start_ns AND ${IS_CALL}`;

/**
 * Calls that may be the same as others: directly around them, directly inside them, and those whose answer has the same
 * id. They are looked up one by one: with a join, the planner may read the whole table.
 */
export const RELATED = `
 unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
   AS k (trace_id, span_id, parent_id, response_id, start_ns, end_ns)
 CROSS JOIN LATERAL (
   SELECT s.* FROM spans s WHERE ${OF_TRACE} AND s.span_id = k.parent_id AND ${IS_CALL}
   UNION ALL ${INSIDE} UNION ALL ${OF_RESPONSE} OFFSET 0) AS s`;

const COLUMNS = `s.workspace_id, s.trace_id, s.span_id, s.parent_id, s.start_ns, s.end_ns, s.response_id,
  s.request_log_id, s.repeats_log_id, s.log_link`;

const FIND_RELATED = new Statement<CallRow>(`SELECT DISTINCT ${COLUMNS} FROM ${RELATED}`);
const FIND_INSIDE = new Statement<CallRow>(`
  SELECT ${COLUMNS} FROM unnest($2::text[], $3::text[]) AS k (trace_id, span_id)
   CROSS JOIN LATERAL (${INSIDE} OFFSET 0) AS s`);

export const relatedTo = (calls: CallPlace[]): unknown[] => [
  ...keysOf(calls),
  textArray(calls.map(({ parentId }) => parentId)),
  textArray(calls.map(({ responseId }) => responseId)),
  int8Array(calls.map(({ startNs }) => startNs)),
  int8Array(calls.map(({ endNs }) => endNs)),
];

const keysOf = (calls: CallPlace[]): unknown[] => [
  workspaceOf(calls),
  textArray(calls.map(({ traceId }) => traceId)),
  textArray(calls.map(({ spanId }) => spanId)),
];

/** The calls that may be the same as these. */
export async function findRelated(tx: EntityManager, calls: CallPlace[]): Promise<StoredCall[]> {
  return (await FIND_RELATED.run(tx, relatedTo(calls))).map(toStoredCall);
}

/** The calls right inside these. */
export async function findInside(tx: EntityManager, calls: CallPlace[]): Promise<StoredCall[]> {
  if (calls.length === 0) return [];
  return (await FIND_INSIDE.run(tx, keysOf(calls))).map(toStoredCall);
}

function toStoredCall(row: CallRow): StoredCall {
  return {
    workspaceId: row.workspace_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    parentId: row.parent_id,
    startNs: BigInt(row.start_ns),
    endNs: BigInt(row.end_ns ?? row.start_ns),
    responseId: row.response_id,
    logId: Number(row.request_log_id ?? row.repeats_log_id),
    ownsLog: row.request_log_id !== null,
    logLink: row.log_link,
  };
}

/** A change to spans that have a log: it becomes the log of another span, or gets another id. */
export interface LogMove extends TraceKey {
  fromLogId: number;
  toLogId: number;
  /** The span that has the log afterwards. */
  ownerId: string;
  /** Its cost in US dollars. */
  cost: number | null;
}

const IS_OWNER = 's.span_id = k.owner';
const MOVED = `CASE WHEN ${IS_OWNER} THEN k.to_id END, CASE WHEN ${IS_OWNER} THEN NULL ELSE k.to_id END,
         CASE WHEN ${IS_OWNER} THEN k.cost END`;

/** A managed span has no call of its own: it keeps its log. */
const MOVE = new Statement(`
  UPDATE spans s SET (request_log_id, repeats_log_id, cost) = (${MOVED})
    FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::float8[])
         AS k (trace_id, from_id, to_id, owner, cost)
   WHERE ${OF_TRACE} AND (s.request_log_id = k.from_id OR s.repeats_log_id = k.from_id)
     AND s.log_link <> ${LOG_LINKS.MANAGED}
     AND (s.request_log_id, s.repeats_log_id, s.cost) IS DISTINCT FROM (${MOVED})`);

export const moveLogs = (moves: LogMove[]): Step[] =>
  moves.length === 0
    ? []
    : [
        MOVE.with([
          workspaceOf(moves),
          textArray(moves.map(({ traceId }) => traceId)),
          int8Array(moves.map(({ fromLogId }) => fromLogId)),
          int8Array(moves.map(({ toLogId }) => toLogId)),
          textArray(moves.map(({ ownerId }) => ownerId)),
          float8Array(moves.map(({ cost }) => cost)),
        ]),
      ];
