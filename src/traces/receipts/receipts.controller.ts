import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Throws } from '../../platform/http/throws.js';
import { TraceErrors } from '../shared/traces.errors.js';
import { ReceiptPath, ReceiptResponse, toReceiptResponse } from './receipts.dto.js';
import { ReceiptsService } from './receipts.service.js';

@ApiTags('Ingestion')
@Controller('api/public/v2/ingest/receipts')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get(':receipt_id')
  @ApiOperation({
    summary: 'Read the outcome of every span of an ingestion request.',
    description:
      'The id is the `x-ingest-receipt` header of the answer to `/v1/traces` or `/spans-bulk`. Receipts are kept for some days.',
  })
  @ApiOkResponse({ type: ReceiptResponse })
  @Throws(TraceErrors.receipt_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ReceiptPath): Promise<ReceiptResponse> {
    return toReceiptResponse(await this.receipts.get(caller, path.receipt_id));
  }
}
