import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  found,
  groupBody,
  GROUPS,
  type Page,
  patchBody,
  provider,
  type Resource,
  sent,
  userBody,
  USERS,
} from '../support/scim.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ADMIN = '/api/admin/v1';
const ME = '/api/public/v2/me';
const PASSWORD = 'correct horse battery';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let app: TestApp;
let idp: Client;
let operator: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  idp = await provider(app);
  operator = app.operator();
});
afterAll(() => app.stop());

let made = 0;
const newEmail = () => `somebody-${++made}@example.com`;

const create = async (more: object = {}) =>
  (await idp.post(USERS, sent(userBody(newEmail(), more)), 201)) as Resource & { userName: string };

async function newWorkspace(): Promise<{ id: number; path: string; admin: Client }> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get(ME)) as { workspace: { id: number } };
  return { id: workspace.id, path: `${ADMIN}/workspaces/${workspace.id}`, admin };
}

const rule = (group: string, workspace_id: number, roles: string[]) =>
  operator.post(`${ADMIN}/group-rules`, { group, workspace_id, roles }, 201);

async function membersOf({ path }: { path: string }): Promise<string[]> {
  const { members } = (await operator.get(`${path}/members`)) as { members: { user_id: number }[] };
  return members.map(({ user_id: id }) => String(id)).sort();
}

async function auditOf({ path }: { path: string }): Promise<{ action: string; details: object; source: string }[]> {
  const { data } = (await operator.get(`${path}/audit-entries?limit=100`)) as {
    data: { action: string; details: object; source: string }[];
  };
  return data;
}

/** Somebody who signs in with a password, as a link of the operator lets them. */
async function browserOf(id: string, email: string): Promise<Client> {
  const { path } = (await operator.post(`${ADMIN}/users/${id}/password-links`, undefined, 201)) as { path: string };
  const anyone = app.clientWith(null);
  await anyone.post('/console/password', { token: path.split('#')[1], password: PASSWORD }, 201);
  const { headers } = await anyone.request('POST', '/console/sign-in', { email, password: PASSWORD });
  return anyone.with({ 'x-console': '1', cookie: String(headers['set-cookie']).split(';')[0]! });
}

