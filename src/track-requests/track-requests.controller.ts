import { Body, Controller, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcceptsBodyKey } from '../platform/http/body-key.js';
import { type Caller, CurrentCaller } from '../access/index.js';
import { Stores } from '../storage/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { type Arrival, BodyArrival, ExactIntegers, IngestBody } from '../platform/http/request.js';
import { Throws } from '../platform/http/throws.js';
import { toPromptBlueprint } from '../llm/records/call-blueprint.js';
import { CALL_REFUSALS } from '../requests/index.js';
import { TrackRequestRequest, TrackRequestResponse } from './track-requests.dto.js';
import { TrackRequestsService } from './track-requests.service.js';

@ApiTags('Ingestion')
@Controller('track-request')
export class TrackRequestsController {
  constructor(private readonly requests: TrackRequestsService) {}

  @IdempotentPost()
  @Stores()
  @HttpCode(200)
  @AcceptsBodyKey()
  @IngestBody()
  @ExactIntegers()
  @ApiOperation({
    summary: 'Log a call of a vendor’s client with its arguments and its response as they are.',
    description:
      'The endpoint for the wrappers of the SDKs. Messages, tools and usage are read from the formats of the vendors; a call in an unknown ' +
      'format is kept as it is. When the API key is in a header, the body may be as large as any ingestion body (64 MiB by default). When the ' +
      'key is in the body, the limit is 10 MiB, because the body is read before it is known who calls.',
  })
  @ApiOkResponse({ type: TrackRequestResponse })
  @Throws(...CALL_REFUSALS, PlatformErrors.database_unavailable)
  async track(
    @CurrentCaller() caller: Caller,
    @Body() body: TrackRequestRequest,
    @BodyArrival() arrival: Arrival,
  ): Promise<TrackRequestResponse> {
    const { id, call } = await this.requests.track(caller, body, arrival);
    return {
      success: true,
      request_id: id,
      prompt_blueprint: body.return_prompt_blueprint ? toPromptBlueprint(call) : null,
      message: 'Request tracked successfully',
    };
  }
}
