import { randomUUID } from 'node:crypto';
import { type Examples, NOWHERE } from '../../test/support/examples.js';

export default {
  unknown: {
    scim_token_id: 999_999,
    scim_user_id: 999_999,
    scim_group_id: NOWHERE,
    scim_schema: 'urn:ietf:params:scim:schemas:core:2.0:Nothing',
    scim_resource_type: 'Nothing',
  },
  async create({ operator }) {
    const issued = (await operator.post('/api/admin/v1/scim-tokens', { name: 'Example' }, 201)) as {
      scim_token: { id: number };
      secret: string;
    };
    const provider = operator.with({ authorization: `Bearer ${issued.secret}` });
    const user = { userName: `${randomUUID()}@example.com` };
    const group = { displayName: randomUUID() };
    return {
      scim_token_id: issued.scim_token.id,
      scim_user_id: ((await provider.post('/scim/v2/Users', user, 201)) as { id: string }).id,
      scim_group_id: ((await provider.post('/scim/v2/Groups', group, 201)) as { id: string }).id,
      scim_schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
      scim_resource_type: 'User',
    };
  },
} satisfies Examples;
