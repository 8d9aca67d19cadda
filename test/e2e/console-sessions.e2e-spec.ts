import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { TABLES } from '../support/factories.js';
import { JSON_TYPE, span, send } from '../support/otlp.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const SESSION = '/console/session';
const ME = '/api/public/v2/me';
const WRONG = `pl_${'w'.repeat(43)}`;
const FROM_CONSOLE = { 'x-console': '1' };

let app: TestApp;
let anyone: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  anyone = app.clientWith(null);
});
afterAll(() => app.stop());

function cookieIn({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0]!;
}

async function signIn(key = app.apiKey, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await anyone.with(headers).request('POST', SESSION, { api_key: key });
  expect(answer.status).toBe(201);
  return answer;
}

/** A browser with the cookie of a new session. */
async function visitor(key?: string): Promise<Client> {
  return anyone.with({ cookie: cookieIn(await signIn(key)) });
}

async function issue(role: string): Promise<{ id: number; secret: string; remove: () => Promise<unknown> }> {
  const { workspace } = (await app.client.get(ME)) as { workspace: { id: number } };
  const keys = `/api/admin/v1/workspaces/${workspace.id}/api-keys`;
  const issued = (await app.operator().post(keys, { role, name: `of ${role}` }, 201)) as {
    secret: string;
    api_key: { id: number };
  };
  const { id } = issued.api_key;
  return { id, secret: issued.secret, remove: () => app.operator().delete(`${keys}/${id}`) };
}

const countSessions = async () =>
  ((await app.sql('SELECT count(*)::int AS count FROM console_sessions')) as [{ count: number }])[0].count;

describe('signing in', () => {
  it('gives a cookie that only this site sends and no script can read', async () => {
    const { headers, body } = await signIn();
    expect(headers['set-cookie']).toMatch(/^ts_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      success: true,
      workspace: { id: expect.any(Number) },
      api_key: { last_4: app.apiKey.slice(-4), roles: ['admin'] },
      expires_at: expect.any(String),
    });
  });

  it('binds the cookie to this host and to TLS when the browser came over TLS', async () => {
    const env = { TRUSTED_PROXIES: '127.0.0.1', CONSOLE_SESSION_MINUTES: '30', CONSOLE_SESSION_IDLE_MINUTES: '10' };
    const proxied = await TestApp.start({ works: false, env });
    try {
      const browser = proxied
        .clientWith(null)
        .with({ 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7', 'x-console': '1' });
      const answer = await browser.request('POST', SESSION, { api_key: proxied.apiKey });
      expect(answer.headers['set-cookie']).toMatch(
        /^__Host-ts_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=1800; Secure$/,
      );
      const cookie = cookieIn(answer);
      await browser.with({ cookie }).get(SESSION);
      // Another subdomain can plant a cookie without the prefix.
      await browser.with({ cookie: cookie.replace('__Host-', '') }).get(SESSION, 401);
      expect(await browser.get('/console/sign-in')).toMatchObject({ session_idle_minutes: 10 });
      const used = `UPDATE console_sessions SET last_used_at = now() - $1 * interval '1 minute'`;
      await proxied.sql(used, [9]);
      await browser.with({ cookie }).get(SESSION);
      await proxied.sql(used, [10]);
      await browser.with({ cookie }).get(SESSION, 401);
    } finally {
      await proxied.stop();
    }
  });

  it('stores neither the key nor the token', async () => {
    const { secret } = await issue('viewer');
    const token = cookieIn(await signIn(secret)).split('=')[1]!;
    const rows = JSON.stringify(
      await app.sql('SELECT s.*, encode(token_hash, $1) FROM console_sessions s', ['escape']),
    );
    for (const text of [secret, token]) expect(rows).not.toContain(text);
  });

  it.each([
    ['no body', undefined],
    ['nothing', {}],
    ['null', { api_key: null }],
    ['a number', { api_key: 7 }],
    ['an unknown key', { api_key: WRONG }],
    ['what is no key', { api_key: 'pl_x' }],
    ['a key with a NUL', { api_key: `${WRONG}\0` }],
    ['a lone surrogate', { api_key: 'pl_\ud800' }],
    ['a long text', { api_key: 'x'.repeat(100_000) }],
    ['a list', []],
  ])('is refused with %s, and no cookie is set', async (_, body) => {
    const { status, headers, body: answer } = await anyone.request('POST', SESSION, body);
    expect([status, answer]).toMatchObject([401, { success: false, error: 'api_key_invalid' }]);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is refused to a revoked key, to the admin token and to a cookie alone', async () => {
    const { secret, remove } = await issue('viewer');
    await remove();
    await anyone.post(SESSION, { api_key: secret }, 401);
    await app.operator().post(SESSION, {}, 401);
    await (await visitor()).with(FROM_CONSOLE).post(SESSION, {}, 401);
  });

  it('is refused to forms and scripts of other sites', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await anyone.with({ 'content-type': type }).request('POST', SESSION, `api_key=${app.apiKey}`);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([415, undefined]);
    }
    const origin = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    const preflight = await app.app.inject({ method: 'OPTIONS', url: SESSION, headers: origin });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('replaces the session that the browser had', async () => {
    const first = cookieIn(await signIn());
    const before = await countSessions();
    const second = cookieIn(await signIn(app.apiKey, { cookie: first }));
    expect(await countSessions()).toBe(before);
    await anyone.with({ cookie: first }).get(SESSION, 401);
    await anyone.with({ cookie: second }).get(SESSION);
  });

  it('is possible ten times a minute from an address, right or wrong, and says when again', async () => {
    const limited = await TestApp.start({ works: false, env: { CONSOLE_SIGN_INS_PER_MINUTE: undefined } });
    const from = (remoteAddress: string, api_key: string) =>
      limited.app.inject({ method: 'POST', url: SESSION, remoteAddress, payload: { api_key } });
    try {
      for (let count = 0; count < 5; count++) {
        expect((await from('192.0.2.1', WRONG)).statusCode).toBe(401);
        expect((await from('192.0.2.1', limited.apiKey)).statusCode).toBe(201);
      }
      const refused = await from('192.0.2.1', limited.apiKey);
      expect([refused.statusCode, refused.json()]).toMatchObject([429, { error: 'rate_limited' }]);
      expect(refused.json<{ message: string }>().message).toContain('CONSOLE_SIGN_INS_PER_MINUTE');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await from('192.0.2.2', limited.apiKey)).statusCode).toBe(201);
    } finally {
      await limited.stop();
    }
  });
});

