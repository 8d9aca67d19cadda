import type { EntityManager } from 'typeorm';
import {
  keepTracked,
  type NewRequestLog,
  type NewScore,
  storeScores,
  upsertRequestLogs,
} from '../../requests/index.js';
import type { IncomingSpan } from './incoming-span.js';
import type { SpanRow, StoredSpan } from './spans.queries.js';

/** Writes the logs of the spans that were stored or replaced; gives the keys of the spans that have one now. */
export async function storeLogs(
  tx: EntityManager,
  rows: SpanRow[],
  stored: Map<string, StoredSpan>,
): Promise<Set<string>> {
  const logged = rows.flatMap((row) => {
    const log = logOf(row, stored.get(row.incoming.spanKey));
    return log ? [{ row, log }] : [];
  });
  const existing = logged.filter(({ row, log }) => log.id !== row.logId).map(({ log }) => log);
  await keepTracked(tx, existing);
  await upsertRequestLogs(
    tx,
    logged.map(({ log }) => log),
  );
  await storeScores(
    tx,
    logged.flatMap(({ row, log }) => scoreOf(row.incoming, log)),
  );
  return new Set(logged.map(({ row }) => row.incoming.spanKey));
}

/** The log is stored under the id that the span already had for it. A log that outranks this one stays as it is. */
function logOf(row: SpanRow, stored: StoredSpan | undefined): NewRequestLog | null {
  const { incoming, plan, promptLink } = row;
  if (!stored || !plan.writesLog || stored.logLink !== plan.logLink) return null;
  const { span, workspaceId, cost, call, given } = incoming;
  const { traceId, spanId, sanitized } = span;
  return {
    workspaceId,
    id: stored.requestLogId!,
    traceId,
    spanId,
    ...timesOf(span, given),
    price: cost,
    sanitized,
    call: call!,
    promptLink,
  };
}

/** Milliseconds. The latency of a span is exact where the difference of two large numbers would not be. */
function timesOf({ startNs, endNs }: IncomingSpan['span'], given: IncomingSpan['given']) {
  const end = endNs ?? startNs;
  const startMs = given?.startMs ?? Number(startNs) / 1e6;
  const endMs = given?.endMs ?? Number(end) / 1e6;
  const isOfSpan = (given?.startMs ?? given?.endMs ?? null) === null;
  return { startMs, endMs, latencyMs: isOfSpan ? Number(end - startNs) / 1e6 : endMs - startMs };
}

function scoreOf({ given }: IncomingSpan, { workspaceId, id }: NewRequestLog): NewScore[] {
  return given?.score ? [{ workspaceId, logId: id, name: given.score.name, score: given.score.value }] : [];
}
