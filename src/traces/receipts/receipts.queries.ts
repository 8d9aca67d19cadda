import { textArray, uuidArray } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { Delivery, DeliveryHead, SpanOutcome } from '../ingestion/incoming-span.js';
import { ReceiptRuns, type ReceiptStatus } from './receipt.js';

/** A delivery that was written in parts still has one receipt. */
const STORE = new Statement(`
  INSERT INTO ingest_receipts AS r (workspace_id, id, outcomes)
  SELECT $1, * FROM unnest($2::uuid[], $3::text[])
  ON CONFLICT (workspace_id, id) DO UPDATE SET outcomes = r.outcomes || excluded.outcomes`);

const STATUSES: Record<SpanOutcome['kind'], ReceiptStatus> = {
  stored: 'stored',
  merged: 'merged',
  unchanged: 'duplicate',
  superseded: 'duplicate',
  closed: 'rejected',
  refused: 'rejected',
};

type Told = Pick<SpanOutcome, 'kind'> & { reason?: string };

/** Outcomes of the spans of a request, added in their order. */
export class Receipt {
  private readonly runs = new ReceiptRuns();

  constructor(readonly head: Pick<DeliveryHead, 'workspaceId' | 'receiptId' | 'asides'>) {}

  static of(delivery: Delivery, outcomes: SpanOutcome[]): Receipt {
    const receipt = new Receipt(delivery);
    for (const [index, { span }] of delivery.spans.entries()) receipt.add(span, outcomes[index]!);
    return receipt;
  }

  add({ traceId, spanId }: { traceId: string; spanId: string }, { kind, reason }: Told): void {
    const why = kind === 'closed' ? 'trace_closed' : reason;
    this.runs.add(spanId, { traceId, status: STATUSES[kind], reason: why ?? null });
  }

  get text(): string {
    const { asides } = this.head;
    return (asides.length > 0 ? this.runs.woven(asides) : this.runs).text;
  }
}

/** Stores the outcome of every span, in the transaction that decides it. */
export function storeReceipts(receipts: Receipt[]): Step {
  return STORE.with([
    workspaceOf(receipts.map(({ head }) => head)),
    uuidArray(receipts.map(({ head }) => head.receiptId)),
    textArray(receipts.map(({ text }) => text)),
  ]);
}
