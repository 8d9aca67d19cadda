import { Body, Controller, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/index.js';
import { Stores } from '../storage/index.js';
import { BooleanField, IntegerField } from '../platform/http/fields.js';
import { Throws } from '../platform/http/throws.js';
import { IngestionService } from './ingestion/ingestion.service.js';
import type { SpanOutcome } from './ingestion/incoming-span.js';
import { decodeTraces } from './otlp/decode.js';
import { encodeResponse, type PartialSuccess } from './otlp/export-response.js';
import { OTLP_EXAMPLE } from './otlp/example.js';
import { OtlpEndpoint, REASONS_SHOWN } from './otlp/otlp-endpoint.js';
import { decodeOrRefuse, formatOf } from './otlp/otlp-format.js';
import { OTLP_REQUEST } from './otlp/otlp.schema.js';
import type { Rejection } from './otlp/span-collector.js';
import { RECEIPT_HEADER, ReceiptHeader } from './receipts/receipt-header.js';
import { TraceErrors } from './shared/traces.errors.js';

class ExportQuery {
  @BooleanField({ optional: true, query: true, description: 'Close every trace of the request once it is stored.' })
  close_after?: boolean;
}

class PartialSuccessBody {
  @IntegerField({ description: 'How many spans were not stored.' })
  rejectedSpans: number;

  @ApiProperty({ description: 'Why.', example: 'Invalid spanId length' })
  errorMessage: string;
}

class ExportResponse {
  @ApiProperty({
    type: () => PartialSuccessBody,
    description: 'Nothing rejected and no message when every span was stored.',
  })
  partialSuccess: PartialSuccessBody;
}

@ApiTags('Ingestion')
@Controller('v1/traces')
export class OtlpController {
  constructor(private readonly ingestion: IngestionService) {}

  @Post()
  @Stores()
  @ApiOperation({
    summary: 'Send traces with OTLP over HTTP.',
    description:
      'The endpoint for OpenTelemetry exporters. It takes protobuf and JSON, with gzip, deflate or no compression. The answer comes after ' +
      'everything is committed. Sending the same spans again changes nothing. Spans that are calls of a language model become request logs.',
  })
  @ApiBody({ schema: OTLP_REQUEST, examples: { chat: { value: OTLP_EXAMPLE } } })
  @OtlpEndpoint(ExportResponse, ReceiptHeader)
  @Throws(TraceErrors.trace_closed)
  async export(
    @CurrentCaller() caller: Caller,
    @Query() query: ExportQuery,
    @Body() body: Buffer | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportResponse | Buffer> {
    const format = formatOf(reply.request.headers['content-type']);
    const bytes = body ?? Buffer.alloc(0);
    const request = {
      body: bytes,
      decode: () => decodeOrRefuse(() => decodeTraces(bytes, format)),
      closeAfter: query.close_after ?? false,
    };
    const { receiptId, outcomes, refused } = await this.ingestion.whenRoom(bytes.length, () =>
      this.ingestion.ingest(caller, request),
    );
    void reply.header(RECEIPT_HEADER, receiptId);
    refuseClosed(outcomes);
    const partialSuccess = summarise(refused, outcomes);
    const { rejected, errorMessage } = partialSuccess;
    if (format === 'json') return { partialSuccess: { rejectedSpans: rejected, errorMessage } };
    void reply.type('application/x-protobuf');
    return encodeResponse(partialSuccess);
  }
}

/** The spans of open traces are stored by now; exporters do not retry a 409. */
function refuseClosed(outcomes: SpanOutcome[]): void {
  const closed = outcomes.flatMap((outcome) => (outcome.kind === 'closed' ? [outcome.traceId] : []));
  if (closed.length > 0) throw TraceErrors.trace_closed([...new Set(closed)]);
}

function summarise(rejected: Rejection[], outcomes: SpanOutcome[]): PartialSuccess {
  const refused = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.reason] : []));
  const total = rejected.reduce((sum, { count }) => sum + count, refused.length);
  const reasons = [...new Set([...rejected.map(({ reason }) => reason), ...refused])];
  return { rejected: total, errorMessage: reasons.slice(0, REASONS_SHOWN).join('; ') };
}
