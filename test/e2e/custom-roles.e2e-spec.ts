import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TABLES } from '../support/factories.js';
import { promptBody, PUBLISH } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const ADMIN = '/api/admin/v1';
const ME = '/api/public/v2/me';

let app: TestApp;
let operator: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  operator = app.operator();
});
afterAll(() => app.stop());

interface Workspace {
  id: number;
  path: string;
  admin: Client;
}

interface Role {
  name: string;
  is_built_in: boolean;
  permissions: string[];
}

async function newWorkspace(): Promise<Workspace> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get(ME)) as { workspace: { id: number } };
  return { id: workspace.id, path: `${ADMIN}/workspaces/${workspace.id}`, admin };
}

async function keyWith({ path, admin }: Workspace, roles: string[]): Promise<Client> {
  const { secret } = (await admin.post(`${path}/api-keys`, { roles }, 201)) as { secret: string };
  return app.clientWith(secret);
}

const define = ({ path, admin }: Workspace, name: string, permissions: string[], status = 201) =>
  admin.post(`${path}/roles`, { name, permissions }, status);

const granted = async (client: Client) => ((await client.get(ME)) as { permissions: string[] }).permissions.toSorted();

describe('the roles of a workspace', () => {
  it('are the built-in ones and its own, with their permissions', async () => {
    const workspace = await newWorkspace();
    await workspace.admin.post(
      `${workspace.path}/roles`,
      { name: 'reviewer', description: 'Reviews.', permissions: ['PROMPT_EDIT', 'PROMPT_DEPLOY', 'PROMPT_EDIT'] },
      201,
    );
    const viewer = await keyWith(workspace, ['viewer']);
    const { roles, permissions } = (await viewer.get(`${workspace.path}/roles`)) as {
      roles: Role[];
      permissions: string[];
    };
    expect(roles.map(({ name }) => name)).toEqual([
      'admin',
      'member',
      'contributor',
      'publisher',
      'approver',
      'developer',
      'viewer',
      'reviewer',
    ]);
    expect(roles.at(0)).toMatchObject({ is_built_in: true, permissions, created_at: null });
    expect(roles.at(-1)).toMatchObject({
      description: 'Reviews.',
      is_built_in: false,
      permissions: ['PROMPT_DEPLOY', 'PROMPT_EDIT'],
    });
    const other = await newWorkspace();
    expect(await other.admin.get(`${other.path}/roles`)).not.toMatchObject({ roles: { 7: {} } });
  });

  it.each([
    [{ permissions: [] }, 422],
    [{ name: 'a' }, 422],
    [{ name: 'Reviewer', permissions: [] }, 422],
    [{ name: 'a,admin', permissions: [] }, 422],
    [{ name: 'a'.repeat(64), permissions: [] }, 422],
    [{ name: 5, permissions: [] }, 422],
    [{ name: 'a', permissions: null }, 422],
    [{ name: 'a', permissions: ['NOTHING'] }, 422],
    [{ name: 'a', permissions: [['ADMIN']] }, 422],
    [{ name: 'a', permissions: ['__proto__'] }, 422],
    [{ name: 'a', permissions: [], more: 1 }, 422],
    [{ name: 'admin', permissions: [] }, 409],
  ])('refuse %j', async (body, status) => {
    const { admin, path } = await newWorkspace();
    await admin.post(`${path}/roles`, body, status);
  });

  it('have one of a name, however many ask for it at once', async () => {
    const { admin, path } = await newWorkspace();
    const body = { name: 'once', permissions: [] };
    const answers = await Promise.all([1, 2, 3].map(() => admin.request('POST', `${path}/roles`, body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });
});

describe('a role of a workspace', () => {
  it('grants its permissions to keys and nothing more, together with other roles', async () => {
    const workspace = await newWorkspace();
    await define(workspace, 'writer', ['TABLE_CREATE']);
    const [alone, both] = [await keyWith(workspace, ['writer']), await keyWith(workspace, ['writer', 'publisher'])];
    expect(await granted(alone)).toEqual(['TABLE_CREATE']);
    expect(await granted(both)).toEqual(
      ['PROMPT_DEPLOY', 'SKILL_DEPLOY', 'TABLE_CREATE', 'TOOL_DEPLOY', 'WORKFLOW_DEPLOY'].toSorted(),
    );
    await alone.post(TABLES, { title: 'Mine' }, 201);
    await alone.post(PUBLISH, promptBody('mine'), 403);
  });

  it('works at once for everybody who has it when its permissions change', async () => {
    const workspace = await newWorkspace();
    await define(workspace, 'writer', []);
    const key = await keyWith(workspace, ['writer']);
    await key.post(TABLES, { title: 'Mine' }, 403);
    await workspace.admin.patch(`${workspace.path}/roles/writer`, { permissions: ['TABLE_CREATE'] });
    await key.post(TABLES, { title: 'Mine' }, 201);
    await workspace.admin.patch(`${workspace.path}/roles/writer`, { description: null });
    await key.post(TABLES, { title: 'Another' }, 201);
    await workspace.admin.patch(`${workspace.path}/roles/writer`, { permissions: [] });
    await key.post(TABLES, { title: 'A third' }, 403);
  });

  it('limits personal keys of its members', async () => {
    const workspace = await newWorkspace();
    await define(workspace, 'writer', ['TABLE_CREATE', 'TABLE_EDIT']);
    const invitation = { email: 'writer@example.com', roles: ['writer'] };
    const { path } = (await workspace.admin.post(`${workspace.path}/invitations`, invitation, 201)) as { path: string };
    const accepted = await app
      .clientWith(null)
      .request('POST', '/console/invitation/accept', { token: path.split('#')[1], password: 'correct horse battery' });
    const browser = app
      .clientWith(null)
      .with({ 'x-console': '1', cookie: String(accepted.headers['set-cookie']).split(';')[0]! });
    expect(await granted(browser)).toEqual(['TABLE_CREATE', 'TABLE_EDIT']);
    await browser.post(`${ME}/api-keys`, { roles: ['contributor'] }, 403);
    const { secret } = (await browser.post(`${ME}/api-keys`, { roles: ['writer'] }, 201)) as { secret: string };
    await workspace.admin.patch(`${workspace.path}/roles/writer`, { permissions: ['TABLE_EDIT'] });
    expect(await granted(app.clientWith(secret))).toEqual(['TABLE_EDIT']);
  });

  it('cannot be made stronger, given, changed or deleted by somebody who may do less', async () => {
    const workspace = await newWorkspace();
    await define(workspace, 'manager', ['ADMIN', 'MANAGE_API_KEYS']);
    await define(workspace, 'writer', ['TABLE_CREATE']);
    const manager = await keyWith(workspace, ['manager']);
    const refused = { error: 'permission_missing' };
    const roles = `${workspace.path}/roles`;
    expect(await manager.post(roles, { name: 'mine', permissions: ['TABLE_CREATE'] }, 403)).toMatchObject(refused);
    expect(await manager.patch(`${roles}/writer`, { permissions: [] }, 403)).toMatchObject(refused);
    expect(await manager.patch(`${roles}/manager`, { permissions: ['ADMIN', 'TABLE_EDIT'] }, 403)).toMatchObject(
      refused,
    );
    expect(await manager.delete(`${roles}/writer`, 403)).toMatchObject(refused);
    for (const body of [{ roles: ['writer'] }, { role: 'writer' }]) {
      expect(await manager.post(`${workspace.path}/api-keys`, body, 403)).toMatchObject(refused);
    }
    const invitation = { email: 'somebody@example.com', roles: ['writer'] };
    expect(await manager.post(`${workspace.path}/invitations`, invitation, 403)).toMatchObject(refused);
    await manager.post(roles, { name: 'mine', permissions: ['ADMIN'] }, 201);
    const viewer = await keyWith(workspace, ['viewer']);
    await viewer.post(roles, { name: 'other', permissions: [] }, 403);
    await viewer.patch(`${roles}/missing`, { permissions: [] }, 404);
    await viewer.patch(`${roles}/%00`, { permissions: [] }, 404);
    await viewer.delete(`${roles}/writer`, 403);
  });

  it('stays while somebody has it', async () => {
    const workspace = await newWorkspace();
    const { admin, path, id } = workspace;
    await define(workspace, 'kept', []);
    const role = `${path}/roles/kept`;
    const { api_key: key } = (await admin.post(`${path}/api-keys`, { roles: ['kept', 'viewer'] }, 201)) as {
      api_key: { id: number };
    };
    const body = { email: 'kept@example.com', roles: ['kept'] };
    const { invitation } = (await admin.post(`${path}/invitations`, body, 201)) as { invitation: { id: number } };
    const rule = { group: 'kept', workspace_id: id, roles: ['kept'] };
    const { group_rule } = (await operator.post(`${ADMIN}/group-rules`, rule, 201)) as { group_rule: { id: number } };
    expect(await admin.delete(role, 409)).toMatchObject({
      error: 'role_in_use',
      message: expect.stringContaining('1 keys, 0 members, 1 open invitations, 1 group rules'),
    });
    await admin.delete(`${path}/api-keys/${key.id}`);
    await admin.delete(role, 409);
    await admin.delete(`${path}/invitations/${invitation.id}`);
    await admin.delete(role, 409);
    await operator.delete(`${ADMIN}/group-rules/${group_rule.id}`);
    await admin.delete(role);
    await admin.delete(role, 404);
    await admin.post(`${path}/api-keys`, { roles: ['kept'] }, 422);
  });

  it('is not deleted under a key that gets it at the same moment', async () => {
    const workspace = await newWorkspace();
    const { admin, path } = workspace;
    for (let round = 0; round < 5; round++) {
      await define(workspace, `round-${round}`, []);
      const [created, deleted] = await Promise.all([
        admin.request('POST', `${path}/api-keys`, { roles: [`round-${round}`] }),
        admin.request('DELETE', `${path}/roles/round-${round}`),
      ]);
      expect([
        [201, 409],
        [422, 200],
      ]).toContainEqual([created.status, deleted.status]);
    }
  });

  it('is of one workspace', async () => {
    const [first, second] = [await newWorkspace(), await newWorkspace()];
    await define(first, 'writer', ['TABLE_CREATE']);
    await second.admin.post(`${second.path}/api-keys`, { roles: ['writer'] }, 422);
    await second.admin.patch(`${second.path}/roles/writer`, { permissions: [] }, 404);
    const rule = { group: 'writers', workspace_id: second.id, roles: ['writer'] };
    await operator.post(`${ADMIN}/group-rules`, rule, 422);
    await define(second, 'writer', ['TABLE_EDIT']);
    expect(await granted(await keyWith(first, ['writer']))).toEqual(['TABLE_CREATE']);
    expect(await granted(await keyWith(second, ['writer']))).toEqual(['TABLE_EDIT']);
  });
});
