import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { numberedPage } from '../../platform/http/numbered-page.js';
import { Throws } from '../../platform/http/throws.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import {
  AbReleasePath,
  AbReleaseResponse,
  AbReleasesResponse,
  CreateAbReleaseRequest,
  ListAbReleasesQuery,
  toAbReleaseBody,
  UpdateAbReleaseRequest,
} from './ab-releases.dto.js';
import { AbReleasesService } from './ab-releases.service.js';

const REFUSALS = [AccessErrors.permission_missing, AccessErrors.label_protected, PromptErrors.ab_release_unapproved];

@ApiTags('Release labels')
@Controller('api/public/v2/ab-releases')
export class AbReleasesController {
  constructor(private readonly releases: AbReleasesService) {}

  @Get()
  @ApiOperation({
    summary: 'List the A/B releases, newest first.',
    description: 'Returns the releases of the workspace, or of one prompt, in numbered pages.',
  })
  @ApiOkResponse({ type: AbReleasesResponse })
  async list(@CurrentCaller() caller: Caller, @Query() query: ListAbReleasesQuery): Promise<AbReleasesResponse> {
    const { page = 1, per_page: perPage = 30, prompt_id } = query;
    const { total, releases } = await this.releases.list(caller, { prompt_id, page, perPage });
    return { ...numberedPage(page, perPage, total), items: releases.map(toAbReleaseBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Split the requests for a release label between versions of its prompt.',
    description:
      '`POST /prompt-templates/{identifier}` and `GET /library-get-prompt-template` then draw a version at random for each request. ' +
      'The label still points to one version, which all other readers of the label use: see docs/how-to/ab-releases.md.',
  })
  @ApiCreatedResponse({ type: AbReleaseResponse })
  @Throws(
    ...REFUSALS,
    PromptErrors.release_label_not_found,
    PromptErrors.prompt_version_not_found,
    PromptErrors.ab_release_exists,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateAbReleaseRequest): Promise<AbReleaseResponse> {
    return { success: true, ab_release: toAbReleaseBody(await this.releases.create(caller, body)) };
  }

  @Get(':ab_release_id')
  @ApiOperation({
    summary: 'Read an A/B release.',
    description: 'Returns the split, the segments, and the version that the label points to.',
  })
  @ApiOkResponse({ type: AbReleaseResponse })
  @Throws(PromptErrors.ab_release_not_found)
  async read(@CurrentCaller() caller: Caller, @Param() path: AbReleasePath): Promise<AbReleaseResponse> {
    return { success: true, ab_release: toAbReleaseBody(await this.releases.get(caller, path.ab_release_id)) };
  }

  @Patch(':ab_release_id')
  @ApiOperation({
    summary: 'Change how an A/B release splits requests.',
    description: 'Applies from the next request on. Needs the permission to move the label.',
  })
  @ApiOkResponse({ type: AbReleaseResponse })
  @Throws(...REFUSALS, PromptErrors.ab_release_not_found, PromptErrors.prompt_version_not_found)
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: AbReleasePath,
    @Body() body: UpdateAbReleaseRequest,
  ): Promise<AbReleaseResponse> {
    const changed = await this.releases.update(caller, path.ab_release_id, body);
    return { success: true, ab_release: toAbReleaseBody(changed) };
  }

  @Delete(':ab_release_id')
  @ApiOperation({
    summary: 'End an A/B release.',
    description:
      'From now on all requests get the version that the label points to. Needs the permission to move the label.',
  })
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The release was deleted.' })
  @Throws(...REFUSALS, PromptErrors.ab_release_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: AbReleasePath): Promise<void> {
    await this.releases.delete(caller, path.ab_release_id);
  }
}
