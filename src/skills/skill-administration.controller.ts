import { Controller, Delete, Get, Param, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type AuthenticatedRequest, OperatorToo, WorkspacesService } from '../access/index.js';
import { LABEL_REFUSALS } from '../registry/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { SkillVersionsService } from './collections/skill-versions.service.js';
import {
  ManagedCollectionPath,
  ManagedVersionPath,
  SkillCollectionDeletedResponse,
  SkillVersionsResponse,
} from './skill-administration.dto.js';
import { SkillCollectionFolderItem } from './skill-collection.folder-item.js';
import { SkillVersionResponse, toSkillVersionBody, toSkillVersionResponse } from './shared/skills.dto.js';
import { SkillErrors } from './shared/skills.errors.js';

/** Routes that the existing API does not have. */
@ApiTags('Skills')
@Controller('api/admin/v1/workspaces/:workspace_id/skill-collections/:skill_collection_id')
export class SkillAdministrationController {
  constructor(
    private readonly versions: SkillVersionsService,
    private readonly items: SkillCollectionFolderItem,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Delete()
  @ApiOperation({
    summary: 'Delete a skill collection.',
    description:
      'All its versions are deleted, and its name can be used again. 403 `label_protected`: a version has a protected release label, which needs the role admin or approver.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: SkillCollectionDeletedResponse })
  @Throws(AccessErrors.workspace_not_found, ...LABEL_REFUSALS, SkillErrors.skill_collection_not_found)
  async delete(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedCollectionPath,
  ): Promise<SkillCollectionDeletedResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.items.deleteOne(caller, path.skill_collection_id);
    return { success: true };
  }

  @Get('versions')
  @ApiOperation({
    summary: 'List the versions of a skill collection, the newest first.',
    description:
      'Without the contents of files: read them with `GET /api/public/v2/skill-collections/{skill_collection}?version=…`.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: SkillVersionsResponse })
  @Throws(AccessErrors.workspace_not_found, SkillErrors.skill_collection_not_found)
  async list(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedCollectionPath,
  ): Promise<SkillVersionsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const versions = await this.versions.list(caller, path.skill_collection_id);
    return { success: true, versions: versions.map(toSkillVersionBody) };
  }

  @IdempotentPost('versions/:skill_version/restore')
  @ApiOperation({
    summary: 'Restore an older version of a skill collection as a new version.',
    description:
      'The older version and the release labels do not change. 403 `skill_files_exceeded`: the version has more files than the plan of the workspace allows.',
  })
  @OperatorToo()
  @ApiCreatedResponse({ type: SkillVersionResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AccessErrors.permission_missing,
    SkillErrors.skill_collection_not_found,
    SkillErrors.skill_version_not_found,
    SkillErrors.skill_files_exceeded,
  )
  async restore(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedVersionPath,
  ): Promise<SkillVersionResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { collection, version } = await this.versions.restore(caller, path.skill_collection_id, path.skill_version);
    return toSkillVersionResponse(collection, version!);
  }
}
