import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domainModules } from '../../src/composition.js';
import { runAdminCommand } from '../../src/embedded/admin-command.js';
import type { Client } from '../support/client.js';
import { CLIENT_ID, CLIENT_SECRET, HostileProvider } from '../support/hostile-provider.js';
import { ADMIN, failed, invite, newWorkspace, Visitor } from '../support/single-sign-on.js';
import { TestApp, testConfig } from '../support/test-app.js';

const PROVIDERS = `${ADMIN}/identity-providers`;
const PASSWORD = 'correct horse battery';

interface Provider {
  identity_provider: Record<string, unknown>;
}

describe('identity providers', () => {
  let app: TestApp;
  let operator: Client;
  beforeAll(async () => {
    app = await TestApp.own({ works: false });
    operator = app.operator();
  });
  afterAll(() => app.stop());

  const body = (slug: string, more: object = {}) => ({
    slug,
    name: 'Acme',
    issuer: 'https://login.example.com/realms/acme',
    client_id: CLIENT_ID,
    ...more,
  });

  it('are created with defaults, read, changed and deleted by the operator', async () => {
    const created = (await operator.post(PROVIDERS, body('acme'), 201)) as Provider;
    expect(created.identity_provider).toEqual({
      slug: 'acme',
      name: 'Acme',
      issuer: 'https://login.example.com/realms/acme',
      client_id: CLIENT_ID,
      has_client_secret: false,
      scopes: 'openid email profile',
      groups_claim: 'groups',
      admission: 'invited',
      domains: [],
      enabled: true,
      is_from_environment: false,
      callback_path: '/console/sign-in/acme/callback',
      logout_path: '/console/sign-in/acme/logout',
      created_at: expect.any(String),
    });
    expect(await operator.get(`${PROVIDERS}/acme`)).toEqual(created);
    expect(await operator.get(PROVIDERS)).toMatchObject({ identity_providers: [created.identity_provider] });
    const changes = {
      name: 'Ácme',
      client_secret: CLIENT_SECRET,
      scopes: 'profile groups',
      groups_claim: 'realm_access.roles',
      admission: 'domains',
      domains: ['Bücher.example', '@example.com', 'example.com'],
      enabled: false,
    };
    const { client_secret: _, ...visible } = changes;
    const changed = (await operator.patch(`${PROVIDERS}/acme`, changes)) as Provider;
    expect(changed.identity_provider).toEqual({
      ...created.identity_provider,
      ...visible,
      has_client_secret: true,
      scopes: 'openid profile groups',
      domains: ['xn--bcher-kva.example', 'example.com'],
    });
    expect(await operator.patch(`${PROVIDERS}/acme`, {})).toEqual(changed);
    expect(await operator.patch(`${PROVIDERS}/acme`, { client_secret: null })).toMatchObject({
      identity_provider: { has_client_secret: false },
    });
    await operator.delete(`${PROVIDERS}/acme`);
    await operator.delete(`${PROVIDERS}/acme`, 404);
    await operator.get(`${PROVIDERS}/acme`, 404);
    await operator.patch(`${PROVIDERS}/acme`, {}, 404);
  });

  it('never show their secrets, which are encrypted', async () => {
    const secret = 'not to be seen anywhere';
    const answer = await operator.post(PROVIDERS, body('hidden', { client_secret: secret }), 201);
    expect(JSON.stringify([answer, await operator.get(PROVIDERS)])).not.toContain(secret);
    const rows = (await app.sql('SELECT client_secret FROM identity_providers WHERE slug = $1', ['hidden'])) as {
      client_secret: Buffer;
    }[];
    expect(rows[0]!.client_secret.includes(secret)).toBe(false);
  });

  it('have names of their own, also when two are made at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => operator.request('POST', PROVIDERS, body('twice'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ error: 'identity_provider_exists' });
  });

  it.each<[string, object]>([
    ['a slug in capitals', { slug: 'Acme' }],
    ['a slug with a slash', { slug: 'a/b' }],
    ['a slug that is too long', { slug: 'x'.repeat(64) }],
    ['no slug', { slug: undefined }],
    ['null for a name', { name: null }],
    ['a number for a name', { name: 7 }],
    ['a long name', { name: 'x'.repeat(81) }],
    ['no issuer', { issuer: undefined }],
    ['an empty client id', { client_id: '' }],
    ['a line break in the client id', { client_id: 'a\nb' }],
    ['an empty secret', { client_secret: '' }],
    ['a NUL in the secret', { client_secret: 'a\0b' }],
    ['scopes with a line break', { scopes: 'openid\nemail' }],
    ['an unknown admission', { admission: 'all' }],
    ['domains without a list', { domains: 'example.com' }],
    ['a domain that is none', { domains: ['example'] }],
    ['a domain with a path', { domains: ['example.com/x'] }],
    ['an empty domain', { domains: [''] }],
    ['a domain with a lone surrogate', { domains: ['\ud800.com'] }],
    ['a number for a domain', { domains: [7] }],
    ['too many domains', { domains: Array.from({ length: 101 }, (_, index) => `d${index}.com`) }],
    ['the admission by domains without any', { admission: 'domains' }],
    ['a text for enabled', { enabled: 'yes' }],
    ['an unknown field', { secret: 'x' }],
  ])('are refused with %s', async (_, wrong) => {
    await operator.post(PROVIDERS, body('wrong', wrong), 422);
  });

  it.each(['login.example.com', 'ftp://login.example.com', 'https://u:p@login.example.com', 'javascript:x', '\ud800'])(
    'are refused with the issuer %j',
    async (issuer) => {
      const answer = await operator.post(PROVIDERS, body('wrong', { issuer }), 400);
      expect(answer).toMatchObject({ error: 'identity_provider_issuer_refused' });
    },
  );

  it('need SECRETS_KEY for a secret, and none without', async () => {
    const keyless = await TestApp.own({ works: false, env: { SECRETS_KEY: '' } });
    try {
      const by = keyless.operator();
      expect(await by.post(PROVIDERS, body('a', { client_secret: 'x' }), 400)).toMatchObject({
        error: 'secrets_key_missing',
      });
      await by.post(PROVIDERS, body('a'), 201);
    } finally {
      await keyless.stop();
    }
  });
});

