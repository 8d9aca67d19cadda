import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, EnumField, IntegerField, TextField, UuidField } from '../../platform/http/fields.js';
import { MOST_ASIDES } from './asides.js';
import type { IngestReceipt } from './ingest-receipt.entity.js';
import { readRuns, RECEIPT_STATUSES, type ReceiptRun, type ReceiptStatus } from './receipt.js';

export class ReceiptPath {
  @UuidField({ query: true })
  receipt_id: string;
}

class ReceiptCounts implements Record<ReceiptStatus, number> {
  @IntegerField()
  stored: number;

  @IntegerField()
  merged: number;

  @IntegerField()
  duplicate: number;

  @IntegerField()
  rejected: number;
}

class ReceiptSpan {
  @TextField({ nullable: true, description: 'null when the span came without a usable id.' })
  trace_id: string | null;

  @TextField({ nullable: true, description: 'null when the span came without a usable id.' })
  span_id: string | null;

  @EnumField(RECEIPT_STATUSES, {
    description:
      'stored: the span is new. merged: the span existed and is now as it came last. duplicate: the same span existed ' +
      'already, or came more than once in the request; the first of them says what became of it. ' +
      'rejected: the span was not stored; `reason` says why.',
  })
  status: ReceiptStatus;

  @TextField({ nullable: true, example: 'trace_closed' })
  reason: string | null;
}

export class ReceiptResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  receipt_id: string;

  @DateTimeField()
  received_at: string;

  @ApiProperty({ type: () => ReceiptCounts })
  counts: ReceiptCounts;

  @ApiProperty({
    type: () => [ReceiptSpan],
    description:
      `In the order of the request. When more than ${MOST_ASIDES} spans of a request are defective or repeated, only the ` +
      'first of them are listed; `counts` includes all.',
  })
  spans: ReceiptSpan[];
}

export function toReceiptResponse({ id, receivedAt, outcomes }: IngestReceipt): ReceiptResponse {
  const runs = readRuns(outcomes);
  const counts = { stored: 0, merged: 0, duplicate: 0, rejected: 0 };
  for (const { status, spanIds, untold = 0 } of runs) counts[status] += spanIds.length + untold;
  return {
    success: true,
    receipt_id: id,
    received_at: receivedAt.toISOString(),
    counts,
    spans: runs.flatMap(toReceiptSpans),
  };
}

const toReceiptSpans = ({ traceId, spanIds, status, reason }: ReceiptRun): ReceiptSpan[] =>
  spanIds.map((spanId) => ({ trace_id: traceId, span_id: spanId, status, reason }));
