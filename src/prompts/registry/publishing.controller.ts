import { Body, Controller, HttpStatus, Param, Patch, Put, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { LABEL_REFUSALS } from '../../registry/index.js';
import { Stores } from '../../storage/index.js';
import { ExternalIdBody, ExternalIdErrors } from '../../external-ids/index.js';
import { FolderErrors } from '../../folders/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { TextField } from '../../platform/http/fields.js';
import { BriefErrors } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { PromptErrors, SNIPPET_LIMITS } from '../shared/prompts.errors.js';
import { toPublishResponse } from './prompt-views.js';
import { PromptPath } from './prompts.dto.js';
import { PatchPromptRequest, PublishPromptRequest, PublishPromptResponse } from './publish.dto.js';
import { PublishingService } from './publishing.service.js';

class ExternalIdPath {
  @TextField({ query: true, minLength: 1, maxLength: 128, description: 'The other system, such as `crm`.' })
  source: string;

  @TextField({ query: true, minLength: 1, maxLength: 512, description: 'The id of the prompt in that system.' })
  external_id: string;
}

const REFUSALS = [
  ...LABEL_REFUSALS,
  PromptErrors.prompt_workspace_forbidden,
  PromptErrors.report_not_found,
  ...SNIPPET_LIMITS,
  FolderErrors.folder_not_found,
  ExternalIdErrors.external_id_in_use,
];

@ApiTags('Prompts')
@Controller()
export class PublishingController {
  constructor(private readonly publishing: PublishingService) {}

  @IdempotentPost('rest/prompt-templates')
  @Stores()
  @ApiOperation({
    summary: 'Publish a version of a prompt, creating the prompt if it does not exist.',
    description:
      'Versions are immutable: every request adds one. Existing labels in `release_labels` are moved to it; protected ones need the role admin or approver (403 `label_protected`). 409 `external_id_in_use`: another entity has the external ID.',
  })
  @ApiCreatedResponse({ type: PublishPromptResponse })
  @Throws(...REFUSALS)
  async publish(@CurrentCaller() caller: Caller, @Body() body: PublishPromptRequest): Promise<PublishPromptResponse> {
    return toPublishResponse(await this.publishing.publish(caller, body));
  }

  @Patch('rest/prompt-templates/:identifier')
  @Stores()
  @ApiOperation({
    summary: 'Publish a version by changing an existing one.',
    description:
      'Starts from the latest version, or from the one in `version` or `label`, which does not change; missing fields stay as they are. 400 `prompt_patch_type_mismatch`: a field does not fit the type of the prompt. 400 `prompt_patch_index_invalid`: there is no such index.',
  })
  @ApiCreatedResponse({ type: PublishPromptResponse })
  @Throws(
    ...LABEL_REFUSALS,
    PromptErrors.prompt_not_found,
    PromptErrors.prompt_version_not_found,
    PromptErrors.prompt_label_not_found,
    PromptErrors.prompt_patch_conflict,
    PromptErrors.prompt_patch_type_mismatch,
    PromptErrors.prompt_patch_index_invalid,
    ...SNIPPET_LIMITS,
  )
  async patch(
    @CurrentCaller() caller: Caller,
    @Param() path: PromptPath,
    @Body() body: PatchPromptRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublishPromptResponse> {
    const published = await this.publishing.patch(caller, path.identifier, body);
    void reply.status(HttpStatus.CREATED);
    return toPublishResponse(published);
  }

  @Put('prompt-templates/by-external-id/:source/:external_id')
  @Stores()
  @ApiOperation({
    summary: 'Publish a version of the prompt with an external ID, creating the prompt if there is none.',
    description:
      '200 for an existing prompt, 201 for a new one. An existing prompt takes the given name; 409 `prompt_name_taken`: another prompt has it.',
  })
  @BriefErrors()
  @ApiCreatedResponse({ type: PublishPromptResponse, description: 'The prompt is new.' })
  @ApiOkResponse({ type: PublishPromptResponse, description: 'The prompt existed and has a new version.' })
  @Throws(...REFUSALS, PromptErrors.prompt_not_found, PromptErrors.prompt_name_taken)
  async publishByExternalId(
    @CurrentCaller() caller: Caller,
    @Param() path: ExternalIdPath,
    @Body() body: PublishPromptRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublishPromptResponse> {
    const pair: ExternalIdBody = { source: path.source, external_id: path.external_id };
    const published = await this.publishing.publishByExternalId(caller, pair, body);
    void reply.status(published.created ? HttpStatus.CREATED : HttpStatus.OK);
    return toPublishResponse(published);
  }
}
