import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, HostileProvider, newKey } from '../support/hostile-provider.js';
import { ADMIN, failed, invite, newWorkspace, Visitor } from '../support/single-sign-on.js';
import { TestApp } from '../support/test-app.js';

const PROVIDERS = `${ADMIN}/identity-providers`;
const INVALID = failed('provider_answer_invalid');

type Claims = Record<string, unknown>;

let app: TestApp;
let provider: HostileProvider;
let claims: Claims;
beforeAll(async () => {
  app = await TestApp.own({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  provider = await HostileProvider.start();
  await register('acme', provider.issuer);
  await register('other', provider.issuer);
  claims = { sub: 'ada', email: 'ada@example.com', email_verified: true };
  const { admin, path } = await newWorkspace(app);
  await invite(admin, path, 'ada@example.com');
  expect(await new Visitor(app).signIn('acme', provider, claims)).toBe('/console/');
});
afterEach(() => {
  provider.broken = null;
  provider.metadata = {};
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

/** Its metadata are read with the first sign-in, and again after every change. */
const register = (slug: string, issuer: string, more: object = {}) =>
  app
    .operator()
    .post(PROVIDERS, { slug, name: slug, issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET, ...more }, 201);

const now = () => Math.floor(Date.now() / 1000);

/** Tries to sign in with another ID token; the page that follows. */
async function withToken(sign: (claims: Claims) => Promise<string> | string): Promise<string> {
  const browser = new Visitor(app);
  const page = await browser.signIn('acme', provider, claims, { sign: async (known) => sign(known) });
  expect(browser.cookie('ts_session') === undefined).toBe(page !== '/console/');
  return page;
}

describe('an ID token', () => {
  it.each<[string, (known: Claims) => Claims]>([
    ['with another nonce', () => ({ nonce: 'x'.repeat(43) })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['of another issuer', () => ({ iss: 'https://login.example.com' })],
    ['of an issuer that only looks the same', ({ iss }) => ({ iss: `${String(iss)}/` })],
    ['without an issuer', () => ({ iss: undefined })],
    ['for another audience', () => ({ aud: 'another' })],
    ['for several audiences without a party', () => ({ aud: [CLIENT_ID, 'another'] })],
    ['for another party', () => ({ aud: [CLIENT_ID, 'another'], azp: 'another' })],
    ['that has expired', () => ({ iat: now() - 7200, exp: now() - 3600 })],
    ['without an expiry', () => ({ exp: undefined })],
    ['that is not valid yet', () => ({ nbf: now() + 3600 })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a number for a subject', () => ({ sub: 7 })],
    ['with a NUL in the subject', () => ({ sub: 'ada\0' })],
    ['with a lone surrogate in the subject', () => ({ sub: 'ada\ud800' })],
    ['with a subject that is too long', () => ({ sub: 'a'.repeat(256) })],
  ])('%s is refused', async (_, change) => {
    const wrong = (known: Claims) => provider.token({ ...known, ...change({ iss: provider.issuer, ...known }) });
    expect(await withToken(wrong)).toBe(INVALID);
  });

  it('that is not signed is refused, also where the provider offers that', async () => {
    expect(await withToken((known) => provider.unsigned(known))).toBe(INVALID);
  });

  it('signed by a key that the provider does not have is refused, also under the id of one it has', async () => {
    const stranger = await newKey();
    expect(await withToken((known) => provider.token(known, { kid: 'unknown' }, stranger))).toBe(INVALID);
    expect(await withToken((known) => provider.token(known, { kid: undefined }, stranger))).toBe(INVALID);
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    // The token brings its own key along.
    const jwk = await exportJWK(publicKey);
    const own = { id: 'own', privateKey, publicKey: jwk };
    expect(await withToken((known) => provider.token(known, { jwk, kid: undefined }, own))).toBe(INVALID);
  });

  it('signed with the secret of the client is refused', async () => {
    expect(await withToken((known) => provider.symmetric(known))).toBe(INVALID);
  });

  it('that is changed after it was signed is refused', async () => {
    const swapped = async (known: Claims) => {
      const [header, , signature] = (await provider.token(known)).split('.');
      const payload = { ...known, iss: provider.issuer, aud: CLIENT_ID, iat: now(), exp: now() + 300, sub: 'eve' };
      return `${header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`;
    };
    expect(await withToken(swapped)).toBe(INVALID);
  });

  it.each(['', 'x', 'a.b.c', '..', 'é'])('that is none is refused: "%s"', async (text) => {
    expect(await withToken(() => text)).toBe(INVALID);
  });

  it('signed with keys that were rotated since the last sign-in is accepted', async () => {
    await provider.rotateKeys();
    expect(await withToken((known) => provider.token(known))).toBe('/console/');
    await provider.rotateKeys();
    expect(await withToken((known) => provider.token(known))).toBe('/console/');
  });

  it('is not mixed up with userinfo of somebody else', async () => {
    const { sub } = claims;
    const page = await new Visitor(app).signIn(
      'acme',
      provider,
      { sub },
      { userinfo: { sub: 'eve', email: 'e@x.org' } },
    );
    expect(page).toBe(INVALID);
  });
});

describe('a callback', () => {
  it('counts once, and so does its code', async () => {
    const browser = new Visitor(app);
    const departed = await browser.depart('acme');
    const code = provider.grant(departed, claims);
    expect(await browser.arrive('acme', departed, { code })).toBe('/console/');
    expect(await browser.arrive('acme', departed, { code })).toBe(failed('sign_in_expired'));
    // The provider refuses the code of another sign-in, because the code verifier differs.
    const again = await browser.depart('acme');
    expect(await browser.arrive('acme', again, { code })).toBe(INVALID);
    const stolen = provider.grant(await browser.depart('acme'), claims);
    expect(await browser.arrive('acme', await browser.depart('acme'), { code: stolen })).toBe(INVALID);
  });

  it('counts once when two arrive at the same time', async () => {
    const browser = new Visitor(app);
    const departed = await browser.depart('acme');
    const code = provider.grant(departed, claims);
    const pages = await Promise.all([1, 2, 3].map(() => browser.arrive('acme', departed, { code })));
    expect(pages.toSorted()).toEqual(['/console/', failed('sign_in_expired'), failed('sign_in_expired')]);
  });

  it('belongs to the browser that left', async () => {
    const [victim, attacker] = [new Visitor(app), new Visitor(app)];
    const departed = await attacker.depart('acme');
    const code = provider.grant(departed, claims);
    const own = await victim.depart('acme');
    // Neither another browser nor one with the state of another may come back, and neither uses the sign-in up.
    expect(await victim.arrive('acme', departed, { code })).toBe(failed('sign_in_expired'));
    expect(await new Visitor(app).arrive('acme', departed, { code })).toBe(failed('sign_in_expired'));
    expect(await attacker.arrive('acme', own, { code })).toBe(failed('sign_in_expired'));
    expect(await attacker.arrive('acme', departed, { code })).toBe('/console/');
  });

  it('belongs to the provider that the browser left for', async () => {
    const browser = new Visitor(app);
    const departed = await browser.depart('acme');
    const code = provider.grant(departed, claims);
    expect(await browser.arrive('other', departed, { code })).toBe(failed('sign_in_expired'));
    expect(await browser.arrive('acme', departed, { code, iss: 'https://login.example.com' })).toBe(INVALID);
  });

  it('comes within ten minutes', async () => {
    const browser = new Visitor(app);
    const departed = await browser.depart('acme');
    await app.sql('UPDATE sign_in_attempts SET expires_at = now()');
    const code = provider.grant(departed, claims);
    expect(await browser.arrive('acme', departed, { code })).toBe(failed('sign_in_expired'));
    await browser.depart('acme');
    expect(await app.sql('SELECT FROM sign_in_attempts WHERE expires_at <= now()')).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['an unknown state', `?state=${'x'.repeat(43)}&code=1`],
    ['no state', '?code=1'],
    ['a state of another form', '?state=%00&code=1'],
    ['a lone surrogate', '?state=%ED%A0%80&code=1'],
    ['a long state', `?state=${'x'.repeat(5000)}&code=1`],
  ])('with %s is refused', async (_, query) => {
    const browser = new Visitor(app);
    await browser.depart('acme');
    expect(await browser.follow(`/console/sign-in/acme/callback${query}`)).toBe(failed('sign_in_expired'));
  });

  it.each([
    [{ error: 'access_denied' }, 'sign_in_cancelled'],
    [{ error: 'login_required' }, 'provider_answer_invalid'],
    [{ error: '<script>' }, 'provider_answer_invalid'],
    [{}, 'provider_answer_invalid'],
    [{ code: '' }, 'provider_answer_invalid'],
    [{ code: '\0' }, 'provider_answer_invalid'],
    [{ code: 'unknown' }, 'provider_answer_invalid'],
  ] as [Record<string, string>, string][])('with %j says %s', async (answer, code) => {
    const browser = new Visitor(app);
    expect(await browser.arrive('acme', await browser.depart('acme'), answer)).toBe(failed(code));
  });

  it('leads to a page of the console and nowhere else', async () => {
    const browser = new Visitor(app);
    const evil = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/console/../..//evil.example',
      '/console/%2e%2e/%2e%2e//evil.example',
      'javascript:alert(1)',
      '/console/sign-in/acme',
      '/console/\r\nset-cookie: ts_session=x',
    ];
    for (const to of evil) {
      const departed = await browser.depart('acme', `?to=${encodeURIComponent(to)}`);
      const code = provider.grant(departed, claims);
      const page = await browser.arrive('acme', departed, { code });
      expect([to, new URL(page, 'http://localhost').origin]).toEqual([to, 'http://localhost']);
      expect([to, page]).toEqual([to, expect.stringMatching(/^\/console\/[\w%:=-]*$/)]);
    }
  });
});

describe('a client', () => {
  it('authenticates in the header, or in the form where the provider has only that, or not at all', async () => {
    const basic = Buffer.from([CLIENT_ID, CLIENT_SECRET].map(formEncoded).join(':')).toString('base64');
    const last = () => provider.tokenRequests.at(-1)!;
    await new Visitor(app).signIn('acme', provider, claims);
    expect(last().authorization).toBe(`Basic ${basic}`);
    expect(last().form.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    provider.metadata = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] };
    await register('post', provider.issuer);
    await new Visitor(app).signIn('post', provider, claims);
    expect(last().authorization).toBeUndefined();
    expect(last().form.get('client_secret')).toBe(CLIENT_SECRET);
    await register('public', provider.issuer, { client_secret: null });
    await new Visitor(app).signIn('public', provider, claims);
    expect([last().authorization, last().form.get('client_secret')]).toEqual([undefined, null]);
    expect(last().form.get('client_id')).toBe(CLIENT_ID);
  });

  const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

  it('reads metadata and keys once', async () => {
    await new Visitor(app).signIn('acme', provider, claims);
    const before = new Map(provider.asked);
    for (let round = 0; round < 3; round++) await new Visitor(app).signIn('acme', provider, claims);
    expect(provider.asked.get('/.well-known/openid-configuration')).toBe(
      before.get('/.well-known/openid-configuration'),
    );
    expect(provider.asked.get('/jwks')).toBe(before.get('/jwks'));
  });
});

describe('a provider', () => {
  it('that is down ends no session, and says so, until it is back', async () => {
    const browser = new Visitor(app);
    await browser.signIn('acme', provider, claims);
    const departed = await browser.depart('acme');
    const code = provider.grant(departed, claims);
    const down = await HostileProvider.start();
    await register('down', down.issuer);
    await down.stop();
    expect(await new Visitor(app).follow('/console/sign-in/down')).toBe(failed('provider_unreachable'));
    provider.broken = (response) => response.destroy();
    expect(await browser.arrive('acme', departed, { code })).toBe(failed('provider_unreachable'));
    await browser.client.get('/console/session');
    expect(await browser.client.delete('/console/session')).toMatchObject({ success: true });
    provider.broken = null;
    expect(await new Visitor(app).signIn('acme', provider, claims)).toBe('/console/');
  });

  it.each<[string, HostileProvider['broken'], string]>([
    ['fails', (response) => response.writeHead(503).end('<html>'), 'provider_unreachable'],
    ['redirects', (response) => response.writeHead(302, { location: '/elsewhere' }).end(), 'provider_answer_invalid'],
    ['answers no JSON', (response) => response.end('<html>'), 'provider_answer_invalid'],
    [
      'answers another type',
      (response) => response.setHeader('content-type', 'application/json').end('"x"'),
      'provider_answer_invalid',
    ],
    [
      'answers without end',
      (response) => {
        response.setHeader('content-type', 'application/json');
        const more = () => void response.write('x'.repeat(65_536), (error) => !error && setImmediate(more));
        more();
      },
      'provider_unreachable',
    ],
  ])('that %s is refused', async (name, broken, code) => {
    const slug = name.toLowerCase().replaceAll(' ', '-');
    await register(slug, provider.issuer);
    provider.broken = broken;
    expect(await new Visitor(app).follow(`/console/sign-in/${slug}`)).toBe(failed(code));
    provider.broken = null;
    expect(new URL(await new Visitor(app).follow(`/console/sign-in/${slug}`)).origin).toBe(provider.issuer);
  });

  it('that never answers is given up after seconds', async () => {
    await register('silent', provider.issuer);
    provider.broken = () => undefined;
    expect(await new Visitor(app).follow('/console/sign-in/silent')).toBe(failed('provider_unreachable'));
  });

  it('with the metadata of another issuer is refused', async () => {
    await register('swapped', provider.issuer);
    provider.metadata = { issuer: 'https://login.example.com' };
    expect(await new Visitor(app).follow('/console/sign-in/swapped')).toBe(INVALID);
  });

  it('leads to no address in the private network, and to none without TLS, unless that is allowed', async () => {
    const closed = await TestApp.own({ works: false });
    try {
      const body = { slug: 'inside', name: 'Inside', client_id: 'x' };
      const refusals = ['http://127.0.0.1:9', 'https://127.0.0.1', 'https://localhost', 'http://login.example.com'];
      for (const issuer of refusals) {
        expect(await closed.operator().post(PROVIDERS, { ...body, issuer }, 400)).toMatchObject({
          error: 'identity_provider_issuer_refused',
        });
      }
      await closed.operator().post(PROVIDERS, { ...body, issuer: 'https://login.invalid' }, 201);
      await closed.sql('UPDATE identity_providers SET issuer = $1', [provider.issuer]);
      const before = provider.asked.get('/.well-known/openid-configuration');
      expect(await new Visitor(closed).follow('/console/sign-in/inside')).toMatch(/sign-in-failed/);
      expect(provider.asked.get('/.well-known/openid-configuration')).toBe(before);
    } finally {
      await closed.stop();
    }
  });
});

it('departures are limited by address', async () => {
  const limited = await TestApp.own({
    works: false,
    env: {
      OUTBOUND_ALLOW_PRIVATE: 'on',
      CONSOLE_SIGN_INS_PER_MINUTE: '2',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'x',
    },
  });
  try {
    const browser = new Visitor(limited);
    const pages = [];
    for (let round = 0; round < 3; round++) pages.push(await browser.follow('/console/sign-in/env'));
    expect(pages.map((page) => page.split('?')[0])).toEqual([
      `${provider.issuer}/authorize`,
      `${provider.issuer}/authorize`,
      '/console/sign-in-failed',
    ]);
    expect(pages[2]).toBe(failed('rate_limited'));
  } finally {
    await limited.stop();
  }
});
