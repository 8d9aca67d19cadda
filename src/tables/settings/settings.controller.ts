import { Body, Controller, Get, Param, Patch, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { Throws } from '../../platform/http/throws.js';
import { SettingsResponse, toChange, toSettingsResponse, UpdateSettingsRequest } from './settings.dto.js';
import { SettingsErrors } from './settings.errors.js';
import { SettingsService } from './settings.service.js';

@ApiTags('Administration')
@Controller('api/admin/v1/workspaces/:workspace_id/settings')
export class SettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Read the settings of a workspace.',
    description:
      'Returns all settings, with the defaults where nothing was set. Needs a key with the role admin, or the ADMIN_TOKEN of the server.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: SettingsResponse })
  @Throws(AccessErrors.workspace_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<SettingsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toSettingsResponse(await this.settings.get(caller));
  }

  @Patch()
  @ApiOperation({
    summary: 'Change settings of a workspace.',
    description:
      'Settings that are left out stay as they are. A change applies to every import, sheet and computation that begins after it. Needs a key with the role admin, or the ADMIN_TOKEN of the server.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: SettingsResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    SettingsErrors.import_limit_too_large,
    SettingsErrors.approval_label_unprotected,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: UpdateSettingsRequest,
  ): Promise<SettingsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toSettingsResponse(await this.settings.update(caller, toChange(body)));
  }
}
