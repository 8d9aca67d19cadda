import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { CLIENT_ID, type HostileProvider } from '../support/hostile-provider.js';
import {
  ADMIN,
  failed,
  identitiesOf,
  invite,
  linking,
  ME,
  newWorkspace,
  sessionOf,
  SingleSignOnApp,
} from '../support/single-sign-on.js';
import type { TestApp } from '../support/test-app.js';

const PROVIDERS = `${ADMIN}/identity-providers`;

let sso: SingleSignOnApp;
let app: TestApp;
let operator: Client;
let first: HostileProvider;
let second: HostileProvider;
beforeAll(async () => {
  sso = await SingleSignOnApp.start();
  ({ app, first, second } = sso);
  operator = app.operator();
});
beforeEach(async () => {
  await operator.patch(`${PROVIDERS}/first`, { admission: 'invited', groups_claim: 'groups' });
});
afterAll(() => sso.stop());

const visitor = () => sso.visitor();
const person = (more: object = {}) => sso.person({ ...more });
const signedIn: SingleSignOnApp['signedIn'] = (claims) => sso.signedIn(claims);
const withPassword: SingleSignOnApp['withPassword'] = (email) => sso.withPassword(email);

describe('the sign-in page', () => {
  it('lists the enabled providers without anything else of them', async () => {
    await operator.post(
      PROVIDERS,
      { slug: 'off', name: 'Off', issuer: first.issuer, client_id: 'x', enabled: false },
      201,
    );
    expect(await app.clientWith(null).get('/console/sign-in')).toEqual({
      success: true,
      providers: [
        { slug: 'first', name: 'first' },
        { slug: 'second', name: 'second' },
      ],
      has_passwords: true,
      can_reset_password: false,
      session_idle_minutes: 720,
    });
    expect(await visitor().follow('/console/sign-in/off')).toBe(failed('identity_provider_not_found'));
    expect(await visitor().follow('/console/sign-in/nobody')).toBe(failed('identity_provider_not_found'));
    expect(await visitor().follow('/console/sign-in/%00')).toBe(failed('identity_provider_not_found'));
    expect(await visitor().follow('/console/sign-in/first?workspace_id=x')).toBe(failed('validation_error'));
  });

  it('sends the browser to the provider with a code challenge, a nonce and a state', async () => {
    const browser = visitor();
    const departed = await browser.depart('first');
    expect(departed.href).toMatch(`${first.issuer}/authorize?`);
    const query = Object.fromEntries(departed.searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      scope: 'openid email profile',
      redirect_uri: 'http://localhost/console/sign-in/first/callback',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query[name]).toMatch(/^[\w-]{43}$/);
    const answer = await browser.client.request('GET', '/console/sign-in/first');
    expect(answer.headers['set-cookie']).toMatch(
      /^ts_sign_in=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
    );
  });
});

