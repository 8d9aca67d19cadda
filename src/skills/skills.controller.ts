import { Body, Controller, Get, Param, Patch, Query, type StreamableFile } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { AccessErrors, type Caller, Can, CurrentCaller } from '../access/index.js';
import { LABEL_REFUSALS } from '../registry/index.js';
import { Stores } from '../storage/index.js';
import { ExternalIdErrors } from '../external-ids/index.js';
import { assertOwnWorkspace, FolderErrors } from '../folders/index.js';
import { BINARY } from '../platform/http/binary.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { BriefErrors, LargeBody, TakesForm, UploadedFile } from '../platform/http/request.js';
import { Throws } from '../platform/http/throws.js';
import { readArchive } from './archives/read-archive.js';
import { SkillDownloads } from './archives/skill-downloads.js';
import { SkillCollectionsService } from './collections/skill-collections.service.js';
import { SkillVersionsService } from './collections/skill-versions.service.js';
import {
  CreateSkillCollectionRequest,
  ListSkillsQuery,
  ReadSkillsQuery,
  SaveSkillVersionRequest,
  SkillCollectionPath,
  toFileChanges,
  toNewCollection,
  UpdateSkillCollectionRequest,
} from './skill-requests.dto.js';
import {
  SkillCollectionCreatedResponse,
  SkillCollectionResponse,
  SkillCollectionsResponse,
  SkillFilesResponse,
  SkillVersionResponse,
  toSkillCollectionBody,
  toSkillVersionBody,
  toSkillVersionResponse,
} from './shared/skills.dto.js';
import { SkillErrors } from './shared/skills.errors.js';

/** Published clients give these names to the parts of their forms. */
const FORM = { json: ['metadata', 'json'], file: ['archive', 'zip', 'files'] };

const FILE_ERRORS = [
  SkillErrors.skill_files_exceeded,
  SkillErrors.skill_file_too_large,
  SkillErrors.skill_path_invalid,
  SkillErrors.skill_path_taken,
  SkillErrors.skill_provider_unknown,
  SkillErrors.skill_archive_invalid,
];

const FORMS =
  'Send JSON, or a form (multipart/form-data) with that JSON as `metadata` and a ZIP archive of files as `archive`.';

