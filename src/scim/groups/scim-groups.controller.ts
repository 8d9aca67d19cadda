import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { GROUP_COMPONENT } from '../protocol/documents.js';
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
import { type Projection, projectionOf } from '../protocol/projection.js';
import { routesOf } from '../protocol/routes.js';
import { GROUP } from '../protocol/schemas.js';
import { type ReadGroup, toGroupResource, versionOfGroup } from './group-resource.js';
import { ScimGroupsResponse } from './scim-groups.dto.js';
import { ScimGroups } from './scim-groups.service.js';

class ScimGroupPath {
  @TextField({
    query: true,
    description: 'The id of the group.',
    example: '0198c0de-3a51-7cc2-9d5b-4f3c8a1e7b60',
  })
  scim_group_id: string;
}

const EXAMPLE = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  displayName: 'Engineering',
  externalId: '00g1',
  members: [{ value: '1' }],
};

const REPLACED = { ...EXAMPLE, displayName: 'Engineers' };

const ADDED = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'add', path: 'members', value: [{ value: '1' }] }],
};

const Route = routesOf('group', GROUP_COMPONENT);

const shownBy = (query: ShownQuery): { projection: Projection; withMembers: boolean } => {
  const projection = projectionOf(GROUP, query);
  return { projection, withMembers: projection.needs('members') };
};

@ApiTags('SCIM')
@Controller('scim/v2/Groups')
export class ScimGroupsController {
  constructor(private readonly groups: ScimGroups) {}

  @Get()
  @ApiOperation({
    summary: 'List groups, or find one by a filter.',
    description: 'With `excludedAttributes=members` members are not read.',
  })
  @Route.Lists(ScimGroupsResponse)
  async list(@CurrentExchange() exchange: Exchange, @Query() query: ScimListQuery): Promise<ListResponse<JsonObject>> {
    const { projection, ...shown } = shownBy(query);
    const { groups, total, startIndex } = await this.groups.list(query, shown);
    setType(exchange);
    const base = baseOf(exchange);
    const resources = groups.map((group) => projection.of(toGroupResource(group, base)));
    return listResponse(resources, total, startIndex);
  }

  @Post()
  @ApiOperation({
    summary: 'Create a group.',
    description:
      'Group rules of the operator name groups by their `displayName`, which is unique: 409 `uniqueness` when there is such a group. Members who do not exist are left out.',
  })
  @Route.Creates(EXAMPLE)
  async create(
    @CurrentExchange() exchange: Exchange,
    @Query() query: ShownQuery,
    @Body() body: object,
  ): Promise<JsonObject | undefined> {
    const { projection, ...shown } = shownBy(query);
    const group = await this.groups.create(providerOf(exchange), body, shown);
    return send(exchange, group, projection);
  }

  @Get(':scim_group_id')
  @ApiOperation({ summary: 'Read a group.', description: 'With `If-None-Match` 304 when the version is the same.' })
  @Route.Reads()
  async get(
    @CurrentExchange() exchange: Exchange,
    @Param() { scim_group_id: id }: ScimGroupPath,
    @Query() query: ShownQuery,
  ): Promise<JsonObject | undefined> {
    const { projection, ...shown } = shownBy(query);
    return send(exchange, await this.groups.get(id, shown), projection);
  }

  @Put(':scim_group_id')
  @ApiOperation({
    summary: 'Replace a group with its members.',
    description: 'Attributes that are left out lose their values: without `members` the group has none.',
  })
  @Route.Replaces(REPLACED)
  async replace(
    @CurrentExchange() exchange: Exchange,
    @Param() { scim_group_id: id }: ScimGroupPath,
    @Query() query: ShownQuery,
    @Body() body: object,
  ): Promise<JsonObject | undefined> {
    const { projection, ...shown } = shownBy(query);
    return send(exchange, await this.groups.replace(providerOf(exchange), id, body, shown), projection);
  }

  @Patch(':scim_group_id')
  @ApiOperation({
    summary: 'Change a group or its members.',
    description:
      'Operations `add`, `replace` and `remove` of RFC 7644, section 3.5.2. Members are added and removed in any number: their list is not sent back, unless `attributes` asks for it.',
  })
  @Route.Patches({ add: { value: ADDED } }, 'The attributes that were asked for.')
  @ApiNoContentResponse({ description: 'The group was changed.' })
  async patch(
    @CurrentExchange() exchange: Exchange,
    @Param() { scim_group_id: id }: ScimGroupPath,
    @Query() query: ShownQuery,
    @Body() body: object,
  ): Promise<JsonObject | undefined> {
    const isAsked = query.attributes !== undefined;
    const { projection, ...shown } = isAsked ? shownBy(query) : shownBy({ excludedAttributes: 'members' });
    const group = await this.groups.patch(providerOf(exchange), id, body, shown);
    if (isAsked) return send(exchange, group, projection);
    void exchange.reply.status(204).header('etag', versionOfGroup(group));
    return undefined;
  }

  @Delete(':scim_group_id')
  @ApiOperation({
    summary: 'Delete a group.',
    description: 'Its members lose the memberships that rules gave them for it.',
  })
  @Route.Deletes()
  async delete(@CurrentExchange() exchange: Exchange, @Param() { scim_group_id: id }: ScimGroupPath): Promise<void> {
    await this.groups.delete(providerOf(exchange), id);
  }
}

function send(exchange: Exchange, group: ReadGroup, projection: Projection): JsonObject | undefined {
  const resource = toGroupResource(group, baseOf(exchange));
  return sendResource(exchange, resource, projection.of(resource));
}
