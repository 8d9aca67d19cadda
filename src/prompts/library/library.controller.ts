import { Body, Controller, Get, HttpCode, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcceptsBodyKey } from '../../platform/http/body-key.js';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { PromptErrors, SNIPPET_LIMITS } from '../shared/prompts.errors.js';
import { PromptsService } from '../registry/prompts.service.js';
import { PublishingService } from '../registry/publishing.service.js';
import { toLibraryTemplate } from './library-template.js';
import {
  LibraryPromptQuery,
  LibraryPromptResponse,
  PublishLibraryPromptRequest,
  PublishLibraryPromptResponse,
  toPublishRequest,
} from './library.dto.js';

/** The paths and the template format of older clients. They test for exactly 200. */
@ApiTags('Prompts')
@Controller()
export class LibraryController {
  constructor(
    private readonly prompts: PromptsService,
    private readonly publishing: PublishingService,
  ) {}

  @Get('library-get-prompt-template')
  @ApiOperation({
    summary: 'Read a version of a prompt in the format of older clients.',
    description:
      'Returns the newest version, or the one that `label` or `version` names. Variables are left in place. A prompt that the format cannot hold is refused with 400 `prompt_not_in_library_format`.',
  })
  @ApiOkResponse({ type: LibraryPromptResponse })
  @Throws(
    PromptErrors.prompt_not_found,
    PromptErrors.prompt_version_not_found,
    PromptErrors.prompt_label_not_found,
    PromptErrors.prompt_not_in_library_format,
    ...SNIPPET_LIMITS,
  )
  async read(@CurrentCaller() caller: Caller, @Query() query: LibraryPromptQuery): Promise<LibraryPromptResponse> {
    const { prompt_name: name, ...choice } = query;
    const { prompt, version, expansion } = await this.prompts.read(caller, name, {
      ...choice,
      isName: true,
      routedBy: {},
    });
    const shown = toLibraryTemplate(expansion.prompt);
    if ('obstacle' in shown) throw PromptErrors.prompt_not_in_library_format(name, shown.obstacle);
    return {
      id: prompt.id,
      prompt_name: prompt.name,
      version: version.number,
      prompt_template: shown.template,
      metadata: version.metadata,
      commit_message: version.commitMessage,
      tags: prompt.tags,
    };
  }

  @IdempotentPost('library-publish-prompt-template')
  @HttpCode(200)
  @AcceptsBodyKey()
  @Stores()
  @ApiOperation({
    summary: 'Publish a version of a prompt in the format of older clients.',
    description: 'Makes the prompt when its name is new, and a new version of it otherwise.',
  })
  @ApiOkResponse({ type: PublishLibraryPromptResponse })
  @Throws(AccessErrors.permission_missing, ...SNIPPET_LIMITS)
  async publish(
    @CurrentCaller() caller: Caller,
    @Body() body: PublishLibraryPromptRequest,
  ): Promise<PublishLibraryPromptResponse> {
    const { prompt } = await this.publishing.publish(caller, toPublishRequest(body));
    return { success: true, id: prompt.id };
  }
}
