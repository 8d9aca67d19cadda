import { Body, Controller, Delete, Get, Param, Patch, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
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
import { MemberPath, MemberResponse, MemberRolesRequest, MembersResponse, toMemberBody } from './members.dto.js';
import { MembersService } from './members.service.js';

/** Errors of changes and removals. */
const CHANGE_ERRORS = [
  AccessErrors.workspace_not_found,
  AdministrationErrors.member_not_found,
  AccessErrors.permission_missing,
  AdministrationErrors.last_admin,
  AdministrationErrors.member_from_groups,
];

@ApiTags('People')
@Controller('api/admin/v1/workspaces/:workspace_id/members')
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly workspaces: WorkspacesService,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the members of a workspace.',
    description: 'Members are people who sign in. Keys of programs are in the list of API keys.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: MembersResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<MembersResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return { success: true, members: (await this.members.list(caller)).map(toMemberBody) };
  }

  @Patch(':user_id')
  @ApiOperation({
    summary: 'Set the roles of a member.',
    description:
      'Works at once (within two seconds in other processes), also for personal keys, sessions and open connections of the member. 409 `last_admin`: a workspace keeps one member with the role `admin`, unless the operator removes the last one. 409 `member_from_groups`: a group rule decides.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: MemberResponse })
  @Throws(...CHANGE_ERRORS)
  async setRoles(
    @Req() request: AuthenticatedRequest,
    @Param() path: MemberPath,
    @Body() { roles }: MemberRolesRequest,
  ): Promise<MemberResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const member = await this.members.setRoles(caller, path.user_id, [...new Set(roles)]);
    this.authenticator.forget();
    return { success: true, member: toMemberBody(member) };
  }

  @Delete(':user_id')
  @ApiOperation({
    summary: 'Remove a member from a workspace.',
    description:
      'Personal keys and sessions of the user in this workspace end at once. What the member did keeps the name. 409 `last_admin` and `member_from_groups` as for `PATCH`.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: DoneResponse })
  @Throws(...CHANGE_ERRORS)
  async remove(@Req() request: AuthenticatedRequest, @Param() path: MemberPath): Promise<DoneResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.members.remove(caller, path.user_id);
    this.authenticator.forget();
    return { success: true };
  }
}
