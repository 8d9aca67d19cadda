import { Body, Controller } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { type Arrival, BodyArrival, ExactIntegers, IngestBody } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { PROMPT_VERSION_MISSING } from '../../prompts/index.js';
import { CallLog } from './call-log.js';
import { LogRequestRequest, LogRequestResponse, toCallToLog, toLogRequestResponse } from './log-request.dto.js';
import { LoggingErrors } from './logging.errors.js';
import type { TimedCallFields } from '../../llm/records/logged-call.js';

@ApiTags('Ingestion')
@Controller('log-request')
export class LogRequestController {
  constructor(private readonly calls: CallLog) {}

  @IdempotentPost()
  @Stores()
  @IngestBody()
  @ExactIntegers()
  @ApiOperation({
    summary: 'Log a call of a language model that was made elsewhere.',
    description: 'The answer comes after the log is committed: it can be read and tracked at once.',
  })
  @ApiCreatedResponse({ type: LogRequestResponse })
  @Throws(...PROMPT_VERSION_MISSING, LoggingErrors.call_not_storable, PlatformErrors.database_unavailable)
  async log(
    @CurrentCaller() caller: Caller,
    @Body() body: LogRequestRequest,
    @BodyArrival() arrival: Arrival,
  ): Promise<LogRequestResponse> {
    const call = { ...toCallToLog(body as TimedCallFields), ...arrival, workspaceId: caller.workspaceId };
    return toLogRequestResponse(call, await this.calls.logCall(call));
  }
}
