import type { Client } from './client.js';
import type { TestApp } from './test-app.js';

export const USERS = '/scim/v2/Users';
export const GROUPS = '/scim/v2/Groups';

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export type Json = Record<string, unknown>;
export type Resource = Json & { id: string; meta: { version: string; location: string; lastModified: string } };

export interface Page {
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: Resource[];
}

/** An identity provider with a token of its own. */
export async function provider(app: TestApp): Promise<Client> {
  const body = { name: 'Provider' };
  const { secret } = (await app.operator().post('/api/admin/v1/scim-tokens', body, 201)) as { secret: string };
  return app.clientWith(null).with({ authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' });
}

export const userBody = <T extends object>(userName: string, more?: T) => ({
  schemas: [USER_SCHEMA],
  userName,
  ...(more as T),
});
export const groupBody = (displayName: string, more: object = {}) => ({
  schemas: [GROUP_SCHEMA],
  displayName,
  ...more,
});
export const patchBody = (...Operations: object[]) => ({ schemas: [PATCH_SCHEMA], Operations });

/** Sends a body as text, so that the type of the content is the client's. */
export const sent = (body: object): string => JSON.stringify(body);

export async function found(client: Client, path: string, filter: string): Promise<Resource[]> {
  const { Resources } = (await client.get(`${path}?filter=${encodeURIComponent(filter)}`)) as Page;
  return Resources;
}
