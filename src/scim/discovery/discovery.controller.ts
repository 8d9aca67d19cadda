import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TextField } from '../../platform/http/fields.js';
import { Throws } from '../../platform/http/throws.js';
import { baseOf, CurrentExchange, type Exchange, ForProviders, setType } from '../protocol/http.js';
import { listResponse } from '../protocol/messages.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { serviceProviderConfig, toResourceType, toSchema } from './discovery.js';
import {
  ResourceTypeResponse,
  ResourceTypesResponse,
  SchemaResponse,
  SchemasResponse,
  ServiceProviderConfigResponse,
} from './discovery.dto.js';
import { GROUP, USER } from '../protocol/schemas.js';

class SchemaPath {
  @TextField({ query: true, description: 'The URN of the schema.', example: USER.core.id })
  scim_schema: string;
}

class ResourceTypePath {
  @TextField({ query: true, description: 'The name of the type.', example: 'User' })
  scim_resource_type: string;
}

const TYPES = [USER, GROUP];
const SCHEMAS = TYPES.flatMap(({ core, extensions }) => [core, ...extensions]);

/** Descriptions of the service for providers. */
@ApiTags('SCIM')
@Controller('scim/v2')
export class ScimDiscoveryController {
  @Get('ServiceProviderConfig')
  @ApiOperation({
    summary: 'Read which parts of SCIM this server supports.',
    description: 'PATCH, filters, sorting and ETags. There are no bulk requests and no passwords.',
  })
  @ForProviders()
  @ApiOkResponse({ type: ServiceProviderConfigResponse })
  config(@CurrentExchange() exchange: Exchange): object {
    setType(exchange);
    return serviceProviderConfig(baseOf(exchange));
  }

  @Get('Schemas')
  @ApiOperation({ summary: 'List the schemas of users and groups.', description: 'The schemas of RFC 7643.' })
  @ForProviders()
  @ApiOkResponse({ type: SchemasResponse })
  schemas(@CurrentExchange() exchange: Exchange): object {
    setType(exchange);
    const base = baseOf(exchange);
    const shown = SCHEMAS.map((schema) => toSchema(schema, base));
    return listResponse(shown, shown.length, 1);
  }

  @Get('Schemas/:scim_schema')
  @ApiOperation({ summary: 'Read a schema.', description: 'Its attributes with their characteristics.' })
  @ForProviders()
  @ApiOkResponse({ type: SchemaResponse })
  @Throws(ScimErrors.scim_resource_not_found, ScimErrors.scim_value_invalid)
  schema(@CurrentExchange() exchange: Exchange, @Param() { scim_schema: id }: SchemaPath): object {
    const schema = SCHEMAS.find((each) => each.id.toLowerCase() === id.toLowerCase());
    if (!schema) throw ScimErrors.scim_resource_not_found('Schema', id.slice(0, 100));
    setType(exchange);
    return toSchema(schema, baseOf(exchange));
  }

  @Get('ResourceTypes')
  @ApiOperation({ summary: 'List the types of resources.', description: 'Users and groups.' })
  @ForProviders()
  @ApiOkResponse({ type: ResourceTypesResponse })
  resourceTypes(@CurrentExchange() exchange: Exchange): object {
    setType(exchange);
    const base = baseOf(exchange);
    const shown = TYPES.map((type) => toResourceType(type, base));
    return listResponse(shown, shown.length, 1);
  }

  @Get('ResourceTypes/:scim_resource_type')
  @ApiOperation({ summary: 'Read a type of resources.', description: 'Its path and its schemas.' })
  @ForProviders()
  @ApiOkResponse({ type: ResourceTypeResponse })
  @Throws(ScimErrors.scim_resource_not_found, ScimErrors.scim_value_invalid)
  resourceType(@CurrentExchange() exchange: Exchange, @Param() { scim_resource_type: name }: ResourceTypePath): object {
    const type = TYPES.find((each) => each.name === name);
    if (!type) throw ScimErrors.scim_resource_not_found('ResourceType', name.slice(0, 100));
    setType(exchange);
    return toResourceType(type, baseOf(exchange));
  }
}
