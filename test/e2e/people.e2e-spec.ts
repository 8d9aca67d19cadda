import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { TABLES } from '../support/factories.js';
import { promptBody, PUBLISH } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const ADMIN = '/api/admin/v1';
const ME = '/api/public/v2/me';
const PASSWORD = 'correct horse battery';
const FROM_CONSOLE = { 'x-console': '1' };

let app: TestApp;
let anyone: Client;
let operator: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  anyone = app.clientWith(null);
  operator = app.operator();
});
afterAll(() => app.stop());

interface Member {
  user_id: number;
  key_id: number;
  email: string;
  roles: string[];
  status: string;
}

interface Person {
  email: string;
  userId: number;
  /** In front of the console. */
  browser: Client;
}

let people = 0;

/** A workspace with a service key of an administrator. */
async function newWorkspace(): Promise<{ id: number; path: string; admin: Client }> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get(ME)) as { workspace: { id: number } };
  return { id: workspace.id, path: `${ADMIN}/workspaces/${workspace.id}`, admin };
}

const tokenOf = (path: string) => path.split('#')[1]!;

async function invite(path: string, by: Client, body: object): Promise<{ id: number; token: string }> {
  const { invitation, path: link } = (await by.post(`${path}/invitations`, body, 201)) as {
    invitation: { id: number };
    path: string;
  };
  return { id: invitation.id, token: tokenOf(link) };
}

const browserWith = ({ headers }: Answer): Client =>
  anyone.with({ ...FROM_CONSOLE, cookie: String(headers['set-cookie']).split(';')[0]! });

async function accept(token: string, password = PASSWORD): Promise<Client> {
  const answer = await anyone.request('POST', '/console/invitation/accept', { token, name: 'Sam', password });
  expect(answer.status).toBe(201);
  return browserWith(answer);
}

/** A user who was invited to a workspace and has accepted. */
async function join({ path, admin }: { path: string; admin: Client }, roles: string[]): Promise<Person> {
  const email = `person-${++people}@example.com`;
  const { token } = await invite(path, admin, { email, roles });
  const browser = await accept(token);
  const { user } = (await browser.get(ME)) as { user: { id: number } };
  return { email, userId: user.id, browser };
}

const signIn = (email: string, password: string, more: object = {}) =>
  anyone.request('POST', '/console/sign-in', { email, password, ...more });

async function signedIn(email: string, more: object = {}): Promise<Client> {
  const answer = await signIn(email, PASSWORD, more);
  expect(answer.status).toBe(201);
  return browserWith(answer);
}

