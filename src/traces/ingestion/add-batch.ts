import type { DataSource } from 'typeorm';
import { uniqueViolation } from '../../platform/database/failures.js';
import { transactionOf } from '../../platform/database/joined-transaction.js';
import { storeReceipts } from '../receipts/receipts.queries.js';
import { queueTraces } from '../search/trace-queue.queries.js';
import { type Batch, byKey, distinctTraces, type Outcomes, outcomesOf, tracesToClose } from './batch.js';
import { refusesClosed } from './rollups.queries.js';
import type { SpanRows } from './span-rows.js';
import { addSpans, closeTraces, SPANS_KEY, toStored } from './spans.queries.js';
import { prepareLogs } from './store-logs.js';

/**
 * Writes a batch of which every span is expected to be new and every trace to be open, as nearly always: then all
 * statements are known before the first is answered, and go to the server together. Where the expectation is wrong the
 * server refuses the transaction: null, and nothing is stored.
 */
export async function addBatch(db: DataSource, batch: Batch, spanRows: SpanRows): Promise<Outcomes | null> {
  const { rows } = await spanRows.of(db.manager, batch.spans);
  const stored = byKey(rows.map(toStored));
  const logs = await prepareLogs(db.manager, rows, stored);
  const outcomes = outcomesOf(batch, { isOpen: () => true, stored, logged: logs.spanKeys });
  try {
    await transactionOf(db, [
      ...addSpans(rows),
      ...logs.steps,
      ...queueTraces(distinctTraces(batch.spans)),
      ...closeTraces(tracesToClose(batch.spans)),
      storeReceipts(batch.deliveries, outcomes),
    ]);
  } catch (error) {
    if (uniqueViolation(error) === SPANS_KEY || refusesClosed(error)) return null;
    throw error;
  }
  return outcomes;
}
