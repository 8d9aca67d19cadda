import { randomUUID } from 'node:crypto';
import type { Client } from '../../test/support/client.js';
import { type Examples, type Ids, NOWHERE } from '../../test/support/examples.js';

export default {
  unknown: {
    workspace_id: 999_999,
    key_id: 999_999,
    user_id: 999_999,
    invitation_id: 999_999,
    console_session_id: NOWHERE,
    rule_id: 999_999,
    role_name: 'nobody',
  },
  bodies: {
    'PATCH /api/admin/v1/workspaces/{workspace_id}': { name: 'Mine' },
    'PATCH /api/admin/v1/workspaces/{workspace_id}/api-keys/{key_id}': { name: 'Mine' },
    'POST /api/admin/v1/workspaces/{workspace_id}/invitations': { email: 'third@example.com' },
    'PATCH /api/admin/v1/workspaces/{workspace_id}/members/{user_id}': { roles: ['viewer'] },
    'PATCH /api/admin/v1/users/{user_id}': { name: 'Sam' },
    'POST /api/admin/v1/workspaces/{workspace_id}/roles': { name: 'mine', permissions: [] },
    'PATCH /api/admin/v1/workspaces/{workspace_id}/roles/{role_name}': { permissions: [] },
    'PATCH /api/admin/v1/group-rules/{rule_id}': { roles: ['viewer'] },
  },
  async create({ me, operator }) {
    const { workspaces } = (await operator.get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
    for (const { id } of workspaces) {
      const { status, body } = await me.request('GET', `/api/admin/v1/workspaces/${id}/api-keys`);
      if (status !== 200) continue;
      const keyId = (body as { api_keys: { id: number }[] }).api_keys.at(-1)!.id;
      const rule = { group: randomUUID(), workspace_id: id, roles: ['viewer'] };
      const { group_rule } = (await operator.post('/api/admin/v1/group-rules', rule, 201)) as {
        group_rule: { id: number };
      };
      return {
        workspace_id: id,
        key_id: keyId,
        rule_id: group_rule.id,
        role_name: await role(me, `/api/admin/v1/workspaces/${id}`),
        ...(await people(me, `/api/admin/v1/workspaces/${id}`)),
      };
    }
    throw new Error('The client has no workspace.');
  },
} satisfies Examples;

async function role(me: Client, workspace: string): Promise<string> {
  const name = `role-${randomUUID()}`;
  await me.post(`${workspace}/roles`, { name, permissions: [] }, 201);
  return name;
}

/** A member, an invitation that is open, and a session of the client. */
async function people(me: Client, workspace: string): Promise<Ids> {
  const invite = async () =>
    (await me.post(`${workspace}/invitations`, { email: `${randomUUID()}@example.com`, roles: ['viewer'] }, 201)) as {
      invitation: { id: number };
      path: string;
    };
  const token = (await invite()).path.split('#')[1];
  await me.post('/console/invitation/accept', { token, password: 'correct horse battery staple' }, 201);
  const { members } = (await me.get(`${workspace}/members`)) as { members: { user_id: number }[] };
  await me.post('/console/session', {}, 201);
  const { sessions } = (await me.get('/console/sessions')) as { sessions: { id: string }[] };
  return {
    user_id: members[0]!.user_id,
    invitation_id: (await invite()).invitation.id,
    console_session_id: sessions[0]!.id,
  };
}
