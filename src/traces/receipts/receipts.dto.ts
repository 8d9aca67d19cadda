import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { DateTimeField, EnumField, IntegerField, TextField, UuidField } from '../../platform/http/fields.js';
import { MOST_ASIDES } from './asides.js';
import type { IngestReceipt } from './ingest-receipt.entity.js';
import { readRuns, RECEIPT_STATUSES, type ReceiptRun, type ReceiptStatus } from './receipt.js';

export class ReceiptPath {
  @UuidField({
    query: true,
    description: 'The id of the receipt, which was in the header `X-Ingest-Receipt` of the answer.',
  })
  receipt_id: string;
}

class ReceiptCounts implements Record<ReceiptStatus, number> {
  @IntegerField({ description: 'Spans that were new.' })
  stored: number;

  @IntegerField({ description: 'Spans that existed and were replaced.' })
  merged: number;

  @IntegerField({ description: 'Spans that existed in the same form, or came twice in the request.' })
  duplicate: number;

  @IntegerField({ description: 'Spans that were not stored.' })
  rejected: number;
}

class ReceiptSpan {
  @TextField({ nullable: true, description: 'The trace of the span; null if it was sent without a usable id.' })
  trace_id: string | null;

  @TextField({ nullable: true, description: 'The id of the span; null if it was sent without a usable one.' })
  span_id: string | null;

  @EnumField(RECEIPT_STATUSES, {
    description:
      '`stored`: the span is new. `merged`: the span existed and was replaced. `duplicate`: the same span existed already, or occurred earlier in the request. `rejected`: the span was not stored, see `reason`.',
  })
  status: ReceiptStatus;

  @TextField({
    nullable: true,
    description: 'Why the span was rejected; null for a span that was not.',
    example: 'trace_closed',
  })
  reason: string | null;
}

export class ReceiptResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: 'The id of the receipt.' })
  receipt_id: string;

  @DateTimeField({ description: 'When the request was received.' })
  received_at: string;

  @ApiProperty({ type: () => ReceiptCounts, description: 'How many spans of the request have each status.' })
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