describe('the provider of the environment', () => {
  let provider: HostileProvider;
  let app: TestApp;
  beforeAll(async () => {
    provider = await HostileProvider.start();
    app = await TestApp.own({
      works: false,
      env: {
        OUTBOUND_ALLOW_PRIVATE: 'on',
        PUBLIC_URL: 'https://sheets.example.com/',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: CLIENT_ID,
        OIDC_CLIENT_SECRET: CLIENT_SECRET,
        OIDC_NAME: 'Acme',
        OIDC_SCOPES: 'email',
        OIDC_GROUPS_CLAIM: 'roles',
        OIDC_ADMISSION: 'domains',
        OIDC_DOMAINS: 'example.com, EXAMPLE.org',
      },
    });
  });
  afterAll(async () => {
    await app.stop();
    await provider.stop();
  });

  it('signs people in by its settings, under the address of PUBLIC_URL', async () => {
    const workspace = await newWorkspace(app);
    const rule = { group: 'staff', workspace_id: workspace.id, roles: ['viewer'] };
    await app.operator().post(`${ADMIN}/group-rules`, rule, 201);
    const browser = new Visitor(app);
    const departed = await browser.depart('env');
    expect(Object.fromEntries(departed.searchParams)).toMatchObject({
      scope: 'openid email',
      redirect_uri: 'https://sheets.example.com/console/sign-in/env/callback',
    });
    const claims = { sub: 'ada', email: 'ada@example.org', email_verified: true, roles: 'staff' };
    expect(await browser.arrive('env', departed, { code: provider.grant(departed, claims) })).toBe('/console/');
    expect(await browser.client.get('/console/session')).toMatchObject({ workspace: { id: workspace.id } });
    expect(provider.tokenRequests.at(-1)!.form.get('redirect_uri')).toBe(departed.searchParams.get('redirect_uri'));
  });

  it('is listed, wins over a stored one of its name, and is not changed by the API', async () => {
    const operator = app.operator();
    const expected = {
      slug: 'env',
      name: 'Acme',
      has_client_secret: true,
      is_from_environment: true,
      created_at: null,
    };
    await app.sql(
      `INSERT INTO identity_providers (slug, name, issuer, client_id, scopes) VALUES ('env', 'Stored', 'https://x.org', 'x', 'openid')
       ON CONFLICT DO NOTHING`,
    );
    expect(await operator.get(PROVIDERS)).toMatchObject({ identity_providers: [expected] });
    expect(await operator.get(`${PROVIDERS}/env`)).toMatchObject({ identity_provider: expected });
    const stored = { slug: 'env', name: 'Mine', issuer: 'https://login.example.com', client_id: 'x' };
    await operator.post(PROVIDERS, stored, 409);
    for (const answer of [
      operator.patch(`${PROVIDERS}/env`, { name: 'x' }, 409),
      operator.delete(`${PROVIDERS}/env`, 409),
    ]) {
      expect(await answer).toMatchObject({ error: 'identity_provider_read_only' });
    }
  });

  it.each([
    [{ OIDC_ISSUER: 'https://login.example.com' }, 'OIDC_CLIENT_ID'],
    [{ OIDC_ISSUER: 'nonsense' }, 'OIDC_ISSUER'],
    [{ OIDC_ADMISSION: 'all' }, 'OIDC_ADMISSION'],
    [{ OIDC_ISSUER: 'https://x.org', OIDC_CLIENT_ID: 'x', OIDC_ADMISSION: 'domains' }, 'OIDC_DOMAINS'],
    [{ OIDC_ISSUER: 'https://x.org', OIDC_CLIENT_ID: 'x', OIDC_DOMAINS: 'nonsense' }, 'OIDC_DOMAINS'],
  ])('keeps the server from starting with %j', (env: Record<string, string>, setting) => {
    const start = () => domainModules({ works: false, config: testConfig(app.config.databaseUrl, env) });
    expect(start).toThrow(setting);
  });
});

