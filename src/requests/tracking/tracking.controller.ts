import { Body, Controller, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { PROMPT_VERSION_MISSING } from '../../prompts/index.js';
import { RequestErrors } from '../shared/requests.errors.js';
import {
  TrackedResponse,
  TrackedTagsResponse,
  TrackGroupRequest,
  TrackMetadataRequest,
  TrackPromptRequest,
  TrackScoreRequest,
  TrackTagsRequest,
} from './tracking.dto.js';
import { TrackingErrors } from '../shared/tracking.errors.js';
import { TrackingService } from './tracking.service.js';

@ApiTags('Request logs')
@Controller('rest')
export class TrackingController {
  constructor(private readonly tracking: TrackingService) {}

  @IdempotentPost('track-metadata')
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Add metadata to a request log.',
    description:
      'Existing keys get the new value, other keys do not change. Added metadata stays even if the span of the log is sent again. 400 `request_metadata_excessive`: the log would have too much metadata.',
  })
  @ApiOkResponse({ type: TrackedResponse })
  @Throws(RequestErrors.request_not_found, AccessErrors.permission_missing, TrackingErrors.request_metadata_excessive)
  async trackMetadata(@CurrentCaller() caller: Caller, @Body() body: TrackMetadataRequest): Promise<TrackedResponse> {
    await this.tracking.addMetadata(caller, body.request_id, body.metadata);
    return tracked('Metadata');
  }

  @IdempotentPost('track-tags')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Add tags to a request log, or remove them.',
    description:
      'The response has all tags of the log. Changes stay even if the span of the log is sent again. 400 `request_tags_excessive`: the log would have too many tags.',
  })
  @ApiOkResponse({ type: TrackedTagsResponse })
  @Throws(RequestErrors.request_not_found, AccessErrors.permission_missing, TrackingErrors.request_tags_excessive)
  async trackTags(@CurrentCaller() caller: Caller, @Body() body: TrackTagsRequest): Promise<TrackedTagsResponse> {
    const changes = { added: body.add ?? [], removed: body.remove ?? [] };
    return { ...tracked('Tags'), tags: await this.tracking.changeTags(caller, body.request_id, changes) };
  }

  @IdempotentPost('track-score')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Score a request log, 0 to 100.',
    description: 'Replaces a score of the same name; other scores stay. Without a name it is the score `default`.',
  })
  @ApiOkResponse({ type: TrackedResponse })
  @Throws(RequestErrors.request_not_found)
  async trackScore(@CurrentCaller() caller: Caller, @Body() body: TrackScoreRequest): Promise<TrackedResponse> {
    await this.tracking.score(caller, body.request_id, body);
    return tracked('Score');
  }

  @IdempotentPost('track-prompt')
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'Link a request log to a version of a prompt.',
    description:
      'Default: the latest version. From now on the log counts for that version in searches and statistics. 400 `prompt_version_ambiguous`: send either `version` or `label`.',
  })
  @ApiOkResponse({ type: TrackedResponse })
  @Throws(RequestErrors.request_not_found, ...PROMPT_VERSION_MISSING, TrackingErrors.prompt_version_ambiguous)
  async trackPrompt(@CurrentCaller() caller: Caller, @Body() body: TrackPromptRequest): Promise<TrackedResponse> {
    await this.tracking.linkPrompt(caller, body.request_id, body);
    return tracked('Prompt');
  }

  @IdempotentPost('track-group')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Add a request log to a group.',
    description:
      'The log leaves the group it was in. 404 `request_group_not_found`: create the group with `POST /create-group` first.',
  })
  @ApiOkResponse({ type: TrackedResponse })
  @Throws(RequestErrors.request_not_found, TrackingErrors.request_group_not_found)
  async trackGroup(@CurrentCaller() caller: Caller, @Body() body: TrackGroupRequest): Promise<TrackedResponse> {
    await this.tracking.joinGroup(caller, body.request_id, body.group_id);
    return tracked('Group');
  }
}

function tracked(what: string): TrackedResponse {
  return { success: true, message: `${what} tracked successfully` };
}
