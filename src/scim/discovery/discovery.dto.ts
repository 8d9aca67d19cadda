import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, EnumField, IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import { ListBody } from '../protocol/scim-operations.js';

const SchemasField = (): PropertyDecorator =>
  ListField('string', { description: 'The URN of the schema of this answer.' });

class DiscoveryMeta {
  @TextField({ description: 'The type of the resource in the answer.' })
  resourceType: string;

  @TextField({ description: 'The URL of the answer.' })
  location: string;
}

const MetaField = (): PropertyDecorator =>
  ApiProperty({ type: () => DiscoveryMeta, description: 'Facts about the answer.' });

class Supported {
  @BooleanField({ description: 'Whether the server supports it.' })
  supported: boolean;
}

class BulkSupport extends Supported {
  @IntegerField({ description: 'The most operations of a bulk request.' })
  maxOperations: number;

  @IntegerField({ description: 'The most bytes of a bulk request.' })
  maxPayloadSize: number;
}

class FilterSupport extends Supported {
  @IntegerField({ description: 'The most results of a page.' })
  maxResults: number;
}

class AuthenticationScheme {
  @TextField({ description: 'The kind of credential.' })
  type: string;

  @TextField({ description: 'The name of the credential.' })
  name: string;

  @TextField({ description: 'Where it comes from.' })
  description: string;

  @TextField({ description: 'The URL of its specification.' })
  specUri: string;

  @BooleanField({ description: 'Whether it is the preferred one.' })
  primary: boolean;
}

const Part = (of: () => new () => object, description: string): PropertyDecorator =>
  ApiProperty({ type: () => of(), description });

export class ServiceProviderConfigResponse {
  @SchemasField()
  schemas: string[];

  @Part(() => Supported, 'PATCH.')
  patch: Supported;

  @Part(() => BulkSupport, 'Bulk requests.')
  bulk: BulkSupport;

  @Part(() => FilterSupport, 'Filters of lists.')
  filter: FilterSupport;

  @Part(() => Supported, 'Changes of passwords.')
  changePassword: Supported;

  @Part(() => Supported, 'Sorting of lists.')
  sort: Supported;

  @Part(() => Supported, 'Versions of resources.')
  etag: Supported;

  @ApiProperty({ type: () => [AuthenticationScheme], description: 'The credentials that the server takes.' })
  authenticationSchemes: AuthenticationScheme[];

  @MetaField()
  meta: DiscoveryMeta;
}

class SchemaAttribute {
  @TextField({ description: 'The name of the attribute.' })
  name: string;

  @TextField({ description: 'The type of its values.' })
  type: string;

  @BooleanField({ description: 'Whether it has a list of values.' })
  multiValued: boolean;

  @TextField({ optional: true, description: 'The meaning of the attribute.' })
  description?: string;

  @BooleanField({ description: 'Whether every resource has it.' })
  required: boolean;

  @BooleanField({ optional: true, description: 'Whether letter case counts.' })
  caseExact?: boolean;

  @EnumField(['readOnly', 'readWrite', 'immutable', 'writeOnly'], { description: 'Whether clients can change it.' })
  mutability: string;

  @EnumField(['always', 'never', 'default', 'request'], { description: 'When answers have it.' })
  returned: string;

  @EnumField(['none', 'server', 'global'], { optional: true, description: 'Whether two resources may have one value.' })
  uniqueness?: string;

  @ListField('string', { optional: true, description: 'Usual values.' })
  canonicalValues?: string[];

  @ListField('string', { optional: true, description: 'The types of resources that a reference may refer to.' })
  referenceTypes?: string[];

  @ApiProperty({
    type: () => [SchemaAttribute],
    required: false,
    description: 'The attributes of a complex attribute.',
  })
  subAttributes?: SchemaAttribute[];
}

export class SchemaResponse {
  @SchemasField()
  schemas: string[];

  @TextField({ description: 'The URN of the schema.' })
  id: string;

  @TextField({ description: 'Its name.' })
  name: string;

  @TextField({ description: 'The purpose of the schema.' })
  description: string;

  @ApiProperty({ type: () => [SchemaAttribute], description: 'The attributes of the schema.' })
  attributes: SchemaAttribute[];

  @MetaField()
  meta: DiscoveryMeta;
}

export class SchemasResponse extends ListBody {
  @ApiProperty({ type: () => [SchemaResponse], description: 'All schemas.' })
  Resources: SchemaResponse[];
}

class SchemaExtension {
  @TextField({ description: 'The URN of the extension.' })
  schema: string;

  @BooleanField({ description: 'Whether every resource has it.' })
  required: boolean;
}

export class ResourceTypeResponse {
  @SchemasField()
  schemas: string[];

  @TextField({ description: 'The name of the type.' })
  id: string;

  @TextField({ description: 'The name of the type.' })
  name: string;

  @TextField({ description: 'The purpose of the type of resource.' })
  description: string;

  @TextField({ description: 'The path of its resources.' })
  endpoint: string;

  @TextField({ description: 'The URN of its schema.' })
  schema: string;

  @ApiProperty({ type: () => [SchemaExtension], description: 'The extensions of its schema.' })
  schemaExtensions: SchemaExtension[];

  @MetaField()
  meta: DiscoveryMeta;
}

export class ResourceTypesResponse extends ListBody {
  @ApiProperty({ type: () => [ResourceTypeResponse], description: 'All types.' })
  Resources: ResourceTypeResponse[];
}