describe('a person whose identity is new', () => {
  it('is refused without an invitation', async () => {
    const browser = visitor();
    expect(await browser.signIn('first', first, person())).toBe(failed('not_admitted'));
    expect(browser.cookie('ts_session')).toBeUndefined();
  });

  it('accepts all open invitations of the verified address, in any letter case and script', async () => {
    const [one, two] = [await newWorkspace(app), await newWorkspace(app)];
    const claims = person({ email: `ＡDA-${sso.people}@Example.com` });
    await invite(one.admin, one.path, `ada-${sso.people - 1}@example.com`, ['viewer']);
    await invite(two.admin, two.path, `Ada-${sso.people - 1}@EXAMPLE.com`);
    const browser = visitor();
    expect(await browser.signIn('first', first, claims)).toBe('/console/');
    expect(await browser.client.get('/console/session')).toMatchObject({
      user: { email: claims.email, name: 'Ada Lovelace', roles: ['viewer'] },
      workspace: { id: one.id },
      workspaces: [{ id: one.id }, { id: two.id }],
    });
    expect(await one.admin.get(`${one.path}/invitations`)).toMatchObject({ invitations: [] });
    const { data } = (await one.admin.get(`${one.path}/audit-entries`)) as { data: { action: string }[] };
    expect(data.map(({ action }) => action)).toEqual(expect.arrayContaining(['member.join', 'identity.link']));
  });

  it.each([
    ['without email_verified', { email_verified: undefined }],
    ['with email_verified false', { email_verified: false }],
    ['with email_verified as a text', { email_verified: 'true' }],
    ['without an address', { email: undefined }],
    ['with a number for an address', { email: 7 }],
    ['with a NUL in the address', { email: 'ada\0@example.com' }],
    ['with a lone surrogate in the address', { email: 'ada\ud800@example.com' }],
  ])('is rejected %s, despite an invitation', async (_, claims) => {
    const { admin, path } = await newWorkspace(app);
    const invited = person(claims);
    await invite(admin, path, `subject-${sso.people}@example.com`);
    expect(await visitor().signIn('first', first, invited)).toBe(failed('email_not_verified'));
    expect(await admin.get(`${path}/members`)).toMatchObject({ members: [] });
  });

  it('is admitted by the domain of the address, and then waits for a workspace', async () => {
    await operator.patch(`${PROVIDERS}/first`, { admission: 'domains', domains: ['Bücher.example'] });
    for (const domain of [
      'example.com',
      'sub.xn--bcher-kva.example',
      'bücher.example.evil.com',
      'ücher.example',
      'bücher.example/x',
    ]) {
      const stranger = person({ email: `a@${domain}` });
      expect(await visitor().signIn('first', first, stranger)).toBe(failed('not_admitted'));
    }
    const claims = person({ email: `"a@example.com"@XN--bcher-kva.EXAMPLE` });
    expect(await visitor().signIn('first', first, claims)).toBe(failed('no_workspace'));
    const { users } = (await operator.get(`${ADMIN}/users`)) as { users: { email: string }[] };
    expect(users.map(({ email }) => email)).toContain(claims.email);
    // A second person with the address is a stranger.
    const another = { ...claims, sub: 'another' };
    expect(await visitor().signIn('first', first, another)).toBe(failed('identity_not_linked'));
  });

  it('is admitted by a group with a rule', async () => {
    const workspace = await newWorkspace(app);
    await operator.patch(`${PROVIDERS}/first`, { admission: 'groups' });
    const rule = { group: 'admitted', workspace_id: workspace.id, roles: ['contributor'] };
    await operator.post(`${ADMIN}/group-rules`, rule, 201);
    const outside = person({ groups: ['Admitted'] });
    expect(await visitor().signIn('first', first, outside)).toBe(failed('not_admitted'));
    const { users } = (await operator.get(`${ADMIN}/users`)) as { users: { email: string }[] };
    expect(users.map(({ email }) => email)).not.toContain(outside.email);
    const browser = visitor();
    expect(await browser.signIn('first', first, person({ groups: ['x', 'admitted'] }))).toBe('/console/');
    expect(await sessionOf(browser)).toMatchObject({
      user: { roles: ['contributor'] },
      workspace: { id: workspace.id },
    });
  });

  it('is not joined to an account that has the address', async () => {
    const claims = person();
    const { workspace } = await withPassword(claims.email);
    // Nor by another invitation that nobody has opened.
    const other = await newWorkspace(app);
    await invite(other.admin, other.path, claims.email);
    const capitals = { ...claims, email: claims.email.toUpperCase() };
    expect(await visitor().signIn('first', first, capitals)).toBe(failed('identity_not_linked'));
    expect(await other.admin.get(`${other.path}/members`)).toMatchObject({ members: [] });
    expect(await workspace.admin.get(`${workspace.path}/members`)).toMatchObject({
      members: [{ email: claims.email }],
    });
  });

  it('is not joined to the account of another provider that has the address', async () => {
    const claims = person();
    await signedIn(claims);
    expect(await visitor().signIn('second', second, claims)).toBe(failed('identity_not_linked'));
  });

  it('takes over an account that was provisioned and never used', async () => {
    const claims = person();
    await app.sql('INSERT INTO users (email, email_key) VALUES ($1, $1)', [claims.email]);
    const workspace = await newWorkspace(app);
    const token = await invite(workspace.admin, workspace.path, claims.email);
    expect(await visitor().signIn('first', first, claims)).toBe(failed('no_workspace'));
    expect(token).toBeDefined();
    expect(await visitor().signIn('second', second, claims)).toBe(failed('identity_not_linked'));
  });

  it('makes one account when it arrives in two tabs at once', async () => {
    const claims = person();
    const { admin, path } = await newWorkspace(app);
    await invite(admin, path, claims.email);
    const browser = visitor();
    await browser.depart('first');
    const tabs = [await browser.depart('first'), await browser.depart('first')];
    const arrivals = tabs.map((tab) => browser.arrive('first', tab, { code: first.grant(tab, claims) }));
    expect(await Promise.all(arrivals)).toEqual(['/console/', '/console/']);
    const { members } = (await admin.get(`${path}/members`)) as { members: unknown[] };
    expect(members).toHaveLength(1);
  });
});