describe('an invitation', () => {
  it('makes a new user, a member with its roles, and a session', async () => {
    const workspace = await newWorkspace();
    const { id, token } = await invite(workspace.path, workspace.admin, {
      email: 'Ada@Example.com',
      roles: ['viewer'],
    });
    expect(await anyone.post('/console/invitation', { token }, 201)).toMatchObject({
      workspace_name: 'Somebody else',
      email: 'Ada@Example.com',
      is_new_user: true,
    });
    const browser = await accept(token);
    expect(await browser.get('/console/session')).toMatchObject({
      api_key: null,
      user: { email: 'Ada@Example.com', name: 'Sam', roles: ['viewer'] },
      workspace: { id: workspace.id },
      workspaces: [{ id: workspace.id }],
      permissions: [],
    });
    const { members } = (await workspace.admin.get(`${workspace.path}/members`)) as { members: Member[] };
    expect(members).toMatchObject([{ email: 'Ada@Example.com', roles: ['viewer'], status: 'active' }]);
    expect(await workspace.admin.get(`${workspace.path}/invitations`)).toMatchObject({ invitations: [] });
    await workspace.admin.delete(`${workspace.path}/invitations/${id}`, 404);
  });

  it('works once, until it expires, and not when it was withdrawn or replaced', async () => {
    const { path, admin } = await newWorkspace();
    const email = `person-${++people}@example.com`;
    const replaced = await invite(path, admin, { email });
    const withdrawn = await invite(path, admin, { email });
    await admin.delete(`${path}/invitations/${withdrawn.id}`);
    await admin.delete(`${path}/invitations/${withdrawn.id}`);
    const expired = await invite(path, admin, { email });
    await app.sql(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [expired.id]);
    const used = await invite(path, admin, { email: `person-${++people}@example.com` });
    await accept(used.token);
    for (const token of [replaced.token, withdrawn.token, expired.token, used.token, 'x', 'x'.repeat(43)]) {
      const body = { token, password: PASSWORD };
      expect(await anyone.post('/console/invitation/accept', body, 404)).toMatchObject({ error: 'link_invalid' });
      await anyone.post('/console/invitation', { token }, 404);
    }
  });

  it('for a known address asks for the password of its user, in any letter case', async () => {
    const [first, second] = [await newWorkspace(), await newWorkspace()];
    const person = await join(first, ['member']);
    const { token } = await invite(second.path, second.admin, { email: person.email.toUpperCase() });
    expect(await anyone.post('/console/invitation', { token }, 201)).toMatchObject({ is_new_user: false });
    const wrong = { token, password: 'another password' };
    expect(await anyone.post('/console/invitation/accept', wrong, 401)).toMatchObject({ error: 'sign_in_failed' });
    const browser = await accept(token);
    expect(await browser.get('/console/session')).toMatchObject({
      workspace: { id: second.id },
      workspaces: [{ id: first.id }, { id: second.id }],
    });
    await second.admin.post(`${second.path}/invitations`, { email: person.email }, 409);
  });

  it('makes one user and one member of many who accept at once', async () => {
    const { path, admin } = await newWorkspace();
    const { token } = await invite(path, admin, { email: `person-${++people}@example.com` });
    const body = { token, password: PASSWORD };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => anyone.request('POST', '/console/invitation/accept', body)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const { members } = (await admin.get(`${path}/members`)) as { members: Member[] };
    expect(members).toHaveLength(1);
  });

  it('grants at most the permissions of its sender, and only administrators can send one', async () => {
    const workspace = await newWorkspace();
    const { browser } = await join(workspace, ['member']);
    const refused = { email: 'x@example.com', roles: ['viewer'] };
    expect(await browser.post(`${workspace.path}/invitations`, refused, 403)).toMatchObject({
      error: 'permission_missing',
    });
    await browser.get(`${workspace.path}/members`, 403);
    const other = await newWorkspace();
    await workspace.admin.get(`${other.path}/members`, 404);
    await workspace.admin.post(`${other.path}/invitations`, refused, 404);
  });

  it.each([
    ['no address', {}],
    ['null', { email: null }],
    ['a number', { email: 7 }],
    ['no address', { email: 'nobody' }],
    ['a long one', { email: `${'x'.repeat(320)}@example.com` }],
    ['a role that does not exist', { email: 'x@example.com', roles: ['king'] }],
    ['no roles', { email: 'x@example.com', roles: [] }],
    ['a moment', { email: 'x@example.com', expires_in_seconds: 1 }],
    ['an unknown field', { email: 'x@example.com', admin: true }],
  ])('is refused with %s', async (_, body) => {
    const { path, admin } = await newWorkspace();
    await admin.post(`${path}/invitations`, body, 422);
  });
});