describe('passwords', () => {
  it('are off while there is an identity provider, but for links of the operator', async () => {
    const app = await TestApp.own({ works: false });
    try {
      const operator = app.operator();
      const { admin, path } = await newWorkspace(app);
      const email = 'admin@example.com';
      const token = await invite(admin, path, email, ['admin']);
      await new Visitor(app).request('POST', '/console/invitation/accept', { token, password: PASSWORD });
      const member = await invite(admin, path, 'member@example.com');
      await new Visitor(app).request('POST', '/console/invitation/accept', { token: member, password: PASSWORD });
      const anyone = app.clientWith(null);
      const signIn = (status: number) => anyone.post('/console/sign-in', { email, password: PASSWORD }, status);
      await signIn(201);
      const body = { slug: 'acme', name: 'Acme', issuer: 'https://login.invalid', client_id: 'x' };
      await operator.post(PROVIDERS, body, 201);
      expect(await signIn(403)).toMatchObject({ error: 'local_sign_in_off' });
      expect(await anyone.get('/console/sign-in')).toMatchObject({ has_passwords: false });
      const open = await invite(admin, path, 'third@example.com');
      const acceptance = { token: open, password: PASSWORD };
      await anyone.post('/console/invitation/accept', acceptance, 403);
      await anyone.post('/console/invitation', { token: open }, 201);
      await anyone.post('/console/password', acceptance, 403);
      // Keys sign in as before.
      await app.client.post('/console/session', {}, 201);

      expect(await new Visitor(app).follow('/console/sign-in/acme')).toBe(failed('provider_unreachable'));
      await breakGlass(app, email);

      await operator.patch(`${PROVIDERS}/acme`, { enabled: false });
      await signIn(201);
    } finally {
      await app.stop();
    }
  });

  /** An administrator comes in by the command line, once. */
  async function breakGlass(app: TestApp, email: string): Promise<void> {
    const lines: string[] = [];
    const surroundings = {
      env: { DATABASE_URL: app.config.databaseUrl },
      say: (line: string) => void lines.push(line),
      readSecret: () => Promise.resolve(''),
    };
    const run = (...args: string[]) => runAdminCommand(['users', 'sign-in-link', ...args], surroundings);
    for (const nobody of ['member@example.com', 'nobody@example.com']) {
      await expect(run(nobody)).rejects.toThrow('active administrator');
    }
    await expect(run()).rejects.toThrow('Usage');
    await run(email.toUpperCase());
    await run(email);
    const [earlier, token] = lines.map((line) => /^\/console\/sign-in-link#([\w-]{43})$/m.exec(line)![1]!);
    const anyone = app.clientWith(null);
    const use = (text: string) => anyone.request('POST', '/console/sign-in-link', { token: text });
    expect((await use(earlier!)).body).toMatchObject({ error: 'link_invalid' });
    await anyone.post('/console/password', { token, password: PASSWORD }, 403);
    const answers = await Promise.all([use(token!), use(token!)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404]);
    expect(answers.find(({ status }) => status === 201)!.body).toMatchObject({ user: { email } });
    await run(email);
    await app.sql('UPDATE user_links SET expires_at = now()');
    expect((await use(/#(.+)$/.exec(lines.at(-1)!)![1]!)).status).toBe(404);
  }

  it('for links and for sign-in are not mixed up', async () => {
    const app = await TestApp.own({ works: false, env: { LOCAL_SIGN_IN: 'on' } });
    try {
      const { admin, path } = await newWorkspace(app);
      const token = await invite(admin, path, 'ada@example.com');
      const { body } = await new Visitor(app).request('POST', '/console/invitation/accept', {
        token,
        password: PASSWORD,
      });
      const { user } = body as { user: { id: number } };
      const link = (await app.operator().post(`${ADMIN}/users/${user.id}/password-links`, {}, 201)) as { path: string };
      await app.clientWith(null).post('/console/sign-in-link', { token: link.path.split('#')[1] }, 404);
    } finally {
      await app.stop();
    }
  });
});
