import { Body, Controller, Headers, Post, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { RawBody } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { RECEIPT_HEADER, ReceiptHeader } from '../receipts/receipt-header.js';
import { TraceErrors } from '../shared/traces.errors.js';
import { BulkService } from './bulk.service.js';
import { BULK_EXAMPLE, BulkSpansResponse, toBulkResponse } from './bulk.dto.js';

@ApiTags('Ingestion')
@Controller('spans-bulk')
export class BulkController {
  constructor(private readonly bulk: BulkService) {}

  @Post()
  @Stores()
  @RawBody()
  @ApiOperation({
    summary: 'Send spans, and the calls of models made in them.',
    description:
      'Either all spans are stored or none. A span with a `log_request` becomes a request log as well; if that names a prompt ' +
      'that does not exist, the span is stored without the log. Spans of closed traces are left out and listed in the answer. ' +
      'A span that is sent again replaces the stored one and updates its log, which keeps its id. When a span occurs twice in a ' +
      'request, the first one counts.',
  })
  @ApiBody({ schema: { $ref: '#/components/schemas/BulkSpansRequest' }, examples: { call: { value: BULK_EXAMPLE } } })
  @ApiCreatedResponse({ type: BulkSpansResponse, headers: ReceiptHeader })
  @Throws(
    TraceErrors.spans_refused,
    PlatformErrors.json_unreadable,
    PlatformErrors.json_too_deep,
    PlatformErrors.media_type_unsupported,
    PlatformErrors.memory_exhausted,
    PlatformErrors.encoding_unreadable,
    PlatformErrors.encoding_unsupported,
    PlatformErrors.body_too_large,
    PlatformErrors.database_unavailable,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Headers('content-type') contentType: string | undefined,
    @Body() body: Buffer | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkSpansResponse> {
    const mediaType = (contentType ?? '').split(';')[0].trim().toLowerCase();
    if (mediaType !== 'application/json') throw PlatformErrors.media_type_unsupported(mediaType);
    const result = await this.bulk.store(caller, body ?? Buffer.alloc(0));
    void reply.header(RECEIPT_HEADER, result.receiptId);
    return toBulkResponse(result);
  }
}
