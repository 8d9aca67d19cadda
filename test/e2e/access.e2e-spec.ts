import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet, TABLES } from '../support/factories.js';
import { logCall, send, span } from '../support/otlp.js';
import { promptBody, PUBLISH } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const ADMIN = '/api/admin/v1/workspaces';

let app: TestApp;
let operator: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  operator = app.operator();
});
afterAll(() => app.stop());

interface Key {
  id: number;
  name: string | null;
  last_4: string;
  role: string | null;
  roles: string[];
  owner_email: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}
interface Issued {
  api_key: Key;
  secret: string;
}

async function newWorkspace(name = 'A workspace'): Promise<string> {
  const { workspace } = (await operator.post(ADMIN, { name }, 201)) as { workspace: { id: number } };
  return `${ADMIN}/${workspace.id}/api-keys`;
}
const issue = async (client: Client, keys: string, body: object = {}) => (await client.post(keys, body, 201)) as Issued;
const list = async (client: Client, keys: string) => ((await client.get(keys)) as { api_keys: Key[] }).api_keys;

/** A client of a new workspace whose key has a role. */
async function member(role: string): Promise<{ client: Client; keys: string; key: Key }> {
  const keys = await newWorkspace();
  const { secret, api_key: key } = await issue(operator, keys, { role });
  return { client: app.clientWith(secret), keys, key };
}

describe('the operator', () => {
  it('creates, lists and renames workspaces', async () => {
    const { workspace } = (await operator.post(ADMIN, { name: 'Support' }, 201)) as {
      workspace: { id: number; name: string };
    };
    expect(await operator.get(ADMIN)).toMatchObject({ workspaces: expect.arrayContaining([workspace]) });
    expect(await operator.patch(`${ADMIN}/${workspace.id}`, { name: 'Sales' })).toMatchObject({
      workspace: { ...workspace, name: 'Sales' },
    });
    expect(await operator.patch(`${ADMIN}/999999`, { name: 'x' }, 404)).toMatchObject({ error: 'workspace_not_found' });
    await operator.post(ADMIN, { name: ' ' }, 422);
  });

  it('manages the keys of every workspace', async () => {
    const keys = await newWorkspace();
    const { api_key: key } = await issue(operator, keys, { name: 'First' });
    expect(key).toMatchObject({ name: 'First', role: 'member', revoked_at: null });
    expect(await operator.delete(`${keys}/${key.id}`)).toMatchObject({ api_key: { revoked_at: expect.any(String) } });
    await operator.get(`${ADMIN}/999999/api-keys`, 404);
  });

  it('is recognised by the whole token only', async () => {
    for (const authorization of [
      '',
      'Bearer ',
      'test-admin-token-0123456789',
      'Bearer test-admin-token-012345678',
      'Basic test-admin-token-0123456789',
    ]) {
      await app.clientWith(null).with({ authorization }).get(ADMIN, 401);
    }
  });

  it('does not exist where no token is configured', async () => {
    const closed = await TestApp.start({ works: false, env: { ADMIN_TOKEN: '' } });
    try {
      for (const authorization of ['Bearer ', 'Bearer', 'Bearer null', 'Bearer undefined']) {
        await closed.clientWith(null).with({ authorization }).get(ADMIN, 401);
      }
    } finally {
      await closed.stop();
    }
  });
});

