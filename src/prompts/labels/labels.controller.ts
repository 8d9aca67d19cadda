import { Body, Controller, Delete, HttpCode, Param, Patch } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { LABEL_REFUSALS } from '../../registry/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { PromptErrors, SNIPPET_LIMITS } from '../shared/prompts.errors.js';
import {
  CreateLabelRequest,
  LabelledPromptPath,
  LabelPath,
  LabelResponse,
  MoveLabelRequest,
  toLabelResponse,
} from './labels.dto.js';
import { LabelsService } from './labels.service.js';

@ApiTags('Release labels')
@Controller()
export class LabelsController {
  constructor(private readonly labels: LabelsService) {}

  @IdempotentPost('prompts/:prompt_id/label')
  @ApiOperation({
    summary: 'Create a release label for a version of a prompt.',
    description:
      '409 `release_label_taken`: the prompt has a label of that name, so move that one. 403 `label_protected`: the label needs the role admin or approver.',
  })
  @HttpCode(200)
  @ApiOkResponse({ type: LabelResponse })
  @Throws(
    ...LABEL_REFUSALS,
    PromptErrors.prompt_not_found,
    PromptErrors.prompt_version_not_found,
    PromptErrors.release_label_taken,
    ...SNIPPET_LIMITS,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: LabelledPromptPath,
    @Body() body: CreateLabelRequest,
  ): Promise<LabelResponse> {
    const { label, version } = await this.labels.create(caller, path.prompt_id, body.name.trim(), body);
    return toLabelResponse(label, version);
  }

  @Patch('prompt-labels/:prompt_label_id')
  @ApiOperation({
    summary: 'Move a release label to another version.',
    description:
      'Clients that ask for the label get the new version from now on. 403 `label_protected`: the label needs the role admin or approver.',
  })
  @ApiOkResponse({ type: LabelResponse })
  @Throws(
    ...LABEL_REFUSALS,
    PromptErrors.release_label_not_found,
    PromptErrors.prompt_version_not_found,
    ...SNIPPET_LIMITS,
  )
  async move(
    @CurrentCaller() caller: Caller,
    @Param() path: LabelPath,
    @Body() body: MoveLabelRequest,
  ): Promise<LabelResponse> {
    const { label, version } = await this.labels.move(caller, path.prompt_label_id, body);
    return toLabelResponse(label, version);
  }

  @Delete('prompt-labels/:prompt_label_id')
  @ApiOperation({
    summary: 'Remove a release label.',
    description:
      'Versions do not change. Clients that ask for the label get 404 from now on. 403 `label_protected`: the label needs the role admin or approver.',
  })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The label was removed.' })
  @Throws(...LABEL_REFUSALS, PromptErrors.release_label_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: LabelPath): Promise<void> {
    await this.labels.delete(caller, path.prompt_label_id);
  }
}
