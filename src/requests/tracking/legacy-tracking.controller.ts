import { Body, Controller, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcceptsBodyKey } from '../../platform/http/body-key.js';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { PROMPT_VERSION_MISSING } from '../../prompts/index.js';
import { RequestErrors } from '../shared/requests.errors.js';
import {
  CreateGroupRequest,
  CreateGroupResponse,
  LegacyTrackGroupRequest,
  LegacyTrackMetadataRequest,
  LegacyTrackPromptRequest,
  LegacyTrackScoreRequest,
  SuccessResponse,
} from './tracking.dto.js';
import { TrackingErrors } from '../shared/tracking.errors.js';
import { TrackingService } from './tracking.service.js';

const DONE: SuccessResponse = { success: true };

/** The paths that older clients use. They test for exactly 200. */
@ApiTags('Request logs')
@Controller()
export class LegacyTrackingController {
  constructor(private readonly tracking: TrackingService) {}

  @IdempotentPost('library-track-metadata')
  @HttpCode(200)
  @ExactIntegers()
  @AcceptsBodyKey()
  @ApiOperation({
    summary: 'The same as /rest/track-metadata, for older clients.',
    description:
      'The API key may be in the body instead of the header. New clients should use `POST /rest/track-metadata`.',
  })
  @ApiOkResponse({ type: SuccessResponse })
  @Throws(RequestErrors.request_not_found, AccessErrors.permission_missing, TrackingErrors.request_metadata_excessive)
  async trackMetadata(
    @CurrentCaller() caller: Caller,
    @Body() body: LegacyTrackMetadataRequest,
  ): Promise<SuccessResponse> {
    await this.tracking.addMetadata(caller, body.request_id, body.metadata);
    return DONE;
  }

  @IdempotentPost('library-track-score')
  @HttpCode(200)
  @AcceptsBodyKey()
  @ApiOperation({
    summary: 'The same as /rest/track-score, for older clients.',
    description:
      'The API key may be in the body instead of the header. New clients should use `POST /rest/track-score`.',
  })
  @ApiOkResponse({ type: SuccessResponse })
  @Throws(RequestErrors.request_not_found)
  async trackScore(@CurrentCaller() caller: Caller, @Body() body: LegacyTrackScoreRequest): Promise<SuccessResponse> {
    await this.tracking.score(caller, body.request_id, body);
    return DONE;
  }

  @IdempotentPost('library-track-prompt')
  @HttpCode(200)
  @ExactIntegers()
  @AcceptsBodyKey()
  @ApiOperation({
    summary: 'The same as /rest/track-prompt, for older clients.',
    description:
      'The API key may be in the body instead of the header. New clients should use `POST /rest/track-prompt`.',
  })
  @ApiOkResponse({ type: SuccessResponse })
  @Throws(RequestErrors.request_not_found, ...PROMPT_VERSION_MISSING, TrackingErrors.prompt_version_ambiguous)
  async trackPrompt(@CurrentCaller() caller: Caller, @Body() body: LegacyTrackPromptRequest): Promise<SuccessResponse> {
    await this.tracking.linkPrompt(caller, body.request_id, body);
    return DONE;
  }

  @IdempotentPost('track-group')
  @HttpCode(200)
  @AcceptsBodyKey()
  @ApiOperation({
    summary: 'The same as /rest/track-group, for older clients.',
    description:
      'The API key may be in the body instead of the header. New clients should use `POST /rest/track-group`.',
  })
  @ApiOkResponse({ type: SuccessResponse })
  @Throws(RequestErrors.request_not_found, TrackingErrors.request_group_not_found)
  async trackGroup(@CurrentCaller() caller: Caller, @Body() body: LegacyTrackGroupRequest): Promise<SuccessResponse> {
    await this.tracking.joinGroup(caller, body.request_id, body.group_id);
    return DONE;
  }

  @IdempotentPost('create-group')
  @HttpCode(200)
  @AcceptsBodyKey()
  @ApiOperation({
    summary: 'Create an empty group of request logs.',
    description:
      'A group holds request logs that belong together, such as the calls of one conversation. Add logs with `POST /rest/track-group`. The API key may be in the body instead of the header.',
  })
  @ApiOkResponse({ type: CreateGroupResponse })
  async createGroup(@CurrentCaller() caller: Caller, @Body() _body: CreateGroupRequest): Promise<CreateGroupResponse> {
    return { success: true, id: await this.tracking.createGroup(caller) };
  }
}
