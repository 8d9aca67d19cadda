import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { USER_COMPONENT } from '../protocol/documents.js';
import {
  baseOf,
  CurrentExchange,
  type Exchange,
  providerOf,
  ScimListQuery,
  sendResource,
  setType,
  ShownQuery,
} from '../protocol/http.js';
import { type ListResponse, listResponse } from '../protocol/messages.js';
import { projectionOf } from '../protocol/projection.js';
import { routesOf } from '../protocol/routes.js';
import { USER } from '../protocol/schemas.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { ScimUsersResponse } from './scim-users.dto.js';
import { ScimUsers } from './scim-users.service.js';
import { type ScimUser, toUserResource } from './user-resource.js';

class ScimUserPath {
  @TextField({ query: true, description: 'The id of the user.', example: '7' })
  scim_user_id: string;
}

const EXAMPLE = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada@example.com',
  externalId: '00u1',
  name: { givenName: 'Ada', familyName: 'King' },
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  active: true,
};

const REPLACED = {
  ...EXAMPLE,
  userName: 'ada.lovelace@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
};

const DISABLED = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
};

const Route = routesOf('user', USER_COMPONENT);

@ApiTags('SCIM')
@Controller('scim/v2/Users')
export class ScimUsersController {
  constructor(private readonly users: ScimUsers) {}

  @Get()
  @ApiOperation({
    summary: 'List users, or find one by a filter.',
    description:
      'All users of the installation, those who were invited included: find somebody by `userName` to link the account. Sorted by id without `sortBy`.',
  })
  @Route.Lists(ScimUsersResponse)
  async list(@CurrentExchange() exchange: Exchange, @Query() query: ScimListQuery): Promise<ListResponse<JsonObject>> {
    const { users, total, startIndex } = await this.users.list(query);
    const projection = projectionOf(USER, query);
    setType(exchange);
    const base = baseOf(exchange);
    const resources = users.map((user) => projection.of(toUserResource(user, base)));
    return listResponse(resources, total, startIndex);
  }

  @Post()
  @ApiOperation({
    summary: 'Create a user.',
    description:
      'The user has no password and is a member of no workspace until a group rule of the operator says so. `userName` is the e-mail address, unique in any letter case: 409 `uniqueness` when somebody has it.',
  })
  @Route.Creates(EXAMPLE)
  async create(
    @CurrentExchange() exchange: Exchange,
    @Query() query: ShownQuery,
    @Body() body: object,
  ): Promise<JsonObject | undefined> {
    return send(exchange, await this.users.create(providerOf(exchange), body), query);
  }

  @Get(':scim_user_id')
  @ApiOperation({ summary: 'Read a user.', description: 'With `If-None-Match` 304 when the version is the same.' })
  @Route.Reads()
  async get(
    @CurrentExchange() exchange: Exchange,
    @Param() { scim_user_id: id }: ScimUserPath,
    @Query() query: ShownQuery,
  ): Promise<JsonObject | undefined> {
    return send(exchange, await this.users.get(id), query);
  }

  @Put(':scim_user_id')
  @ApiOperation({
    summary: 'Replace a user.',
    description:
      'Attributes that are left out lose their values, but for `active`, which stays. `"active": false` disables the user: out of all workspaces within five seconds, with sessions, personal keys and open connections.',
  })
  @Route.Replaces(REPLACED)
  async replace(
    @CurrentExchange() exchange: Exchange,
    @Param() { scim_user_id: id }: ScimUserPath,
    @Query() query: ShownQuery,
    @Body() body: object,
  ): Promise<JsonObject | undefined> {
    return send(exchange, await this.users.replace(providerOf(exchange), id, body), query);
  }

  @Patch(':scim_user_id')
  @ApiOperation({
    summary: 'Change attributes of a user.',
    description:
      'Operations `add`, `replace` and `remove` of RFC 7644, section 3.5.2. All of them are done, or none. `active` false disables the user as `PUT` does.',
  })
  @Route.Patches({ disable: { value: DISABLED } }, 'The user after the request.', ScimErrors.scim_target_missing)
  async patch(
    @CurrentExchange() exchange: Exchange,
    @Param() { scim_user_id: id }: ScimUserPath,
    @Query() query: ShownQuery,
    @Body() body: object,
  ): Promise<JsonObject | undefined> {
    return send(exchange, await this.users.patch(providerOf(exchange), id, body), query);
  }

  @Delete(':scim_user_id')
  @ApiOperation({
    summary: 'Delete a user.',
    description: 'Memberships, personal keys and sessions end. What the user did keeps the name.',
  })
  @Route.Deletes()
  async delete(@CurrentExchange() exchange: Exchange, @Param() { scim_user_id: id }: ScimUserPath): Promise<void> {
    await this.users.delete(providerOf(exchange), id);
  }
}

function send(exchange: Exchange, user: ScimUser, query: ShownQuery): JsonObject | undefined {
  const resource = toUserResource(user, baseOf(exchange));
  return sendResource(exchange, resource, projectionOf(USER, query).of(resource));
}