@ApiTags('Skills')
@Controller('api/public/v2/skill-collections')
export class SkillsController {
  constructor(
    private readonly collections: SkillCollectionsService,
    private readonly versions: SkillVersionsService,
    private readonly downloads: SkillDownloads,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the skill collections of the workspace, the newest first.',
    description: 'Without files. 403 `skill_workspace_forbidden`: `workspace_id` is not the workspace of the key.',
  })
  @BriefErrors()
  @ApiOkResponse({ type: SkillCollectionsResponse })
  @Throws(SkillErrors.skill_workspace_forbidden)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListSkillsQuery): Promise<SkillCollectionsResponse> {
    assertOwnWorkspace(caller, query.workspace_id, SkillErrors.skill_workspace_forbidden);
    const collections = await this.collections.list(caller, query);
    return { success: true, skill_collections: collections.map(toSkillCollectionBody) };
  }

  @IdempotentPost()
  @Stores()
  @ApiOperation({
    summary: 'Create a skill collection, with a first version when it has files.',
    description: `${FORMS} A single folder around all files of the archive is removed from their paths.`,
  })
  @BriefErrors()
  @Can('SKILL_CREATE')
  @LargeBody()
  @TakesForm(FORM)
  @ApiBody({ type: CreateSkillCollectionRequest })
  @ApiCreatedResponse({ type: SkillCollectionCreatedResponse })
  @Throws(
    ...FILE_ERRORS,
    SkillErrors.skill_collections_exceeded,
    SkillErrors.skill_name_invalid,
    SkillErrors.skill_workspace_forbidden,
    FolderErrors.folder_not_found,
    ExternalIdErrors.external_id_in_use,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateSkillCollectionRequest,
    @UploadedFile() archive: Buffer | null,
  ): Promise<SkillCollectionCreatedResponse> {
    assertOwnWorkspace(caller, body.workspace_id, SkillErrors.skill_workspace_forbidden);
    const input = toNewCollection(body, archive && (await readArchive(archive)));
    const { collection, version } = await this.collections.create(caller, input);
    return {
      success: true,
      skill_collection: toSkillCollectionBody(collection),
      external_ids: collection.externalIds,
      version: version && toSkillVersionBody(version),
    };
  }

  @Get(':skill_collection')
  @ApiOperation({
    summary: 'Read the files of a version of a skill collection, as JSON or as a ZIP archive.',
    description: 'Binary files are only in the archive. The response can be sent back unchanged.',
  })
  @BriefErrors()
  @ApiExtraModels(SkillFilesResponse)
  @ApiOkResponse({
    description: 'The files.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(SkillFilesResponse) } },
      'application/zip': BINARY,
    },
  })
  @Throws(
    SkillErrors.skill_collection_not_found,
    SkillErrors.skill_version_not_found,
    SkillErrors.skill_label_not_found,
    SkillErrors.skill_version_ambiguous,
    SkillErrors.skill_format_unknown,
    SkillErrors.skill_workspace_forbidden,
  )
  async read(
    @CurrentCaller() caller: Caller,
    @Param() path: SkillCollectionPath,
    @Query() query: ReadSkillsQuery,
  ): Promise<StreamableFile> {
    assertOwnWorkspace(caller, query.workspace_id, SkillErrors.skill_workspace_forbidden);
    const { label = null, version = null, format = 'json' } = query;
    if (label !== null && version !== null) throw SkillErrors.skill_version_ambiguous();
    if (format !== 'json' && format !== 'zip') throw SkillErrors.skill_format_unknown(format);
    const found = await this.collections.read(caller, path.skill_collection, { label, version });
    return format === 'zip' ? this.downloads.asZip(found) : this.downloads.asJson(found);
  }

  @Patch(':skill_collection')
  @Stores()
  @ApiOperation({
    summary: 'Change the name or the description of a skill collection.',
    description:
      'Files do not change; save a new version for that. A new name changes `root_path` as well. 400 `skill_name_invalid`: no folder can have that name.',
  })
  @BriefErrors()
  @ApiOkResponse({ type: SkillCollectionResponse })
  @Throws(
    SkillErrors.skill_collection_not_found,
    AccessErrors.permission_missing,
    SkillErrors.skill_name_invalid,
    SkillErrors.skill_workspace_forbidden,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: SkillCollectionPath,
    @Body() body: UpdateSkillCollectionRequest,
  ): Promise<SkillCollectionResponse> {
    assertOwnWorkspace(caller, body.workspace_id, SkillErrors.skill_workspace_forbidden);
    const description = body.description === undefined ? undefined : body.description || null;
    const change = { name: body.name ?? undefined, description };
    const collection = await this.collections.update(caller, path.skill_collection, change);
    return { success: true, skill_collection: toSkillCollectionBody(collection) };
  }

  @IdempotentPost(':skill_collection/versions')
  @Stores()
  @ApiOperation({
    summary: 'Save a new version of a skill collection.',
    description: `Files that are not mentioned are carried forward from the latest version. ${FORMS} Files of the archive are added or replaced.`,
  })
  @BriefErrors()
  @LargeBody()
  @TakesForm(FORM)
  @ApiBody({ type: SaveSkillVersionRequest })
  @ApiCreatedResponse({ type: SkillVersionResponse })
  @Throws(
    ...FILE_ERRORS,
    SkillErrors.skill_collection_not_found,
    SkillErrors.skill_path_not_found,
    ...LABEL_REFUSALS,
    SkillErrors.skill_workspace_forbidden,
  )
  async save(
    @CurrentCaller() caller: Caller,
    @Param() path: SkillCollectionPath,
    @Body() body: SaveSkillVersionRequest,
    @UploadedFile() archive: Buffer | null,
  ): Promise<SkillVersionResponse> {
    assertOwnWorkspace(caller, body.workspace_id, SkillErrors.skill_workspace_forbidden);
    const changes = toFileChanges(body, archive && (await readArchive(archive)));
    const { collection, version } = await this.versions.save(caller, path.skill_collection, changes);
    return toSkillVersionResponse(collection, version!);
  }
}
