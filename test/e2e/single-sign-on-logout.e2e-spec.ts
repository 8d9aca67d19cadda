import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, HostileProvider, newKey } from '../support/hostile-provider.js';
import { ADMIN, invite, ME, newWorkspace, Visitor } from '../support/single-sign-on.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

type Claims = Record<string, unknown>;

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

let app: TestApp;
let provider: HostileProvider;
let workspace: Awaited<ReturnType<typeof newWorkspace>>;
beforeAll(async () => {
  app = await TestApp.own({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  provider = await HostileProvider.start();
  for (const slug of ['acme', 'other']) {
    const body = { slug, name: slug, issuer: provider.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
    await app.operator().post(`${ADMIN}/identity-providers`, body, 201);
  }
  workspace = await newWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

let people = 0;

/** A new person with sessions that the provider names. */
async function signedIn(...sids: string[]): Promise<{ sub: string; browsers: Visitor[] }> {
  const sub = `subject-${++people}`;
  const email = `${sub}@example.com`;
  await invite(workspace.admin, workspace.path, email);
  const browsers = sids.map(() => new Visitor(app));
  for (const [index, browser] of browsers.entries()) {
    const claims = { sub, email, email_verified: true, sid: sids[index] };
    expect(await browser.signIn('acme', provider, claims)).toBe('/console/');
  }
  return { sub, browsers };
}

function logOut(token: string, slug = 'acme') {
  const form = new URLSearchParams({ logout_token: token }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return app.clientWith(null).with(headers).request('POST', `/console/sign-in/${slug}/logout`, form);
}

const isIn = async (browser: Visitor) => (await browser.client.request('GET', ME)).status === 200;
const areIn = (browsers: Visitor[]) => Promise.all(browsers.map(isIn));

describe('signing out', () => {
  it('says where the session at the provider ends, if it began there', async () => {
    const { browsers, sub } = await signedIn('s1');
    const { body } = await browsers[0]!.request('DELETE', '/console/session');
    const url = new URL((body as { logout_url: string }).logout_url);
    expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/logout`);
    const { id_token_hint: hint, ...others } = Object.fromEntries(url.searchParams);
    expect(others).toEqual({ client_id: CLIENT_ID, post_logout_redirect_uri: 'http://localhost/console/' });
    expect(decodeJwt(hint!)).toMatchObject({ iss: provider.issuer, aud: CLIENT_ID, sub, sid: 's1' });
    expect(await areIn(browsers)).toEqual([false]);
    const { headers } = await app.client.request('POST', '/console/session');
    const cookie = String(headers['set-cookie']).split(';')[0]!;
    const withKey = app.clientWith(null).with({ cookie, 'x-console': '1' });
    expect(await withKey.delete('/console/session')).toEqual({ success: true });
  });

  const logoutUrlOf = async (browser: Visitor) => {
    const { body } = await browser.request('DELETE', '/console/session');
    return new URL((body as { logout_url: string }).logout_url);
  };

  it('keeps the ID token encrypted, and only while the session exists', async () => {
    const { browsers } = await signedIn('kept');
    const stored = () =>
      app.sql(`SELECT id_token FROM console_sessions WHERE provider_sid = 'kept' AND id_token IS NOT NULL`);
    const [row] = (await stored()) as [{ id_token: Buffer }];
    expect(row.id_token.toString('latin1')).not.toContain('eyJ');
    await logoutUrlOf(browsers[0]!);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['cannot be decrypted', `UPDATE console_sessions SET id_token = '\\x0102' WHERE provider_sid = $1`],
    ['was never stored', 'UPDATE console_sessions SET id_token = NULL WHERE provider_sid = $1'],
  ])('works without an ID token that %s', async (name, change) => {
    const { browsers } = await signedIn(name);
    await app.sql(change, [name]);
    expect([...(await logoutUrlOf(browsers[0]!)).searchParams.keys()].toSorted()).toEqual([
      'client_id',
      'post_logout_redirect_uri',
    ]);
  });

  it('sends no ID token of another client, which the provider would refuse', async () => {
    const { browsers } = await signedIn('moved');
    const change = (id: string) => app.operator().patch(`${ADMIN}/identity-providers/acme`, { client_id: id });
    await change('renamed');
    const url = await logoutUrlOf(browsers[0]!);
    await change(CLIENT_ID);
    expect([url.searchParams.get('client_id'), url.searchParams.has('id_token_hint')]).toEqual(['renamed', false]);
  });

  it('stores no ID token that is too long for a URL', async () => {
    const sub = `subject-${++people}`;
    const email = `${sub}@example.com`;
    await invite(workspace.admin, workspace.path, email);
    const browser = new Visitor(app);
    const claims = { sub, email, email_verified: true, picture: 'x'.repeat(6000) };
    expect(await browser.signIn('acme', provider, claims)).toBe('/console/');
    expect((await logoutUrlOf(browser)).searchParams.has('id_token_hint')).toBe(false);
  });

  it('keeps the provider of a session that goes on in another workspace', async () => {
    const { browsers, sub } = await signedIn('s2');
    const other = await newWorkspace(app);
    const token = await invite(other.admin, other.path, `${sub}@example.com`);
    const [browser] = browsers as [Visitor];
    const { body } = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'acme' });
    const departed = new URL((body as { url: string }).url);
    await browser.arrive('acme', departed, { code: provider.grant(departed, { sub, sid: 's2' }) });
    await browser.request('POST', `/console/session/workspace/${workspace.id}`);
    expect((await logOut(await provider.logoutToken({ sid: 's2' }))).status).toBe(200);
    expect(await isIn(browser)).toBe(false);
  });

  it('keeps the ID token of a session that goes on in another workspace', async () => {
    const { browsers, sub } = await signedIn('s3');
    await browsers[0]!.request('POST', `/console/session/workspace/${workspace.id}`);
    const hint = (await logoutUrlOf(browsers[0]!)).searchParams.get('id_token_hint');
    expect(decodeJwt(hint!)).toMatchObject({ sub, sid: 's3' });
  });
});

describe('a session that goes on in another workspace', () => {
  const goOn = (browser: Visitor) => browser.request('POST', `/console/session/workspace/${workspace.id}`);

  it('ends when it would have ended', async () => {
    const { browsers } = await signedIn('s4');
    const end = new Date(Date.now() + 60 * 60_000).toISOString();
    await app.sql(`UPDATE console_sessions SET expires_at = $1 WHERE provider_sid = 's4'`, [end]);
    for (let times = 0; times < 2; times++) {
      const { status, headers, body } = await goOn(browsers[0]!);
      expect([status, body]).toMatchObject([201, { expires_at: end }]);
      expect(Number(/Max-Age=(\d+)/.exec(String(headers['set-cookie']))![1])).toBeLessThanOrEqual(60 * 60);
    }
    await app.sql(`UPDATE console_sessions SET expires_at = now() + interval '1 year' WHERE provider_sid = 's4'`);
    const { headers } = await goOn(browsers[0]!);
    expect(String(headers['set-cookie'])).toContain('Max-Age=604800');
  });

  it('stays ended when it is ended in the same moment', async () => {
    const { browsers } = await signedIn('s5');
    const [browser] = browsers as [Visitor];
    const answers: ReturnType<typeof goOn>[] = [];
    await app.inTransaction(async (sql) => {
      await sql(`DELETE FROM console_sessions WHERE provider_sid = 's5'`);
      answers.push(goOn(browser));
      await until(async () => (await app.sql(WAITING)).length === 1);
    });
    const { status, headers, body } = await answers[0]!;
    expect([status, body, headers['set-cookie']]).toMatchObject([401, { error: 'api_key_invalid' }, undefined]);
    expect(await isIn(browser)).toBe(false);
  });
});

describe('a logout token', () => {
  it('ends the session that it names, and no other', async () => {
    const { sub, browsers } = await signedIn('a', 'b');
    const other = await signedIn('a2');
    const answer = await logOut(await provider.logoutToken({ sid: 'a' }));
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(await areIn([...browsers, ...other.browsers])).toEqual([false, true, true]);
    // Both must fit.
    await logOut(await provider.logoutToken({ sid: 'a2', sub }));
    expect(await areIn(other.browsers)).toEqual([true]);
    await logOut(await provider.logoutToken({ sid: 'b', sub }));
    expect(await areIn(browsers)).toEqual([false, false]);
    const { data } = (await workspace.admin.get(`${workspace.path}/audit-entries?limit=1`)) as { data: object[] };
    expect(data).toMatchObject([{ action: 'console_session.end', key_id: null }]);
  });

  it('ends all sessions of the person that it names', async () => {
    const { sub, browsers } = await signedIn('c', 'd');
    const other = await signedIn('e');
    expect((await logOut(await provider.logoutToken({ sub }))).status).toBe(200);
    expect(await areIn([...browsers, ...other.browsers])).toEqual([false, false, true]);
    expect((await logOut(await provider.logoutToken({ sub: 'nobody' }))).status).toBe(200);
  });

  it('counts once', async () => {
    const { sub } = await signedIn('f');
    const token = await provider.logoutToken({ sub });
    const answers = await Promise.all([logOut(token), logOut(token), logOut(token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const again = new Visitor(app);
    await again.signIn('acme', provider, { sub, sid: 'f' });
    expect((await logOut(token)).body).toMatchObject({ error: 'logout_token_invalid' });
    expect(await isIn(again)).toBe(true);
  });

  it('is for the provider that it is sent to', async () => {
    const { sub, browsers } = await signedIn('g');
    expect((await logOut(await provider.logoutToken({ sub }), 'other')).status).toBe(200);
    expect((await logOut(await provider.logoutToken({ sub }), 'nobody')).status).toBe(404);
    expect(await areIn(browsers)).toEqual([true]);
  });

  const seconds = () => Math.floor(Date.now() / 1000);
  it.each<[string, (claims: Claims) => Promise<string> | string]>([
    ['is forged', async (claims) => provider.logoutToken({ ...claims }).then((token) => `${token.slice(0, -4)}AAAA`)],
    ['has an unknown key', async (claims) => provider.token(claims, {}, await newKey())],
    ['is not signed', (claims) => provider.unsigned(claims)],
    ['is signed with the secret of the client', (claims) => provider.symmetric(claims)],
    ['has another issuer', (claims) => provider.logoutToken({ ...claims, iss: 'https://login.example.com' })],
    ['has another audience', (claims) => provider.logoutToken({ ...claims, aud: 'another' })],
    ['is old', (claims) => provider.logoutToken({ ...claims, iat: seconds() - 3600 })],
    ['is of the future', (claims) => provider.logoutToken({ ...claims, iat: seconds() + 3600 })],
    ['has expired', (claims) => provider.logoutToken({ ...claims, exp: seconds() - 60 })],
    ['has no time', (claims) => provider.logoutToken({ ...claims, iat: undefined })],
    ['has no id', (claims) => provider.logoutToken({ ...claims, jti: undefined })],
    ['has a nonce', (claims) => provider.logoutToken({ ...claims, nonce: 'x' })],
    ['is an ID token', (claims) => provider.logoutToken({ ...claims, events: undefined })],
    ['has other events', (claims) => provider.logoutToken({ ...claims, events: { 'http://other': {} } })],
    ['has a text for events', (claims) => provider.logoutToken({ ...claims, events: 'backchannel-logout' })],
    ['names nobody', (claims) => provider.logoutToken({ ...claims, sub: undefined })],
    ['is none', () => 'x'],
    ['is empty', () => ''],
    ['is a NUL', () => '\0'],
    ['is long', () => 'x'.repeat(20_000)],
  ])('that %s ends nothing', async (_, make) => {
    const { sub, browsers } = await signedIn('h');
    const answer = await logOut(await make({ sub, jti: 'one' }));
    expect([answer.status, answer.body]).toMatchObject([400, { error: 'logout_token_invalid' }]);
    expect(await areIn(browsers)).toEqual([true]);
  });

  it('comes as a form', async () => {
    const anyone = app.clientWith(null);
    const token = await provider.logoutToken({ sub: 'x' });
    await anyone.post('/console/sign-in/acme/logout', { logout_token: token }, 400);
    await anyone.post('/console/sign-in/acme/logout', undefined, 400);
  });

  it('cannot be checked while the provider is down', async () => {
    const down = await HostileProvider.start();
    const body = { slug: 'down', name: 'Down', issuer: down.issuer, client_id: CLIENT_ID };
    await app.operator().post(`${ADMIN}/identity-providers`, body, 201);
    const token = await down.logoutToken({ sub: 'x' });
    await down.stop();
    expect((await logOut(token, 'down')).status).toBe(503);
  });
});
