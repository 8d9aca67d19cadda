import { MOST_RESULTS } from '../protocol/http.js';
import type { ResourceType, Schema } from '../protocol/schemas.js';

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';

export function serviceProviderConfig(base: string): object {
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A SCIM token that the operator has created.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function toSchema({ id, name, description, attributes }: Schema, base: string): object {
  const meta = { resourceType: 'Schema', location: `${base}/Schemas/${id}` };
  return { schemas: [SCHEMA_SCHEMA], id, name, description, attributes, meta };
}

export function toResourceType({ name, endpoint, core, extensions }: ResourceType, base: string): object {
  return {
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    description: core.description,
    endpoint: `/${endpoint}`,
    schema: core.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}
