import { int4Array, jsonbArray, uuidArray } from '../../platform/database/binary-arrays.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { Delivery, SpanOutcome } from '../ingestion/incoming-span.js';
import type { ReceiptEntry, ReceiptStatus } from './receipt.js';

/** A delivery that had to be written in parts has one receipt all the same. */
const STORE = new Statement(`
  INSERT INTO ingest_receipts AS r (workspace_id, id, outcomes)
  SELECT * FROM unnest($1::int[], $2::uuid[], $3::jsonb[])
  ON CONFLICT (workspace_id, id) DO UPDATE SET outcomes = r.outcomes || excluded.outcomes`);

/** Keeps what became of every span, in the transaction that decides it. */
export function storeReceipts(deliveries: Delivery[], outcomes: SpanOutcome[][]): Step {
  return STORE.with([
    int4Array(deliveries.map((delivery) => delivery.workspaceId)),
    uuidArray(deliveries.map((delivery) => delivery.receiptId)),
    jsonbArray(deliveries.map((delivery, index) => JSON.stringify(entriesOf(delivery, outcomes[index])))),
  ]);
}

function entriesOf({ spans, refused }: Delivery, outcomes: SpanOutcome[]): ReceiptEntry[] {
  const entries = spans.map(({ span: { traceId, spanId } }, index) => entryOf(traceId, spanId, outcomes[index]));
  for (const { reason, count } of refused) {
    for (let index = 0; index < count; index++) entries.push([null, null, 'rejected', reason]);
  }
  return entries;
}

const STATUSES: Record<SpanOutcome['kind'], ReceiptStatus> = {
  stored: 'stored',
  merged: 'merged',
  unchanged: 'duplicate',
  superseded: 'duplicate',
  closed: 'rejected',
  refused: 'rejected',
};

function entryOf(traceId: string, spanId: string, outcome: SpanOutcome): ReceiptEntry {
  const status = STATUSES[outcome.kind];
  if (outcome.kind === 'closed') return [traceId, spanId, status, 'trace_closed'];
  return outcome.kind === 'refused' ? [traceId, spanId, status, outcome.reason] : [traceId, spanId, status];
}
