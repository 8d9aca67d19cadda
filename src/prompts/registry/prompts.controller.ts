import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedRequest, type Caller, CurrentCaller } from '../../access/index.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { jsonWithPieces, listed, streamJson } from '../../platform/http/json-stream.js';
import { numberedPage } from '../../platform/http/numbered-page.js';
import { RestOfPath } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { PromptLabelsResponse, toPromptLabelBody } from '../labels/labels.dto.js';
import { LabelsService } from '../labels/labels.service.js';
import { PromptErrors, SNIPPET_LIMITS } from '../shared/prompts.errors.js';
import { SnippetUsageService } from '../snippets/snippet-usage.service.js';
import { toVersionBody } from './prompt-views.js';
import {
  ListPromptsQuery,
  PromptPath,
  PromptsResponse,
  RawPromptResponse,
  ReadPromptQuery,
  RenderedPromptResponse,
  RenderPromptRequest,
  SnippetUsageQuery,
  SnippetUsageResponse,
  UnencodedPromptPath,
} from './prompts.dto.js';
import { PromptsService, type PromptOnPage } from './prompts.service.js';

const NOT_FOUND = [
  PromptErrors.prompt_not_found,
  PromptErrors.prompt_version_not_found,
  PromptErrors.prompt_label_not_found,
];

/** The reads that two generations of clients make under different prefixes. */
class PromptReads {
  constructor(protected readonly prompts: PromptsService) {}

  @Get()
  @ApiOperation({
    summary: 'List prompts with their latest version, newest first.',
    description:
      'With `label`, only prompts with that release label are listed, each with the version the label points to. A prompt has to match all filters.',
  })
  @ApiOkResponse({ type: PromptsResponse })
  async list(@CurrentCaller() caller: Caller, @Query() query: ListPromptsQuery): Promise<StreamableFile> {
    const { page = 1, per_page: perPage = 30 } = query;
    const { total, groups } = await this.prompts.list(caller, query);
    return streamJson(jsonWithPieces(numberedPage(page, perPage, total), 'items', listed(itemTexts(groups))));
  }

  @Get(':identifier')
  @ApiOperation({
    summary: 'Read a version of a prompt without filling in variables.',
    description:
      'Snippets are expanded unless `resolve_snippets` is false; variables stay in place. To fill them in, use `POST /prompt-templates/{identifier}`. `version` and `label` together are a 422.',
  })
  @ApiOkResponse({ type: RawPromptResponse })
  @Throws(...NOT_FOUND, ...SNIPPET_LIMITS)
  async read(
    @CurrentCaller() caller: Caller,
    @Param() path: PromptPath,
    @Query() query: ReadPromptQuery,
  ): Promise<RawPromptResponse> {
    if (query.version && query.label) {
      const msg = 'version and label cannot be combined';
      throw new ValidationProblem([{ loc: ['query', 'label'], msg, type: 'value_error' }]);
    }
    const { expansion, llmKwargs, ...chosen } = await this.prompts.read(caller, path.identifier, query);
    const { prompt: template, snippets } = expansion;
    return { success: true, ...toVersionBody(chosen, { template, snippets, llmKwargs }) };
  }
}

@ApiTags('Prompts')
@Controller('v1/prompt-templates')
export class VersionedPromptsController extends PromptReads {
  constructor(prompts: PromptsService) {
    super(prompts);
  }
}

@ApiTags('Prompts')
@Controller('prompt-templates')
export class PromptsController extends PromptReads {
  constructor(
    prompts: PromptsService,
    private readonly labels: LabelsService,
    private readonly snippetUsage: SnippetUsageService,
  ) {
    super(prompts);
  }

  @Get(':identifier/labels')
  @ApiOperation({
    summary: 'List the release labels of a prompt.',
    description: 'By name, each with the version it points to.',
  })
  @ApiOkResponse({ type: PromptLabelsResponse })
  @Throws(PromptErrors.prompt_not_found)
  async listLabels(@CurrentCaller() caller: Caller, @Param() path: PromptPath): Promise<PromptLabelsResponse> {
    return { release_labels: (await this.labels.list(caller, path.identifier)).map(toPromptLabelBody) };
  }

  @Get(':identifier/snippet-usage')
  @ApiOperation({
    summary: 'List the prompts and labels that a snippet is used in.',
    description:
      'Shows what is affected by a new version of the snippet. Only direct imports count, not imports through other snippets.',
  })
  @ApiOkResponse({ type: SnippetUsageResponse })
  @Throws(PromptErrors.prompt_not_found, PromptErrors.prompt_workspace_forbidden)
  listSnippetUsage(
    @CurrentCaller() caller: Caller,
    @Param() path: PromptPath,
    @Query() query: SnippetUsageQuery,
  ): Promise<SnippetUsageResponse> {
    return this.snippetUsage.read(caller, path.identifier, query);
  }
}

/** Some clients put names into the URL as they are, slashes and all: everything after the prefix is the identifier. */
@ApiTags('Prompts')
@Controller('prompt-templates')
export class RenderingController {
  constructor(private readonly prompts: PromptsService) {}

  @Post('*')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Render a version of a prompt: fill in its variables.',
    description:
      'Snippets are expanded, variables are filled in, and `llm_kwargs` has the arguments for the client library of the provider. A variable without a value is no error, but listed in `warning`. Without a body, the latest version is rendered.',
  })
  @RestOfPath('identifier')
  @ApiBody({ type: RenderPromptRequest })
  @ApiOkResponse({ type: RenderedPromptResponse })
  @Throws(...NOT_FOUND, ...SNIPPET_LIMITS, PromptErrors.prompt_workspace_forbidden)
  async render(
    @CurrentCaller() caller: Caller,
    @Req() request: AuthenticatedRequest,
    @Param() path: UnencodedPromptPath,
    @Body() body: RenderPromptRequest,
  ): Promise<RenderedPromptResponse> {
    const { expansion, llmKwargs, metadata, warning, baseUrl, ...chosen } = await this.prompts.render(
      caller,
      path['*'],
      body,
    );
    const { prompt: template, snippets } = expansion;
    return {
      ...toVersionBody(chosen, { template, metadata, snippets, llmKwargs }),
      warning,
      provider_base_url: baseUrl,
      provider_id: chosen.version.providerId,
      custom_provider: null,
      request_id: request.id,
    };
  }
}

async function* itemTexts(groups: AsyncIterable<PromptOnPage[]>): AsyncGenerator<string[]> {
  for await (const group of groups) yield group.map((item) => JSON.stringify(toListItem(item)));
}

function toListItem({
  externalIds,
  folders,
  llmKwargs,
  labels,
  ...listed
}: PromptOnPage): PromptsResponse['items'][number] {
  return {
    ...toVersionBody(listed, { llmKwargs }),
    parent_folder_name: folders.at(-1) ?? null,
    full_folder_path: folders.length > 0 ? folders.join('/') : null,
    is_deleted: listed.prompt.deletedAt !== null,
    external_ids: externalIds,
    ...(labels && { release_labels: labels.map(toPromptLabelBody) }),
  };
}