describe('a provider that filters by userName and sends small documents', () => {
  it('tests the connection, looks for a user, creates, reads, replaces and disables it', async () => {
    expect(await idp.get(`${USERS}?startIndex=1&count=2`)).toMatchObject({ startIndex: 1 });
    const userName = newEmail();
    const query = `${USERS}?filter=${encodeURIComponent(`userName eq "${userName}"`)}&startIndex=1&count=100`;
    expect(await idp.get(query)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    const body = userBody(userName, {
      name: { givenName: 'Sam', familyName: 'Lee' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Sam Lee',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    const user = (await idp.post(USERS, sent(body), 201)) as Resource;
    const { password: _, groups: __, ...kept } = body;
    expect(user).toEqual({ ...kept, id: expect.any(String), meta: expect.any(Object) });
    expect(await idp.get(`${USERS}/${user.id}`)).toEqual(user);
    const replaced = { ...user, name: { givenName: 'Alex', familyName: 'Lee' }, displayName: 'Alex Lee' };
    expect(await idp.put(`${USERS}/${user.id}`, sent(replaced))).toMatchObject({
      displayName: 'Alex Lee',
      name: { givenName: 'Alex' },
      locale: 'en-US',
    });
    const disabled = await idp.patch(
      `${USERS}/${user.id}`,
      sent(patchBody({ op: 'replace', value: { active: false } })),
    );
    expect(disabled).toMatchObject({ active: false, displayName: 'Alex Lee' });
    expect((await found(idp, USERS, `userName eq "${userName.toUpperCase()}"`)).map(({ id }) => id)).toEqual([user.id]);
  });

  it('links a user who was invited: 409, found by userName, then changed', async () => {
    const workspace = await newWorkspace();
    const email = newEmail();
    const { path } = (await workspace.admin.post(`${workspace.path}/invitations`, { email }, 201)) as { path: string };
    const join = { token: path.split('#')[1], name: 'Ada', password: PASSWORD };
    await app.clientWith(null).post('/console/invitation/accept', join, 201);
    const again = await idp.post(USERS, sent(userBody(email.toUpperCase())), 409);
    expect(again).toMatchObject({ scimType: 'uniqueness', status: '409' });
    const [known] = await found(idp, USERS, `userName eq "${email}"`);
    expect(known).toMatchObject({ userName: email, displayName: 'Ada', active: true });
    await idp.put(`${USERS}/${known!.id}`, sent(userBody(email, { externalId: '00u2', displayName: 'Ada B.' })));
    expect((await found(idp, USERS, 'externalId eq "00u2"')).map(({ id }) => id)).toEqual([known!.id]);
    const { members } = (await workspace.admin.get(`${workspace.path}/members`)) as { members: { name: string }[] };
    expect(members).toMatchObject([{ email, name: 'Ada B.' }]);
  });

  it('pushes a group, renames it by replacing attributes, and changes its members', async () => {
    const [first, second, third] = [await create(), await create(), await create()];
    const name = `Push ${++made}`;
    const members = [{ value: first.id, display: first.userName }];
    const group = (await idp.post(GROUPS, sent(groupBody(name, { members })), 201)) as Resource;
    expect(group).toMatchObject({ displayName: name, members: [{ value: first.id, type: 'User' }] });
    const path = `${GROUPS}/${group.id}`;
    const rename = { op: 'replace', value: { id: group.id, displayName: `${name} renamed` } };
    await idp.patch(path, sent(patchBody(rename)), 204);
    const changes = [
      { op: 'remove', path: `members[value eq "${first.id}"]` },
      { op: 'add', path: 'members', value: [{ value: second.id }, { value: third.id }] },
    ];
    await idp.patch(path, sent(patchBody(...changes)), 204);
    const read = (await idp.get(path)) as Resource & { members: { value: string }[] };
    expect(read).toMatchObject({ displayName: `${name} renamed` });
    expect(read.members.map(({ value }) => value).sort()).toEqual([second.id, third.id].sort());
    await idp.delete(path, 204);
    await idp.get(path, 404);
  });
});

describe('a provider that capitalises operations and quotes booleans', () => {
  it('looks for a user that cannot exist to test the connection', async () => {
    expect(await found(idp, USERS, 'userName eq "8c9c2a1b-4f47-4f2a-9f4a-000000000000"')).toEqual([]);
    expect(await found(idp, USERS, 'externalId eq "nobody"')).toEqual([]);
  });

  it('creates a user with the enterprise extension, and changes it in its dialect', async () => {
    const userName = newEmail();
    const user = (await idp.post(
      USERS,
      sent({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
        externalId: `mail-nickname-${made}`,
        userName,
        active: true,
        emails: [{ primary: true, type: 'work', value: userName }],
        meta: { resourceType: 'User' },
        name: { formatted: 'Ada King', familyName: 'King', givenName: 'Ada' },
        roles: [],
        [ENTERPRISE]: { department: 'Engines' },
      }),
      201,
    )) as Resource;
    expect(user).toMatchObject({ displayName: 'Ada King', [ENTERPRISE]: { department: 'Engines' } });
    expect(await found(idp, USERS, `externalId eq "mail-nickname-${made}"`)).toHaveLength(1);
    const path = `${USERS}/${user.id}`;
    const changed = await idp.patch(
      path,
      sent(
        patchBody(
          { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
          { op: 'Replace', path: 'name.familyName', value: 'Lovelace' },
          { op: 'Add', path: `${ENTERPRISE}:manager`, value: '7' },
          { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
          { op: 'Replace', value: { displayName: 'Ada L.', [`${ENTERPRISE}:department`]: 'Numbers' } },
        ),
      ),
    );
    expect(changed).toMatchObject({
      emails: [{ value: 'new@example.com', type: 'work', primary: true }],
      name: { familyName: 'Lovelace' },
      phoneNumbers: [{ type: 'mobile', value: '+1 555' }],
      displayName: 'Ada L.',
      [ENTERPRISE]: { department: 'Numbers', manager: { value: '7' } },
    });
    const off = await idp.patch(path, sent(patchBody({ op: 'Replace', path: 'active', value: 'False' })));
    expect(off).toMatchObject({ active: false });
    const on = await idp.patch(path, sent(patchBody({ op: 'Replace', path: 'active', value: 'True' })));
    expect(on).toMatchObject({ active: true });
  });

  it('adds members in batches, removes them by value, and reads groups without members', async () => {
    const users = [await create(), await create(), await create()];
    const name = `Portions ${++made}`;
    const group = (await idp.post(GROUPS, sent(groupBody(name, { externalId: `ext-${made}` })), 201)) as Resource;
    const path = `${GROUPS}/${group.id}`;
    const value = users.map(({ id }) => ({ $ref: null, value: id }));
    await idp.patch(path, sent(patchBody({ op: 'Add', path: 'members', value })), 204);
    const without = (await idp.get(
      `${GROUPS}?excludedAttributes=members&filter=${encodeURIComponent(`displayName eq "${name}"`)}`,
    )) as Page;
    expect(without.Resources).toEqual([expect.not.objectContaining({ members: expect.anything() })]);
    const gone = { op: 'Remove', path: 'members', value: [{ value: users[0]!.id }] };
    await idp.patch(path, sent(patchBody(gone)), 204);
    await idp.patch(path, sent(patchBody(gone)), 204);
    const filter = `id eq "${group.id}" and members eq "${users[0]!.id}"`;
    expect(await found(idp, GROUPS, filter)).toEqual([]);
    expect(await found(idp, GROUPS, filter.replace(`"${users[0]!.id}"`, `"${users[1]!.id}"`))).toHaveLength(1);
    const single = { op: 'Add', path: 'members', value: { value: users[0]!.id } };
    await idp.patch(path, sent(patchBody(single)), 204);
    expect(await idp.get(`${USERS}/${users[0]!.id}`)).toMatchObject({
      groups: [{ value: group.id, display: name, type: 'direct' }],
    });
  });
});

describe('groups and rules', () => {
  it('give, change and end memberships as members come and go', async () => {
    const workspace = await newWorkspace();
    const name = `Engineering ${++made}`;
    await rule(name, workspace.id, ['viewer']);
    const [first, second] = [await create(), await create()];
    const group = (await idp.post(GROUPS, sent(groupBody(name, { members: [{ value: first.id }] })), 201)) as Resource;
    const path = `${GROUPS}/${group.id}`;
    expect(await membersOf(workspace)).toEqual([first.id]);
    await idp.put(path, sent(groupBody(name, { members: [{ value: second.id }] })));
    expect(await membersOf(workspace)).toEqual([second.id]);
    await idp.patch(path, sent(patchBody({ op: 'replace', path: 'displayName', value: `${name} 2` })), 204);
    expect(await membersOf(workspace)).toEqual([]);
    await idp.patch(path, sent(patchBody({ op: 'replace', path: 'displayName', value: name })), 204);
    expect(await membersOf(workspace)).toEqual([second.id]);
    await idp.delete(path, 204);
    expect(await membersOf(workspace)).toEqual([]);
    const actions = (await auditOf(workspace)).map(({ action }) => action);
    expect(actions.slice(0, 2)).toEqual(['member.remove', 'member.join']);
  });

  it('remove the last administrator as well, and say so', async () => {
    const workspace = await newWorkspace();
    const name = `Admins ${++made}`;
    await rule(name, workspace.id, ['admin']);
    const user = await create();
    await idp.post(GROUPS, sent(groupBody(name, { members: [{ value: user.id }] })), 201);
    await idp.delete(`${USERS}/${user.id}`, 204);
    expect(await membersOf(workspace)).toEqual([]);
    expect((await auditOf(workspace))[0]).toMatchObject({
      action: 'user.delete',
      source: 'operator',
      details: { by: 'scim', email: user.userName },
    });
  });
});

describe('a user who is disabled', () => {
  it('is out with sessions and personal keys, and in again when enabled', async () => {
    const workspace = await newWorkspace();
    const name = `Leavers ${++made}`;
    await rule(name, workspace.id, ['member']);
    const user = await create();
    await idp.post(GROUPS, sent(groupBody(name, { members: [{ value: user.id }] })), 201);
    const browser = await browserOf(user.id, user.userName);
    const { secret } = (await browser.post('/api/public/v2/me/api-keys', { name: 'Mine' }, 201)) as { secret: string };
    const key = app.clientWith(secret);
    await key.get(ME);
    const path = `${USERS}/${user.id}`;
    await idp.patch(path, sent(patchBody({ op: 'replace', path: 'active', value: false })));
    await key.get(ME, 401);
    await browser.get(ME, 401);
    expect(await membersOf(workspace)).toEqual([user.id]);
    expect((await auditOf(workspace))[0]).toMatchObject({
      action: 'user.set_status',
      details: { status: 'disabled', by: 'scim' },
    });
    // A document that does not mention it leaves the user disabled.
    expect(await idp.put(path, sent(userBody(user.userName)))).toMatchObject({ active: false });
    await idp.put(path, sent(userBody(user.userName, { active: true })));
    await until(async () => (await key.request('GET', ME)).status === 200);
    await idp.delete(path, 204);
    await key.get(ME, 401);
    await idp.delete(path, 404);
    await idp.get(path, 404);
  });

  it('keeps the address in the audit trail when it changes, and names other attributes without their values', async () => {
    const workspace = await newWorkspace();
    const name = `Renamed ${++made}`;
    await rule(name, workspace.id, ['viewer']);
    const user = await create();
    await idp.post(GROUPS, sent(groupBody(name, { members: [{ value: user.id }] })), 201);
    const userName = newEmail();
    const change = { userName, displayName: 'New', title: 'Secret title', externalId: 'e1' };
    await idp.patch(`${USERS}/${user.id}`, sent(patchBody({ op: 'replace', value: change })));
    const entries = (await auditOf(workspace)).slice(0, 3);
    expect(entries.map(({ action }) => action).sort()).toEqual(['user.rename', 'user.set_email', 'user.update']);
    expect(JSON.stringify(entries)).not.toContain('Secret title');
    expect(entries.find(({ action }) => action === 'user.update')).toMatchObject({
      details: { attributes: ['externalId', 'title'], by: 'scim' },
    });
    const { members } = (await operator.get(`${workspace.path}/members`)) as { members: object[] };
    expect(members).toMatchObject([{ email: userName, name: 'New' }]);
  });
});
