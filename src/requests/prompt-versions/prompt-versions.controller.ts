import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { PromptErrors, PromptPath } from '../../prompts/index.js';
import { ListVersionsQuery, PromptVersionsResponse, toListedVersionBody } from './prompt-versions.dto.js';
import { PromptVersionsService, versionOrder } from './prompt-versions.service.js';

/** Separate from the other routes of prompts, because requests depend on prompts and not the other way round. */
@ApiTags('Prompts')
@Controller('prompt-templates/:identifier/versions')
export class PromptVersionsController {
  constructor(private readonly versions: PromptVersionsService) {}

  @Get()
  @EndsWithClient()
  @ApiOperation({
    summary: 'List the versions of a prompt, newest first, with statistics of their calls.',
    description: 'Read the content of a version with `GET /prompt-templates/{identifier}?version=…`.',
  })
  @ApiOkResponse({ type: PromptVersionsResponse })
  @Throws(
    PromptErrors.prompt_not_found,
    PlatformErrors.cursor_invalid,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async list(
    @CurrentCaller() caller: Caller,
    @Param() { identifier }: PromptPath,
    @Query() { cursor, limit = 20, order = 'desc', origin }: ListVersionsQuery,
  ): Promise<PromptVersionsResponse> {
    const found = await this.versions.list(caller, identifier, { cursor, limit, order, origin });
    const page = toPage(found, { limit, cursor }, versionOrder(order, identifier), ({ version }) => [version.number]);
    return { ...page, data: page.data.map(toListedVersionBody) };
  }
}