describe('a session', () => {
  it('returns its user and permissions, as the key itself does', async () => {
    const { id, secret } = await issue('contributor');
    const me = await (await visitor(secret)).get(SESSION);
    expect(me).toMatchObject({
      api_key: { id, name: 'of contributor', last_4: secret.slice(-4), roles: ['contributor'] },
    });
    const { permissions } = me as { permissions: string[] };
    expect(permissions).toEqual(expect.arrayContaining(['TABLE_CREATE', 'TABLE_EDIT']));
    expect(permissions).not.toContain('MANAGE_API_KEYS');
    const { expires_at, workspaces, ...same } = me as { expires_at: string; workspaces: object[] };
    expect(workspaces).toMatchObject([{ id: expect.any(Number), name: expect.any(String) }]);
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    expect(await app.clientWith(secret).get(ME)).toEqual(same);
    expect(await app.clientWith(secret).get(SESSION)).toEqual({ ...same, workspaces, expires_at: null });
    expect(await (await visitor(secret)).get(ME)).toEqual(same);
  });

  it('reads like its key, and changes things only with the header of the console', async () => {
    const me = await visitor();
    await me.get(TABLES);
    await me.post(TABLES, { title: 'From elsewhere' }, 401);
    for (const value of ['', '0', 'true', 'null']) await me.with({ 'x-console': value }).post(TABLES, {}, 401);
    const made = (await me.with(FROM_CONSOLE).post(TABLES, { title: 'From the console' }, 201)) as object;
    expect(made).toMatchObject({ success: true });
  });

  it('has the permissions of the roles of its key', async () => {
    const me = (await visitor((await issue('viewer')).secret)).with(FROM_CONSOLE);
    expect(await me.post(TABLES, {}, 403)).toMatchObject({ error: 'permission_missing' });
  });

  it('sees nothing of another workspace', async () => {
    const stranger = await app.stranger();
    const theirs = await visitor(stranger.apiKey!);
    await app.client.post(TABLES, { title: 'Ours' }, 201);
    expect(await theirs.get(TABLES)).toMatchObject({ data: [] });
  });

  it('counts only where no key is given', async () => {
    const me = await visitor();
    await me.with({ 'x-api-key': WRONG }).get(TABLES, 401);
    await me.with({ authorization: `Bearer ${WRONG}` }).get(TABLES, 401);
    await me.with({ authorization: 'Bearer nonsense' }).get(TABLES, 401);
    const stranger = await app.stranger();
    const theirs = (await stranger.get(ME)) as { workspace: object };
    expect(await me.with({ 'x-api-key': stranger.apiKey! }).get(ME)).toMatchObject({ workspace: theirs.workspace });
  });

  it('never sends traces or calls', async () => {
    const me = (await visitor()).with(FROM_CONSOLE);
    expect((await send(me, [span()])).status).toBe(401);
    for (const path of ['/spans-bulk', '/log-request', '/track-request', '/create-group', '/v1/logs', '/v1/metrics']) {
      const { status, body } = await me.with(JSON_TYPE).request('POST', path, '{}');
      expect([path, status, body]).toMatchObject([path, 401, { success: false }]);
    }
  });

  it('is over at once when its key is revoked', async () => {
    const { secret, remove } = await issue('member');
    const me = await visitor(secret);
    await me.get(TABLES);
    await remove();
    await me.get(TABLES, 401);
    await me.get(SESSION, 401);
  });

  it('ends when its user signs out, and the cookie is cleared', async () => {
    const me = await visitor();
    await me.request('DELETE', SESSION).then(({ status }) => expect(status).toBe(401));
    await me.get(SESSION);
    const { status, headers } = await me.with(FROM_CONSOLE).request('DELETE', SESSION);
    expect([status, headers['set-cookie']]).toEqual([200, 'ts_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0']);
    await me.get(SESSION, 401);
    expect(await app.client.delete(SESSION)).toEqual({ success: true });
    // Signing out without a session leaves no entry.
    const written = `SELECT action FROM audit_entries WHERE action LIKE 'console_session.%' ORDER BY id DESC LIMIT 2`;
    expect(await app.sql(written)).toEqual([{ action: 'console_session.end' }, { action: 'console_session.start' }]);
  });

  it.each([
    ['seven days after it began', "expires_at = now() - interval '1 second'"],
    ['after twelve hours without use', "last_used_at = now() - interval '12 hours'"],
  ])('ends %s, and the next sign-in deletes it', async (_, change) => {
    const me = await visitor();
    await app.sql(`UPDATE console_sessions SET ${change}`);
    await me.get(SESSION, 401);
    const before = await countSessions();
    await visitor();
    expect(await countSessions()).toBeLessThanOrEqual(before);
    await app.sql(`UPDATE console_sessions SET expires_at = now() + interval '1 day', last_used_at = now()`);
    await me.get(SESSION, 401);
  });

  it('goes on while it is used, and so does the record of when its key was', async () => {
    const me = await visitor();
    await app.sql(`UPDATE console_sessions SET last_used_at = now() - interval '11 hours'`);
    await app.sql(`UPDATE api_keys SET last_used_at = now() - interval '11 hours'`);
    await me.get(TABLES);
    const recent = "count(*) FILTER (WHERE last_used_at > now() - interval '1 minute')::int AS recent";
    for (const table of ['console_sessions', 'api_keys']) {
      expect(await app.sql(`SELECT ${recent} FROM ${table}`)).toEqual([{ recent: 1 }]);
    }
  });

  it('is not what somebody makes up', async () => {
    const tokens = [
      '',
      'x',
      'a'.repeat(43),
      'ü'.repeat(43),
      `${'a'.repeat(43)}\0`,
      'a'.repeat(10_000),
      "'; DROP TABLE x",
    ];
    for (const token of tokens) {
      await anyone.with({ cookie: `other=1; ts_session=${encodeURIComponent(token)}` }).get(SESSION, 401);
    }
  });

  it('is found among other cookies', async () => {
    const cookie = cookieIn(await signIn());
    await anyone.with({ cookie: `a=b; ${cookie}; ts_session_old=x` }).get(SESSION);
  });

  it('searches and asks for suggestions by a limit of its own', async () => {
    const limited = await TestApp.start({
      works: false,
      env: { SEARCHES_PER_MINUTE: '1', SUGGESTIONS_PER_MINUTE: '1', CONSOLE_SEARCHES_PER_MINUTE: '3' },
    });
    try {
      const answer = await limited.clientWith(null).request('POST', SESSION, { api_key: limited.apiKey });
      const me = limited.clientWith(null).with({ cookie: cookieIn(answer), ...FROM_CONSOLE });
      const search = (client: Client) => client.request('POST', '/api/public/v2/requests/search', {});
      const suggest = (client: Client) =>
        client.request('GET', '/api/public/v2/requests/suggestions?field=provider_type');
      for (const ask of [search, suggest]) {
        expect((await ask(limited.client)).status).toBe(200);
        expect((await ask(limited.client)).status).toBe(429);
        for (let count = 0; count < 3; count++) expect((await ask(me)).status).toBe(200);
        const { status, body } = await ask(me);
        expect([status, body]).toMatchObject([
          429,
          { message: expect.stringContaining('CONSOLE_SEARCHES_PER_MINUTE') },
        ]);
      }
    } finally {
      await limited.stop();
    }
  });
});