describe('an invitation link', () => {
  it('is accepted by the verified address it is for, also with an account that has the address', async () => {
    const claims = person();
    await withPassword(claims.email);
    const { id, admin, path } = await newWorkspace(app);
    const token = await invite(admin, path, claims.email.toUpperCase(), ['publisher']);
    const browser = visitor();
    const { body } = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
    const departed = new URL((body as { url: string }).url);
    const code = first.grant(departed, claims);
    expect(await browser.arrive('first', departed, { code })).toBe('/console/');
    expect(await sessionOf(browser)).toMatchObject({ user: { roles: ['publisher'] }, workspace: { id } });
    expect(await identitiesOf(browser)).toMatchObject([{ provider: { slug: 'first' }, email: claims.email }]);
    await browser.client.post('/console/invitation/sign-in', { token, provider: 'first' }, 404);
  });

  it('takes the account from somebody who accepted an earlier invitation to the address', async () => {
    const claims = person();
    const { browser: other } = await withPassword(claims.email);
    const join = async () => {
      const { admin, path } = await newWorkspace(app);
      const token = await invite(admin, path, claims.email);
      const browser = visitor();
      const { body } = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
      const departed = new URL((body as { url: string }).url);
      return { browser, to: await browser.arrive('first', departed, { code: first.grant(departed, claims) }) };
    };
    const signIn = { email: claims.email, password: 'correct horse battery' };
    await visitor().client.post('/console/sign-in', signIn, 201);
    const { browser, to } = await join();
    expect(to).toBe('/console/');
    await visitor().client.post('/console/sign-in', signIn, 401);
    expect((await other.request('GET', '/console/session')).status).toBe(401);
    expect(await identitiesOf(browser)).toHaveLength(1);
  });

  it('joins no account that has the identity of somebody else', async () => {
    const claims = person();
    const { browser } = await withPassword(claims.email);
    const departing = await linking(browser, 'first');
    await browser.arrive('first', departing, { code: first.grant(departing, person()) });
    const { admin, path } = await newWorkspace(app);
    const token = await invite(admin, path, claims.email);
    const visiting = visitor();
    const { body } = await visiting.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
    const departed = new URL((body as { url: string }).url);
    const arrived = await visiting.arrive('first', departed, { code: first.grant(departed, claims) });
    expect(arrived).toBe(failed('identity_not_linked'));
  });

  it('makes a known person a member of one more workspace', async () => {
    const claims = person();
    await signedIn(claims);
    const { id, admin, path } = await newWorkspace(app);
    const token = await invite(admin, path, claims.email);
    const browser = visitor();
    const { body } = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
    const departed = new URL((body as { url: string }).url);
    await browser.arrive('first', departed, { code: first.grant(departed, claims) });
    expect(await sessionOf(browser)).toMatchObject({ workspace: { id } });
  });

  it('is refused to another address, and to one that is not verified', async () => {
    const { admin, path } = await newWorkspace(app);
    const token = await invite(admin, path, `invited-${++sso.people}@example.com`);
    for (const [claims, code] of [
      [person(), 'invitation_of_another'],
      [person({ email: `invited-${sso.people - 1}@example.com`, email_verified: false }), 'email_not_verified'],
    ] as const) {
      const browser = visitor();
      const { body } = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
      const departed = new URL((body as { url: string }).url);
      expect(await browser.arrive('first', departed, { code: first.grant(departed, claims) })).toBe(failed(code));
    }
    expect(await admin.get(`${path}/members`)).toMatchObject({ members: [] });
    expect(await admin.get(`${path}/invitations`)).toMatchObject({ invitations: [{}] });
  });

  it('is checked before the browser leaves', async () => {
    const anyone = app.clientWith(null);
    const post = (body: object, status: number) => anyone.post('/console/invitation/sign-in', body, status);
    const { admin, path } = await newWorkspace(app);
    const token = await invite(admin, path, `invited-${++sso.people}@example.com`);
    expect(await post({ token: 'x', provider: 'first' }, 404)).toMatchObject({ error: 'link_invalid' });
    expect(await post({ token, provider: 'nobody' }, 404)).toMatchObject({ error: 'identity_provider_not_found' });
    await post({ token }, 422);
    await post({ provider: 'first' }, 422);
  });
});

