import type { EntityManager } from 'typeorm';
import { findChangedLogs } from '../../requests/index.js';
import type { SpanRow } from './spans.queries.js';
import { scoreOf, toRequestLog } from './store-logs.js';

/**
 * The keys of spans that were sent again with a call beside them that differs from the stored one. Calls that are read
 * from spans need no check. Most batches bring no calls beside spans, and then no query runs.
 */
export async function changedCalls(tx: EntityManager, rows: SpanRow[]): Promise<Set<string>> {
  const given = rows.filter(({ incoming, plan }) => incoming.given !== null && plan.writesLog && plan.logId !== null);
  if (given.length === 0) return new Set();
  const changed = await findChangedLogs(
    tx,
    given.map(({ incoming, plan, promptLink }) => ({
      log: toRequestLog(incoming, plan.logId!, promptLink),
      scores: scoreOf(incoming),
    })),
  );
  return new Set(given.filter(({ plan }) => changed.has(plan.logId!)).map(({ incoming }) => incoming.spanKey));
}