describe('an API key', () => {
  it('is shown once, as pl_ and at least 40 letters and digits, and later by its last four', async () => {
    const keys = await newWorkspace();
    const { secret, api_key: key } = await issue(operator, keys);
    expect(secret).toMatch(/^pl_[0-9A-Za-z]{40,}$/);
    expect(key.last_4).toBe(secret.slice(-4));
    expect(JSON.stringify(await list(operator, keys))).not.toContain(secret);
    const stored = await app.app.get(DataSource).query<object[]>('SELECT * FROM api_keys');
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('may come as a bearer token, and counts less than the key in its own header', async () => {
    const { secret } = await issue(operator, await newWorkspace());
    const stranger = app.clientWith(null);
    const bearer = { authorization: `Bearer ${secret}` };
    await stranger.with(bearer).get(TABLES);
    await stranger.with({ ...bearer, 'x-api-key': 'pl_wrong' }).get(TABLES, 401);
    await stranger.with({ authorization: `Basic ${secret}` }).get(TABLES, 401);
  });

  it('names the email of its owner, when that is known', async () => {
    const keys = await newWorkspace();
    await issue(operator, keys, { owner_email: 'sam@example.com' });
    await issue(operator, keys);
    expect((await list(operator, keys)).map((key) => key.owner_email)).toEqual([null, 'sam@example.com']);
    for (const owner_email of ['nobody', 'a b@c', '@', 7]) await operator.post(keys, { owner_email }, 422);
  });

  it('can be named and renamed, and its name can be removed', async () => {
    const keys = await newWorkspace();
    const { api_key: key } = await issue(operator, keys, { name: 'Old' });
    const url = `${keys}/${key.id}`;
    expect(await operator.patch(url, { name: 'New' })).toMatchObject({ api_key: { ...key, name: 'New' } });
    expect(await operator.patch(url, { name: null })).toMatchObject({ api_key: { name: null } });
    expect((await list(operator, keys))[0]).toMatchObject({ id: key.id, name: null });
    await operator.patch(url, { name: 'x'.repeat(256) }, 422);
    await operator.patch(url, {}, 422);
  });

  it('stops working at once when it is revoked, and stays in the list', async () => {
    const { client, keys, key } = await member('admin');
    await client.get(TABLES);
    await operator.delete(`${keys}/${key.id}`);
    await client.get(TABLES, 401);
    expect((await send(client, [span()])).status).toBe(401);
    const [revoked] = await list(operator, keys);
    expect(revoked).toMatchObject({ id: key.id, revoked_at: expect.any(String) });
    expect(await operator.delete(`${keys}/${key.id}`)).toMatchObject({ api_key: { revoked_at: revoked!.revoked_at } });
  });

  it('works as soon as it exists, even when somebody has guessed at it before', async () => {
    const { client, keys } = await member('admin');
    const { secret } = await issue(client, keys);
    await app.clientWith(secret).get(TABLES);
  });

  it('remembers when it was last used', async () => {
    const { client, keys } = await member('admin');
    expect((await list(operator, keys))[0]!.last_used_at).toBeNull();
    await client.get(TABLES);
    expect((await list(operator, keys))[0]!.last_used_at).toMatch(/^20\d\d-/);
  });

  it('cannot reach the keys of another workspace', async () => {
    const [{ client }, other] = [await member('admin'), await member('admin')];
    for (const url of [other.keys, `${other.keys}/${other.key.id}`]) {
      const method = url === other.keys ? 'GET' : 'DELETE';
      expect(await client.request(method, url)).toMatchObject({ status: 404, body: { error: 'workspace_not_found' } });
    }
    expect(await client.request('POST', other.keys, {})).toMatchObject({ status: 404 });
    expect((await list(operator, other.keys))[0]!.revoked_at).toBeNull();
  });

  it.each([
    ['developer', 'member'],
    ['developer', 'admin'],
    ['member', 'admin'],
  ])('with the role %s cannot rename, revoke or create a key with the role %s', async (role, stronger) => {
    const { client, keys } = await member(role);
    const { api_key: other, secret } = await issue(operator, keys, { role: stronger, name: 'theirs' });
    const url = `${keys}/${other.id}`;
    for (const [method, path, body] of [
      ['PATCH', url, { name: 'mine' }],
      ['DELETE', url, undefined],
      ['POST', keys, { role: stronger }],
    ] as const) {
      expect(await client.request(method, path, body)).toMatchObject({
        status: 403,
        body: { error: 'permission_missing' },
      });
    }
    expect((await list(operator, keys))[0]).toMatchObject({ id: other.id, name: 'theirs', revoked_at: null });
    await app.clientWith(secret).get(TABLES);
  });

  it.each(['developer', 'member', 'admin'])('with the role %s manages keys with no more permissions', async (role) => {
    const { client, keys, key } = await member(role);
    const { api_key: equal } = await issue(client, keys);
    expect(equal.role).toBe(role);
    const { api_key: weaker } = await issue(client, keys, { role: 'viewer' });
    for (const { id } of [equal, weaker]) {
      await client.patch(`${keys}/${id}`, { name: 'renamed' });
      await client.delete(`${keys}/${id}`);
    }
    // Nothing in a request changes what a key may do.
    expect(await client.patch(`${keys}/${key.id}`, { name: 'me', role: 'admin' })).toMatchObject({ api_key: { role } });
  });

  it('finds no key of another workspace below its own', async () => {
    const [{ client, keys }, other] = [await member('admin'), await member('admin')];
    await client.patch(`${keys}/${other.key.id}`, { name: 'stolen' }, 404);
    await client.delete(`${keys}/${other.key.id}`, 404);
    expect((await list(operator, other.keys))[0]).toMatchObject({ name: null, revoked_at: null });
  });
});

describe('the role of a key', () => {
  const EDITORS = ['admin', 'member', 'contributor'];
  const MANAGERS = ['admin', 'member', 'developer'];
  const ROLES = ['admin', 'member', 'contributor', 'publisher', 'developer', 'viewer'];

  it.each(ROLES)('%s has its permissions only, and a rejection names the missing one', async (role) => {
    const { client, keys } = await member(role);
    const owner = app.clientWith((await issue(operator, keys, { role: 'admin' })).secret);
    const sheet = await newSheet(owner, ['text']);
    const { data } = (await client.get(`${sheet.path}/rows`)) as { data: { cells: Record<string, { id: string }> }[] };
    const cell = `${sheet.path}/cells/${data[0]!.cells[sheet.columnId]!.id}`;
    const edits = [
      ['POST', TABLES, {}, 'TABLE_CREATE'],
      ['POST', `${sheet.path}/columns`, { title: 'x', type: 'TEXT' }, 'TABLE_EDIT'],
      ['POST', `${sheet.path}/rows`, {}, 'TABLE_EDIT'],
      ['PATCH', cell, { value: 'x' }, 'TABLE_EDIT'],
      ['POST', `${sheet.path}/imports/request-logs`, { filter_group: { filters: [] } }, 'TABLE_EDIT'],
    ] as const;
    for (const [method, url, body, permission] of edits)
      await expectAllowed(client.request(method, url, body), EDITORS.includes(role), permission);
    const called = { request_id: await logCall(client), metadata: { plan: 'pro' } };
    const { secret } = await issue(operator, keys, { role });
    const metadata = [
      client.request('POST', '/rest/track-metadata', called),
      client.request('POST', '/library-track-metadata', called),
      app.clientWith(null).request('POST', '/library-track-metadata', { api_key: secret, ...called }),
    ];
    for (const request of metadata) await expectAllowed(request, EDITORS.includes(role), 'METADATA_EDIT');
    for (const path of ['/rest/track-score', '/library-track-score']) {
      await client.post(path, { request_id: called.request_id, score: 7 });
    }
    await expectAllowed(client.request('GET', keys), MANAGERS.includes(role), 'MANAGE_API_KEYS');
    await expectAllowed(client.request('POST', keys, { role: 'viewer' }), MANAGERS.includes(role), 'MANAGE_API_KEYS');
    expect((await send(client, [span()])).status).toBe(200);
  });

  async function expectAllowed(
    request: Promise<{ status: number; body: unknown }>,
    allowed: boolean,
    permission: string,
  ): Promise<void> {
    const { status, body } = await request;
    if (allowed) expect(status).toBeLessThan(300);
    else
      expect([status, body]).toMatchObject([
        403,
        { success: false, error: 'permission_missing', message: expect.stringContaining(permission) },
      ]);
  }

  it('is by default that of the creator', async () => {
    for (const role of MANAGERS) {
      const { client, keys } = await member(role);
      expect((await issue(client, keys)).api_key.role).toBe(role);
    }
  });

  it.each([
    ['developer', ['admin', 'member', 'contributor', 'publisher'], ['developer', 'viewer']],
    ['member', ['admin'], ['member', 'contributor', 'publisher', 'developer', 'viewer']],
    ['admin', [], ROLES],
  ])('has no more permissions than its creator, a %s', async (role, refused, granted) => {
    const { client, keys } = await member(role);
    for (const other of refused)
      expect(await client.post(keys, { role: other }, 403)).toMatchObject({ error: 'permission_missing' });
    for (const other of granted) expect((await issue(client, keys, { role: other })).api_key.role).toBe(other);
    expect(await list(operator, keys)).toHaveLength(granted.length + 1);
  });

  it('can be one of several, which allow together what each of them allows', async () => {
    const keys = await newWorkspace();
    const both = ['contributor', 'publisher'];
    const { api_key: key, secret } = await issue(operator, keys, { roles: [...both, 'publisher'] });
    expect([key.role, key.roles]).toEqual([null, both]);
    expect((await list(operator, keys))[0]).toMatchObject({ role: null, roles: both });
    const client = app.clientWith(secret);
    const published = promptBody('greeting', { labels: ['prod'] });
    for (const role of both) {
      const { secret: single } = await issue(operator, keys, { role });
      await app.clientWith(single).post(PUBLISH, published, 403);
    }
    await client.post(PUBLISH, published, 201);
    await client.get(keys, 403);
    const mixed = await issue(operator, keys, { role: 'viewer', roles: ['developer'] });
    expect(mixed.api_key.roles).toEqual(['viewer', 'developer']);
    await app.clientWith(mixed.secret).get(keys);
  });

  it('is no more than the creator has, with several roles on either side', async () => {
    const keys = await newWorkspace();
    const manager = app.clientWith((await issue(operator, keys, { roles: ['publisher', 'developer'] })).secret);
    expect((await issue(manager, keys)).api_key.roles).toEqual(['publisher', 'developer']);
    await issue(manager, keys, { roles: ['viewer', 'publisher'] });
    expect(await manager.post(keys, { roles: ['publisher', 'contributor'] }, 403)).toMatchObject({
      message: expect.stringMatching(/_CREATE\.$/),
    });
    const { api_key: stronger } = await issue(operator, keys, { roles: ['viewer', 'contributor'] });
    await manager.delete(`${keys}/${stronger.id}`, 403);
  });

  it('must be one that exists', async () => {
    const keys = await newWorkspace();
    const lists = [[], ['owner'], ['viewer', 'ADMIN'], 'viewer', [null], [['viewer']], ['__proto__'], [5], {}];
    for (const roles of lists) await operator.post(keys, { roles }, 422);
    for (const role of ['owner', 'ADMIN', '', null, 5, '__proto__', 'constructor'])
      await operator.post(await newWorkspace(), { role }, 422);
  });
});

describe('the audit trail', () => {
  it('records who did what to keys, in the same transaction, without secrets', async () => {
    const { client, keys, key } = await member('admin');
    const traced = client.with({ 'x-request-id': 'audited' });
    const { api_key: issued, secret } = await issue(traced, keys, { name: 'Private name', role: 'viewer' });
    await traced.patch(`${keys}/${issued.id}`, { name: 'Other' });
    await traced.delete(`${keys}/${issued.id}`);
    await traced.delete(`${keys}/${issued.id}`);
    await traced.post(keys, { role: 'nonsense' }, 422);
    const workspace = Number(keys.split('/').at(-2));
    const entries = await app.app.get(DataSource).query<object[]>(
      `SELECT action, entity_id, key_id, request_id, details FROM audit_entries
          WHERE workspace_id = $1 AND action LIKE 'api_key.%' ORDER BY id`,
      [workspace],
    );
    const by = { key_id: key.id, request_id: 'audited', entity_id: String(issued.id) };
    expect(entries.slice(1)).toMatchObject([
      { ...by, action: 'api_key.create', details: { role: 'viewer' } },
      { ...by, action: 'api_key.rename' },
      { ...by, action: 'api_key.revoke' },
    ]);
    expect(entries[0]).toMatchObject({ action: 'api_key.create', key_id: null });
    expect(JSON.stringify(entries)).not.toContain(secret);
  });
});
