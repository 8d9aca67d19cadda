import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { DoneResponse } from '../shared/administration.dto.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { type AuthenticatedRequest, Authenticator, OperatorOnly } from '../../access/index.js';
import {
  ListUsersQuery,
  PasswordLinkResponse,
  toPasswordLink,
  toUserBody,
  toUserChange,
  toUserFilters,
  UpdateUserRequest,
  UserPath,
  UserResponse,
  UsersResponse,
} from './users.dto.js';
import { userOrder } from './list-users.queries.js';
import { UsersService } from './users.service.js';

@ApiTags('People')
@Controller('api/admin/v1/users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly authenticator: Authenticator,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the users of the installation.',
    description:
      'Oldest first, up to 100 on a page. Users come into being when they accept an invitation, at their first sign-in with an identity provider, and by SCIM. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: UsersResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(@Query() query: ListUsersQuery): Promise<UsersResponse> {
    const { cursor, limit = 100, order = 'asc' } = query;
    const filters = toUserFilters(query);
    const found = await this.users.list(filters, { cursor, limit, order });
    const { data, ...page } = toPage(found, { limit, cursor }, userOrder(order, filters), ({ id }) => [id]);
    return { ...page, users: data.map(toUserBody) };
  }

  @Patch(':user_id')
  @ApiOperation({
    summary: 'Rename, disable or enable a user.',
    description:
      'A disabled user is out of all workspaces within five seconds, with sessions, personal keys and open connections. Memberships stay for when the user is enabled again. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: UserResponse })
  @Throws(AdministrationErrors.user_not_found)
  async update(
    @Req() { id }: AuthenticatedRequest,
    @Param() path: UserPath,
    @Body() body: UpdateUserRequest,
  ): Promise<UserResponse> {
    const user = await this.users.update(id, path.user_id, toUserChange(body));
    this.authenticator.forget();
    return { success: true, user: toUserBody(user) };
  }

  @Delete(':user_id')
  @ApiOperation({
    summary: 'Delete a user.',
    description:
      'Memberships, personal keys and sessions end. What the user did keeps the name; to remove that, too, erase the person. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: DoneResponse })
  @Throws(AdministrationErrors.user_not_found)
  async delete(@Req() { id }: AuthenticatedRequest, @Param() path: UserPath): Promise<DoneResponse> {
    await this.users.delete(id, path.user_id);
    this.authenticator.forget();
    return { success: true };
  }

  @Post(':user_id/password-links')
  @ApiOperation({
    summary: 'Create a link with which a user sets a password.',
    description:
      'For a user who has forgotten it. The link works once, for 24 hours, and ends earlier ones. Setting the password ends all sessions of the user. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiCreatedResponse({ type: PasswordLinkResponse })
  @Throws(AdministrationErrors.user_not_found)
  async createPasswordLink(
    @Req() { id }: AuthenticatedRequest,
    @Param() path: UserPath,
  ): Promise<PasswordLinkResponse> {
    return toPasswordLink(await this.users.createPasswordLink({ requestId: id }, path.user_id));
  }
}