describe('GET /api/public/v2/me', () => {
  it('returns the workspace, the key and its permissions', async () => {
    const { secret } = await issue('developer');
    const client = app.clientWith(secret);
    expect(await client.get(ME)).toMatchObject({
      success: true,
      api_key: { roles: ['developer'], last_4: secret.slice(-4) },
      permissions: ['MANAGE_API_KEYS'],
    });
  });

  it('is empty-handed for a key without a role, and closed to everybody else', async () => {
    const { workspace } = (await app.client.get(ME)) as { workspace: { id: number } };
    const viewer = await clientOf(app, workspace.id, { roles: ['viewer'] });
    expect(await viewer.get(ME)).toMatchObject({ permissions: [] });
    await anyone.get(ME, 401);
    await app.operator().get(ME, 401);
    await app.clientWith(WRONG).get(ME, 401);
  });
});

describe('without a console', () => {
  it('there is neither a page nor a session', async () => {
    const without = await TestApp.start({ works: false, env: { CONSOLE: 'off' } });
    try {
      const html = { accept: 'text/html' };
      for (const path of ['/', '/console', '/console/', SESSION]) {
        expect((await without.app.inject({ url: path, headers: html })).statusCode).toBe(404);
      }
      const cookie = `ts_session=${'a'.repeat(43)}`;
      expect((await without.app.inject({ url: TABLES, headers: { cookie } })).statusCode).toBe(401);
      await without.client.get(ME);
    } finally {
      await without.stop();
    }
  });
});
