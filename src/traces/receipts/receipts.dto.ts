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
  @TextField({ nullable: true, description: 'null when it came without a usable one.' })
  trace_id: string | null;

  @TextField({ nullable: true, description: 'null when it came without a usable one.' })
  span_id: string | null;

  @EnumField(RECEIPT_STATUSES, {
    description:
      'stored: it is new. merged: it was there and is now as it came last. duplicate: it was there already, or came ' +
      'again in the same moment; of a span that came several times in a request the first says what became of it. ' +
      'rejected: it was not stored, see `reason`.',
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
      `In the order of the request. Of more than ${MOST_ASIDES} defective or repeated spans in one request only the ` +
      'first are listed; `counts` has all.',
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