describe('a person who signs in again', () => {
  it('is found by the subject, whatever the address is now, verified or not', async () => {
    const claims = person();
    const { browser } = await signedIn(claims);
    const { user } = await sessionOf(browser);
    const again = visitor();
    const changed = { ...claims, email: 'other@example.org', email_verified: false };
    expect(await again.signIn('first', first, changed)).toBe('/console/');
    expect(await sessionOf(again)).toMatchObject({ user: { id: user.id, email: claims.email } });
    expect(await identitiesOf(again)).toMatchObject([{ email: 'other@example.org' }]);
    // The same subject at another provider is somebody else.
    expect(await visitor().signIn('second', second, { ...claims, email: 'o@example.org' })).toBe(
      failed('not_admitted'),
    );
  });

  it('is a stranger when the provider has another issuer', async () => {
    const claims = person();
    await signedIn(claims);
    await operator.patch(`${PROVIDERS}/first`, { issuer: second.issuer });
    expect(await visitor().signIn('first', second, claims)).toBe(failed('identity_not_linked'));
    await operator.patch(`${PROVIDERS}/first`, { issuer: first.issuer });
    expect(await visitor().signIn('first', first, claims)).toBe('/console/');
  });

  it('goes on on the page asked for, in the workspace asked for', async () => {
    const claims = person();
    const { browser } = await signedIn(claims);
    const second = await newWorkspace(app);
    const token = await invite(second.admin, second.path, claims.email);
    const joined = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
    const joining = new URL((joined.body as { url: string }).url);
    await browser.arrive('first', joining, { code: first.grant(joining, claims) });
    const again = visitor();
    const query = `?to=${encodeURIComponent('/console/traces?x=1#y')}&workspace_id=${second.id}`;
    const departed = await again.depart('first', query);
    const code = first.grant(departed, claims);
    expect(await again.arrive('first', departed, { code })).toBe('/console/traces?x=1#y');
    expect(await sessionOf(again)).toMatchObject({ workspace: { id: second.id } });
  });

  it('is refused while disabled, and after the removal from the last workspace', async () => {
    const claims = person();
    const { browser, workspace } = await signedIn(claims);
    const { user } = await sessionOf(browser);
    await operator.patch(`${ADMIN}/users/${user.id}`, { status: 'disabled' });
    expect(await visitor().signIn('first', first, claims)).toBe(failed('user_disabled'));
    await operator.patch(`${ADMIN}/users/${user.id}`, { status: 'active' });
    await workspace.admin.delete(`${workspace.path}/members/${user.id}`);
    expect(await visitor().signIn('first', first, claims)).toBe(failed('no_workspace'));
  });

  it('is forgotten with the user', async () => {
    const claims = person();
    const { browser } = await signedIn(claims);
    await operator.delete(`${ADMIN}/users/${(await sessionOf(browser)).user.id}`);
    await browser.client.get(ME, 401);
    expect(await visitor().signIn('first', first, claims)).toBe(failed('not_admitted'));
  });
});