describe('a password', () => {
  it('signs in with any letter case of the address, and the letters composed in any way', async () => {
    const workspace = await newWorkspace();
    const email = `person-${++people}@example.com`;
    const { token } = await invite(workspace.path, workspace.admin, { email });
    await accept(token, 'pässwörter sind läng'.normalize('NFC'));
    const answer = await signIn(` ${email.toUpperCase()}`.trim(), 'pässwörter sind läng'.normalize('NFD'));
    expect(answer.status).toBe(201);
    expect(answer.headers['set-cookie']).toMatch(/HttpOnly; SameSite=Strict/);
  });

  it.each([
    ['a wrong password', (email: string) => [email, 'wrong horse battery']],
    ['an unknown address', () => ['nobody@example.com', PASSWORD]],
    ['a NUL', (email: string) => [email, `${PASSWORD}\0`]],
    ['a lone surrogate', (email: string) => [email, '\ud800']],
  ])('that is %s is refused with one text', async (_, of) => {
    const { email } = await join(await newWorkspace(), ['member']);
    const [address, password] = of(email);
    const { status, body, headers } = await signIn(address!, password!);
    expect([status, body]).toMatchObject([401, { error: 'sign_in_failed' }]);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is stored as a salted hash', async () => {
    await join(await newWorkspace(), ['member']);
    const rows = (await app.sql('SELECT password FROM users WHERE password IS NOT NULL')) as { password: string }[];
    expect(rows.every(({ password }) => /^scrypt\$32768\$8\$1\$[\w+/=]+\$[\w+/=]+$/.test(password))).toBe(true);
    expect(new Set(rows.map(({ password }) => password)).size).toBe(rows.length);
  });

  it('is set by a link of the operator, once, which ends all sessions', async () => {
    const { email, userId, browser } = await join(await newWorkspace(), ['member']);
    const links = `${ADMIN}/users/${userId}/password-links`;
    const earlier = (await operator.post(links, {}, 201)) as { path: string };
    const { path } = (await operator.post(links, {}, 201)) as { path: string };
    const body = (link: string, password: string) => ({ token: tokenOf(link), password });
    await anyone.post('/console/password', body(earlier.path, 'a new password'), 404);
    await anyone.post('/console/password', body(path, 'short'), 422);
    await anyone.post('/console/password', body(path, 'a new password'), 201);
    await anyone.post('/console/password', body(path, 'a third password'), 404);
    await browser.get('/console/session', 401);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(email, 'a new password')).status).toBe(201);
    await operator.post(`${ADMIN}/users/999999/password-links`, {}, 404);
  });

  it('can be guessed ten times in a quarter of an hour, from wherever', async () => {
    const { email } = await join(await newWorkspace(), ['member']);
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(email, 'wrong horse battery')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const answer = await signIn(email, PASSWORD);
    expect([answer.status, answer.body]).toMatchObject([429, { error: 'sign_ins_limited' }]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('counts nowhere when LOCAL_SIGN_IN is off', async () => {
    const closed = await TestApp.start({ works: false, env: { LOCAL_SIGN_IN: 'off' } });
    try {
      const body = { email: 'x@example.com', password: PASSWORD };
      expect(await closed.clientWith(null).post('/console/sign-in', body, 403)).toMatchObject({
        error: 'local_sign_in_off',
      });
    } finally {
      await closed.stop();
    }
  });
});

it('is not guessed by way of invitations either', async () => {
  const { email } = await join(await newWorkspace(), ['member']);
  const { path, admin } = await newWorkspace();
  const { token } = await invite(path, admin, { email });
  const guess = () => anyone.request('POST', '/console/invitation/accept', { token, password: 'wrong horse battery' });
  const answers = await Promise.all(Array.from({ length: 10 }, guess));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect((await guess()).status).toBe(429);
});

describe('a member', () => {
  it('has the permissions of its roles, and is recorded as the author of its changes', async () => {
    const workspace = await newWorkspace();
    const { browser, email, userId } = await join(workspace, ['contributor']);
    const { id } = (await browser.post(PUBLISH, promptBody('by a person'), 201)) as { id: number };
    expect(id).toBeGreaterThan(0);
    const { table } = (await browser.post(TABLES, { title: 'By a person' }, 201)) as { table: { id: string } };
    const trail = (await workspace.admin.get(`${workspace.path}/audit-entries`)) as { data: object[] };
    expect(trail.data).toContainEqual(
      expect.objectContaining({ action: 'member.join', entity_id: String(userId), key_name: 'Sam', key_last_4: null }),
    );
    const found = (await workspace.admin.get(`/prompt-templates?created_by_email=${encodeURIComponent(email)}`)) as {
      items: { id: number }[];
    };
    expect(found.items).toHaveLength(1);
    expect(table.id).toBeDefined();
    const keys = (await workspace.admin.get(`${workspace.path}/api-keys`)) as { api_keys: { kind: string }[] };
    expect(keys.api_keys.map(({ kind }) => kind)).toEqual(['service']);
  });

  it('has new roles at once, and is out at once when removed, with personal keys', async () => {
    const workspace = await newWorkspace();
    const { browser, userId, email } = await join(workspace, ['contributor']);
    const issued = (await browser.post(`${ME}/api-keys`, { name: 'notebook' }, 201)) as { secret: string };
    const program = app.clientWith(issued.secret);
    await program.post(TABLES, { title: 'One' }, 201);
    const member = `${workspace.path}/members/${userId}`;
    expect(await workspace.admin.patch(member, { roles: ['viewer'] })).toMatchObject({ member: { roles: ['viewer'] } });
    await browser.post(TABLES, { title: 'Two' }, 403);
    await program.post(TABLES, { title: 'Two' }, 403);
    expect(await program.get(ME)).toMatchObject({
      api_key: { roles: ['contributor'] },
      user: { id: userId },
      permissions: [],
    });
    await workspace.admin.delete(member);
    await browser.get(ME, 401);
    await program.get(ME, 401);
    await workspace.admin.delete(member, 404);
    expect((await signIn(email, PASSWORD)).body).toMatchObject({ error: 'no_workspace' });
  });

  it('cannot be removed or demoted as the last administrator, except by the operator', async () => {
    const workspace = await newWorkspace();
    const [first, second] = [await join(workspace, ['admin']), await join(workspace, ['admin'])];
    const path = (person: Person) => `${workspace.path}/members/${person.userId}`;
    const answers = await Promise.all([
      first.browser.request('PATCH', path(second), { roles: ['viewer'] }),
      second.browser.request('PATCH', path(first), { roles: ['viewer'] }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).not.toEqual([200, 200]);
    const { members } = (await workspace.admin.get(`${workspace.path}/members`)) as { members: Member[] };
    const [last] = members.filter(({ roles }) => roles.includes('admin'));
    const lastPath = `${workspace.path}/members/${last!.user_id}`;
    expect(await workspace.admin.patch(lastPath, { roles: ['viewer'] }, 409)).toMatchObject({ error: 'last_admin' });
    expect(await workspace.admin.delete(lastPath, 409)).toMatchObject({ error: 'last_admin' });
    await operator.patch(lastPath, { roles: ['viewer'] });
  });

  it('with two workspaces switches between them, and sees one at a time', async () => {
    const [first, second] = [await newWorkspace(), await newWorkspace()];
    const { email } = await join(first, ['contributor']);
    await accept((await invite(second.path, second.admin, { email, roles: ['viewer'] })).token);
    const browser = await signedIn(email);
    expect(await browser.get(ME)).toMatchObject({ workspace: { id: first.id } });
    const answer = await browser.request('POST', `/console/session/workspace/${second.id}`);
    expect(answer.status).toBe(201);
    await browser.get(ME, 401);
    const there = browserWith(answer);
    expect(await there.get(ME)).toMatchObject({ workspace: { id: second.id }, user: { roles: ['viewer'] } });
    await there.post(TABLES, { title: 'No' }, 403);
    const third = await newWorkspace();
    await there.post(`/console/session/workspace/${third.id}`, {}, 404);
    await first.admin.post(`/console/session/workspace/${second.id}`, {}, 404);
    expect(await first.admin.post(`/console/session/workspace/${first.id}`, {}, 403)).toMatchObject({
      error: 'user_required',
    });
  });
});

describe('a personal key', () => {
  it('is created by a person in a session alone, is seen and revoked by its owner', async () => {
    const workspace = await newWorkspace();
    const [mine, other] = [await join(workspace, ['member']), await join(workspace, ['admin'])];
    const issued = (await mine.browser.post(`${ME}/api-keys`, { roles: ['viewer'] }, 201)) as {
      secret: string;
      api_key: { id: number };
    };
    expect(issued.api_key).toMatchObject({ kind: 'personal', user_id: mine.userId, owner_email: mine.email });
    const key = app.clientWith(issued.secret);
    expect(await key.post(`${ME}/api-keys`, {}, 403)).toMatchObject({ error: 'user_required' });
    expect(await workspace.admin.get(`${ME}/api-keys`)).toMatchObject({ api_keys: [] });
    expect(await key.get(`${ME}/api-keys`)).toMatchObject({ api_keys: [{ id: issued.api_key.id }] });
    await other.browser.delete(`${ME}/api-keys/${issued.api_key.id}`, 404);
    expect(await mine.browser.post(`${ME}/api-keys`, { roles: ['admin'] }, 403)).toMatchObject({
      error: 'permission_missing',
    });
    const rotate = `${workspace.path}/api-keys/${issued.api_key.id}/rotate`;
    for (const another of [other.browser, workspace.admin, operator]) {
      expect(await another.post(rotate, {}, 403)).toMatchObject({ error: 'personal_key_of_another' });
    }
    await mine.browser.delete(`${ME}/api-keys/${issued.api_key.id}`);
    await key.get(ME, 401);
  });
});

describe('a user', () => {
  it('loses all access when disabled, and gets it back when enabled', async () => {
    const workspace = await newWorkspace();
    const { browser, email, userId } = await join(workspace, ['member']);
    const { secret } = (await browser.post(`${ME}/api-keys`, {}, 201)) as { secret: string };
    expect(await operator.patch(`${ADMIN}/users/${userId}`, { status: 'disabled' })).toMatchObject({
      user: { status: 'disabled' },
    });
    await browser.get(ME, 401);
    await app.clientWith(secret).get(ME, 401);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    await operator.patch(`${ADMIN}/users/${userId}`, { status: 'active', name: 'Back again' });
    await app.clientWith(secret).get(ME);
    expect(await (await signedIn(email)).get(ME)).toMatchObject({ user: { name: 'Back again' } });
  });

  it('keeps the name on audit entries after deletion', async () => {
    const workspace = await newWorkspace();
    const { browser, email, userId } = await join(workspace, ['member']);
    await operator.delete(`${ADMIN}/users/${userId}`);
    await browser.get(ME, 401);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    await operator.delete(`${ADMIN}/users/${userId}`, 404);
    const trail = (await workspace.admin.get(`${workspace.path}/audit-entries?action=member.join`)) as {
      data: object[];
    };
    expect(trail.data).toMatchObject([{ key_name: 'Sam' }]);
  });

  it('is for the operator to list and change', async () => {
    const workspace = await newWorkspace();
    const { userId, email } = await join(workspace, ['admin']);
    expect(await operator.get(`${ADMIN}/users`)).toMatchObject({
      users: expect.arrayContaining([expect.objectContaining({ id: userId, email })]),
    });
    await workspace.admin.get(`${ADMIN}/users`, 401);
    await operator.patch(`${ADMIN}/users/${userId}`, {}, 422);
    await operator.patch(`${ADMIN}/users/${userId}`, { status: 'gone' }, 422);
    await operator.patch(`${ADMIN}/users/999999`, { name: 'x' }, 404);
  });
});

describe('sessions', () => {
  it('are listed with address and browser, and ended one by one or all others at once', async () => {
    const { email, browser } = await join(await newWorkspace(), ['member']);
    const second = (await signedIn(email)).with({ 'user-agent': 'Second' });
    const third = await signedIn(email);
    const list = async (client: Client) =>
      ((await client.get('/console/sessions')) as { sessions: { id: string; is_current: boolean; address: string }[] })
        .sessions;
    const sessions = await list(browser);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ is_current: isCurrent }) => isCurrent)).toHaveLength(1);
    expect(sessions[0]!.address).toBe('127.0.0.1');
    const [another] = (await list(second)).filter(({ is_current: isCurrent }) => isCurrent);
    await browser.delete(`/console/sessions/${another!.id}`);
    await second.get(ME, 401);
    await browser.delete(`/console/sessions/${another!.id}`, 404);
    expect(await browser.delete('/console/sessions')).toMatchObject({ ended_count: 1 });
    await third.get(ME, 401);
    expect(await list(browser)).toHaveLength(1);
    const stranger = await join(await newWorkspace(), ['admin']);
    await stranger.browser.delete(`/console/sessions/${(await list(browser))[0]!.id}`, 404);
  });
});
