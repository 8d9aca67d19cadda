import { Body, Controller, Delete, Get, Param, Patch, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { DoneResponse } from '../shared/administration.dto.js';
import {
  AccessErrors,
  type AuthenticatedRequest,
  Authenticator,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { CustomRoles } from './custom-roles.service.js';
import {
  CreateRoleRequest,
  RolePath,
  RoleResponse,
  RolesResponse,
  toNewRole,
  toRoleBody,
  toRoleChange,
  toRolesResponse,
  UpdateRoleRequest,
} from './roles.dto.js';

@ApiTags('People')
@Controller('api/admin/v1/workspaces/:workspace_id/roles')
export class RolesController {
  constructor(
    private readonly roles: CustomRoles,
    private readonly workspaces: WorkspacesService,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the roles of a workspace.',
    description: 'The built-in roles and those that the workspace has defined, with the permissions of each.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: RolesResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<RolesResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toRolesResponse(await this.roles.list(caller));
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Define a role of a workspace.',
    description:
      'Keys, members, invitations and group rules of the workspace can have the role from now on. A role cannot grant more than its creator may do: 403 `permission_missing`.',
  })
  @OperatorToo('ADMIN')
  @ApiCreatedResponse({ type: RoleResponse })
  @Throws(AccessErrors.workspace_not_found, AdministrationErrors.role_exists, AccessErrors.permission_missing)
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() body: CreateRoleRequest,
  ): Promise<RoleResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return { success: true, role: toRoleBody(await this.roles.create(caller, toNewRole(body))) };
  }

  @Patch(':role_name')
  @ApiOperation({
    summary: 'Change the permissions or the description of a role.',
    description:
      'Works at once (within two seconds in other processes) for all keys and members that have the role. Built-in roles cannot be changed: 404.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: RoleResponse })
  @Throws(AccessErrors.workspace_not_found, AdministrationErrors.role_not_found, AccessErrors.permission_missing)
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: RolePath,
    @Body() body: UpdateRoleRequest,
  ): Promise<RoleResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const role = await this.roles.update(caller, path.role_name, toRoleChange(body));
    this.authenticator.forget();
    return { success: true, role: toRoleBody(role) };
  }

  @Delete(':role_name')
  @ApiOperation({
    summary: 'Delete a role of a workspace.',
    description: '409 `role_in_use` while a key, a member, an open invitation or a group rule has it.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: DoneResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AdministrationErrors.role_not_found,
    AdministrationErrors.role_in_use,
    AccessErrors.permission_missing,
  )
  async delete(@Req() request: AuthenticatedRequest, @Param() path: RolePath): Promise<DoneResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.roles.delete(caller, path.role_name);
    return { success: true };
  }
}
