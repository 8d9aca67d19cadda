import { int4Array, jsonbArray, uuidArray } from '../../platform/database/binary-arrays.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { Delivery, SpanOutcome } from '../ingestion/incoming-span.js';
import type { ReceiptEntry, ReceiptStatus } from './receipt.js';

/** A delivery that had to be written in parts has one receipt all the same. */
const STORE = new Statement(`
  INSERT INTO ingest_receipts AS r (workspace_id, id, outcomes)
  SELECT * FROM unnest($1::int[], $2::uuid[], $3::jsonb[])
  ON CONFLICT (workspace_id, id) DO UPDATE SET outcomes = r.outcomes || excluded.outcomes`);

/** What became of the spans of a request. Those that were refused while it was decoded come last. */
export interface Receipt extends Pick<Delivery, 'workspaceId' | 'receiptId' | 'refused'> {
  /** Each a `ReceiptEntry` as JSON, in the order of the spans. */
  entries: string[];
}

/** Keeps what became of every span, in the transaction that decides it. */
export function storeReceipts(receipts: Receipt[]): Step {
  return STORE.with([
    int4Array(receipts.map((receipt) => receipt.workspaceId)),
    uuidArray(receipts.map((receipt) => receipt.receiptId)),
    jsonbArray(
      receipts.map(({ entries, refused }) => `[${[...entries, ...refused.flatMap(refusedEntries)].join(',')}]`),
    ),
  ]);
}

export function receiptOf(delivery: Delivery, outcomes: SpanOutcome[]): Receipt {
  return { ...delivery, entries: delivery.spans.map(({ span }, index) => receiptEntry(span, outcomes[index])) };
}

function refusedEntries({ reason, count }: Delivery['refused'][number]): string[] {
  return Array.from<string>({ length: count }).fill(toJson([null, null, 'rejected', reason]));
}

const STATUSES: Record<SpanOutcome['kind'], ReceiptStatus> = {
  stored: 'stored',
  merged: 'merged',
  unchanged: 'duplicate',
  superseded: 'duplicate',
  closed: 'rejected',
  refused: 'rejected',
};

type Told = Pick<SpanOutcome, 'kind'> & { reason?: string };

/** The entry of a span. */
export function receiptEntry({ traceId, spanId }: { traceId: string; spanId: string }, { kind, reason }: Told): string {
  const status = STATUSES[kind];
  if (kind === 'closed') return toJson([traceId, spanId, status, 'trace_closed']);
  return toJson(reason === undefined ? [traceId, spanId, status] : [traceId, spanId, status, reason]);
}

const toJson = (entry: ReceiptEntry): string => JSON.stringify(entry);
