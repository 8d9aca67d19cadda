import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_DEEP } from '../support/depth.js';
import { Keycloak, keycloakHome } from '../support/keycloak.js';
import { ProviderBrowser } from '../support/provider-browser.js';
import { ADMIN, failed, invite, ME, newWorkspace, sessionOf, Visitor } from '../support/single-sign-on.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const REALM = 'acme';
const PASSWORD = 'the password of a person';
const CALLBACK = 'http://localhost/console/sign-in/keycloak/callback';
const CLIENT = { client_id: 'tracesheet', client_secret: 'the secret of the client' };

const home = IS_DEEP ? keycloakHome() : null;
/** Says why the tests are skipped. CONTRIBUTING.md says how to get one. */
const missing = home ? '' : ' (skipped: KEYCLOAK_HOME names none, or the run is not a deep one)';

const person = (username: string, groups: string[] = []) => ({
  username,
  email: `${username}@example.com`,
  emailVerified: true,
  firstName: username,
  lastName: 'Example',
  enabled: true,
  credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
  groups,
});

describe.skipIf(!home)(`Keycloak as the identity provider${missing}`, () => {
  let app: TestApp;
  let keycloak: Keycloak;
  beforeAll(async () => {
    app = await TestApp.own({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
    keycloak = await Keycloak.start(home!);
    await keycloak.administer('POST', '', realm(await app.listen()));
    const issuer = `${keycloak.origin}/realms/${REALM}`;
    const body = { slug: 'keycloak', name: 'Keycloak', issuer, ...CLIENT };
    await app.operator().post(`${ADMIN}/identity-providers`, body, 201);
  }, 600_000);
  afterAll(async () => {
    await keycloak?.stop();
    await app?.stop();
  });

  const idOf = async (username: string) => {
    const found = await keycloak.administer('GET', `/${REALM}/users?exact=true&username=${username}`);
    return (found as { id: string }[])[0]!.id;
  };

  /** Fills in the login form; the page it leads to. */
  async function logIn(at: ProviderBrowser, departed: URL, username: string, password = PASSWORD) {
    const { url, page } = await at.go(departed.href);
    // Without a form the session at the provider has signed in.
    if (url.startsWith(CALLBACK)) return { url, page };
    const action = /<form id="kc-form-login"[^>]* action="([^"]+)"/.exec(page)![1]!.replaceAll('&amp;', '&');
    return at.go(action, { username, password, credentialId: '' });
  }

  /** Signs in to the console; the page that follows. */
  async function signIn(browser: Visitor, at: ProviderBrowser, username: string): Promise<string> {
    const { url } = await logIn(at, await browser.depart('keycloak'), username);
    expect(url).toMatch(CALLBACK);
    return browser.follow(url.slice('http://localhost'.length));
  }

  const atKeycloak = () => new ProviderBrowser(keycloak.origin);
  const isIn = async (browser: Visitor) => (await browser.client.request('GET', ME)).status === 200;

  it('signs users in by its login form, with a code and PKCE, and its groups give roles', async () => {
    const [invited, support] = [await newWorkspace(app), await newWorkspace(app)];
    const rule = { group: 'support', workspace_id: support.id, roles: ['viewer'] };
    await app.operator().post(`${ADMIN}/group-rules`, rule, 201);
    await invite(invited.admin, invited.path, 'ada@example.com');
    const [browser, at] = [new Visitor(app), atKeycloak()];
    const departed = await browser.depart('keycloak');
    expect(departed.searchParams.get('code_challenge_method')).toBe('S256');
    const wrong = await logIn(at, departed, 'ada', 'another password');
    expect(wrong.page).toContain('Invalid username or password');
    expect(await signIn(browser, at, 'ada')).toBe('/console/');
    const session = await sessionOf(browser);
    expect(session.user).toMatchObject({ email: 'ada@example.com', name: 'ada Example' });
    expect(session.workspaces.map(({ id }) => id).toSorted()).toEqual([invited.id, support.id]);
    const { members } = (await support.admin.get(`${support.path}/members`)) as { members: object[] };
    expect(members).toMatchObject([{ email: 'ada@example.com', roles: ['viewer'], from_groups: true }]);

    const groups = (await keycloak.administer('GET', `/${REALM}/users/${await idOf('ada')}/groups`)) as {
      id: string;
    }[];
    await keycloak.administer('DELETE', `/${REALM}/users/${await idOf('ada')}/groups/${groups[0]!.id}`);
    expect(await signIn(browser, at, 'ada')).toBe('/console/');
    expect((await sessionOf(browser)).workspaces.map(({ id }) => id)).toEqual([invited.id]);
  });

  it('refuses a client without the code verifier', async () => {
    const departed = await new Visitor(app).depart('keycloak');
    departed.searchParams.delete('code_challenge');
    departed.searchParams.delete('code_challenge_method');
    const { url } = await atKeycloak().go(departed.href);
    expect(new URL(url).searchParams.get('error')).toBe('invalid_request');
  });

  it('ends sessions here when it ends its own (back-channel logout), and no others', async () => {
    const workspace = await newWorkspace(app);
    await invite(workspace.admin, workspace.path, 'bob@example.com');
    await invite(workspace.admin, workspace.path, 'eve@example.com');
    const [first, second, other] = [new Visitor(app), new Visitor(app), new Visitor(app)];
    const [atFirst, atSecond] = [atKeycloak(), atKeycloak()];
    await signIn(first, atFirst, 'bob');
    await signIn(second, atSecond, 'bob');
    await signIn(other, atKeycloak(), 'eve');
    // Signing out here leads to its logout, which asks nothing, because the ID token says who wants it.
    const { body } = await first.request('DELETE', '/console/session');
    const { url } = await atFirst.go((body as { logout_url: string }).logout_url);
    expect(url).toBe('http://localhost/console/');
    const { page } = await atFirst.go((await first.depart('keycloak')).href);
    expect(page).toContain('kc-form-login');
    expect(await isIn(second)).toBe(true);
    await keycloak.administer('POST', `/${REALM}/users/${await idOf('bob')}/logout`);
    await until(async () => !(await isIn(second)));
    expect(await isIn(other)).toBe(true);
  });

  it('does not let in whom it has disabled, and neither does this server whom the operator has', async () => {
    const workspace = await newWorkspace(app);
    await invite(workspace.admin, workspace.path, 'mallory@example.com');
    const browser = new Visitor(app);
    await signIn(browser, atKeycloak(), 'mallory');
    const { user } = await sessionOf(browser);
    await app.operator().patch(`${ADMIN}/users/${user.id}`, { status: 'disabled' });
    expect(await isIn(browser)).toBe(false);
    expect(await signIn(browser, atKeycloak(), 'mallory')).toBe(failed('user_disabled'));
    await keycloak.administer('PUT', `/${REALM}/users/${await idOf('mallory')}`, { enabled: false });
    const { url, page } = await logIn(atKeycloak(), await browser.depart('keycloak'), 'mallory');
    expect(url.startsWith(CALLBACK)).toBe(false);
    expect(page).toContain('Account is disabled');
  });
});

/** A realm as an operator sets it up: docs/how-to/single-sign-on.md. */
function realm(server: string): object {
  const groups = {
    name: 'groups',
    protocol: 'openid-connect',
    protocolMapper: 'oidc-group-membership-mapper',
    config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true', 'userinfo.token.claim': 'true' },
  };
  return {
    realm: REALM,
    enabled: true,
    groups: [{ name: 'support' }],
    users: [person('ada', ['/support']), person('bob'), person('eve'), person('mallory')],
    clients: [
      {
        clientId: CLIENT.client_id,
        secret: CLIENT.client_secret,
        redirectUris: [CALLBACK],
        standardFlowEnabled: true,
        directAccessGrantsEnabled: false,
        protocolMappers: [groups],
        attributes: {
          'pkce.code.challenge.method': 'S256',
          'post.logout.redirect.uris': 'http://localhost/console/',
          'backchannel.logout.url': `${server}/console/sign-in/keycloak/logout`,
          'backchannel.logout.session.required': 'true',
        },
      },
    ],
  };
}
