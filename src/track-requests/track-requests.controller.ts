import { Body, Controller, HttpCode, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AcceptsBodyKey, type Caller, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { ExactIntegers, IngestBody } from '../platform/http/request.js';
import { Throws, Validates } from '../platform/http/throws.js';
import { LoggingErrors, toPromptBlueprint, TrackingErrors } from '../requests/index.js';
import { TrackRequestRequest, TrackRequestResponse } from './track-requests.dto.js';
import { TrackRequestsService } from './track-requests.service.js';

@ApiTags('Ingestion')
@Controller('track-request')
export class TrackRequestsController {
  constructor(private readonly requests: TrackRequestsService) {}

  @IdempotentPost()
  @HttpCode(200)
  @AcceptsBodyKey()
  @IngestBody()
  @ExactIntegers()
  @ApiOperation({
    summary: 'Log a call of a vendor’s client with its arguments and its response as they are.',
    description:
      'What the wrappers of the SDKs send. Messages, tools and usage are read from the forms of the vendors; of an unknown form everything is kept. ' +
      'With the key in a header the body may be as large as any ingestion body (64 MiB unless configured otherwise), with the key in the body, ' +
      'which is read before anybody is known, only as large as other bodies (10 MiB).',
  })
  @ApiOkResponse({ type: TrackRequestResponse })
  @Validates()
  @Throws(TrackingErrors.request_group_not_found, LoggingErrors.call_not_storable, PlatformErrors.database_unavailable)
  async track(
    @CurrentCaller() caller: Caller,
    @Body() body: TrackRequestRequest,
    @Req() request: FastifyRequest,
  ): Promise<TrackRequestResponse> {
    const bytes = Number(request.headers['content-length'] ?? 0);
    const arrival = { sanitized: request.bodySanitized ?? false, bytes };
    const { id, call } = await this.requests.track(caller, body, arrival);
    return {
      success: true,
      request_id: id,
      prompt_blueprint: body.return_prompt_blueprint ? toPromptBlueprint(call) : null,
      message: 'Request tracked successfully',
    };
  }
}
