import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import type { HostileProvider } from '../support/hostile-provider.js';
import {
  ADMIN,
  failed,
  identitiesOf,
  linking,
  ME,
  newWorkspace,
  sessionOf,
  SingleSignOnApp,
  type Visitor,
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

describe('groups', () => {
  async function rule(group: string, roles: string[]) {
    const workspace = await newWorkspace(app);
    await operator.post(`${ADMIN}/group-rules`, { group, workspace_id: workspace.id, roles }, 201);
    return workspace;
  }
  const workspaces = async (browser: Visitor) => (await sessionOf(browser)).workspaces.map(({ id }) => id);

  it('decide at every sign-in about workspaces and roles', async () => {
    const [support, leads] = [await rule('support', ['viewer']), await rule('leads', ['admin'])];
    const claims = person();
    const { browser, workspace } = await signedIn(claims);
    await browser.signIn('first', first, { ...claims, groups: ['support', 'leads', 'nothing'] });
    expect(new Set(await workspaces(browser))).toEqual(new Set([workspace.id, support.id, leads.id]));
    await browser.request('POST', `/console/session/workspace/${leads.id}`);
    expect(await sessionOf(browser)).toMatchObject({ user: { roles: ['admin'] } });
    // Another sign-in with other groups ends what the open session could do.
    const elsewhere = visitor();
    await elsewhere.signIn('first', first, { ...claims, groups: 'support' });
    await browser.client.get(ME, 401);
    expect(await workspaces(elsewhere)).toEqual([workspace.id, support.id]);
    await elsewhere.signIn('first', first, claims);
    expect(await workspaces(elsewhere)).toEqual([workspace.id]);
  });

  it('are read from a path into objects, and from the userinfo endpoint', async () => {
    const deep = await rule('deep', ['viewer']);
    const claims = person();
    const { browser, workspace } = await signedIn(claims);
    await operator.patch(`${PROVIDERS}/first`, { groups_claim: 'realm_access.roles' });
    await browser.signIn('first', first, { ...claims, realm_access: { roles: ['deep'] } });
    expect(await workspaces(browser)).toEqual([workspace.id, deep.id]);
    await browser.signIn('first', first, { ...claims, realm_access: ['roles'] });
    expect(await workspaces(browser)).toEqual([workspace.id]);
    await browser.signIn('first', first, claims, { userinfo: { realm_access: { roles: ['deep'] } } });
    expect(await workspaces(browser)).toEqual([workspace.id, deep.id]);
  });

  it('that cannot be read whole refuse the sign-in, so that no roles are lost', async () => {
    const claims = person();
    const { browser, workspace } = await signedIn(claims);
    const kept = await rule('kept', ['viewer']);
    await browser.signIn('first', first, { ...claims, groups: ['kept'] });
    const many = Array.from({ length: 1001 }, (_, index) => `group ${index}`);
    for (const groups of [{ groups: many }, { _claim_names: { groups: 'src1' } }]) {
      expect(await visitor().signIn('first', first, { ...claims, ...groups })).toBe(failed('groups_unreadable'));
    }
    expect(await workspaces(browser)).toEqual([workspace.id, kept.id]);
    // Names that no rule can have do no harm.
    const odd = ['', 'x'.repeat(256), '\0', '\ud800', 7, null, ['kept'], { kept: true }, 'kept', 'kept'];
    await browser.signIn('first', first, { ...claims, groups: odd });
    expect(await workspaces(browser)).toEqual([workspace.id, kept.id]);
    for (const groups of [7, true, { kept: 1 }, null]) {
      expect(await browser.signIn('first', first, { ...claims, groups })).toBe('/console/');
      expect(await workspaces(browser)).toEqual([workspace.id]);
    }
  });

  it('are removed with the identity and with the provider', async () => {
    const engineers = await rule('engineers', ['contributor']);
    await sso.register('third', first);
    const claims = person({ groups: ['engineers'] });
    const { browser, workspace } = await signedIn(claims);
    const departed = await linking(browser, 'third');
    await browser.arrive('third', departed, { code: first.grant(departed, claims) });
    const [own, linked] = await identitiesOf(browser);
    await browser.client.delete(`/console/identities/${own!.id}`);
    expect(await workspaces(browser)).toEqual([workspace.id, engineers.id]);
    expect(linked).toMatchObject({ provider: { slug: 'third' } });
    await operator.delete(`${PROVIDERS}/third`);
    expect(await workspaces(browser)).toEqual([workspace.id]);
    expect(await identitiesOf(browser)).toEqual([]);
  });
});

describe('an account', () => {
  it('is linked to an identity by a signed-in person, whatever its address is', async () => {
    const claims = person();
    const { browser } = await withPassword(`other-${sso.people}@example.com`);
    const { user } = await sessionOf(browser);
    const departed = await linking(browser, 'first');
    const code = first.grant(departed, { ...claims, email_verified: false });
    expect(await browser.arrive('first', departed, { code })).toBe('/console/settings/account');
    const [identity] = await identitiesOf(browser);
    expect(identity).toMatchObject({ provider: { slug: 'first' }, email: claims.email });
    const again = visitor();
    await again.signIn('first', first, claims);
    expect(await sessionOf(again)).toMatchObject({ user: { id: user.id } });
    await again.client.delete(`/console/identities/${identity!.id}`);
    await again.client.delete(`/console/identities/${identity!.id}`, 404);
    expect(await visitor().signIn('first', first, claims)).toBe(failed('not_admitted'));
  });

  it('cannot take an identity of another account', async () => {
    const claims = person();
    await signedIn(claims);
    const { browser } = await withPassword(`other-${sso.people}@example.com`);
    const departed = await linking(browser, 'first');
    const code = first.grant(departed, claims);
    expect(await browser.arrive('first', departed, { code })).toBe(failed('identity_of_another'));
    expect(await identitiesOf(browser)).toEqual([]);
  });

  it('keeps one way to sign in', async () => {
    const claims = person();
    const { browser } = await signedIn(claims);
    const [only] = await identitiesOf(browser);
    const path = `/console/identities/${only!.id}`;
    expect(await browser.client.delete(path, 409)).toMatchObject({ error: 'last_way_to_sign_in' });
    const departed = await linking(browser, 'second');
    await browser.arrive('second', departed, { code: second.grant(departed, claims) });
    const ids = (await identitiesOf(browser)).map(({ id }) => `/console/identities/${id}`);
    const answers = await Promise.all(ids.map((each) => browser.client.request('DELETE', each)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    // An identity of a provider that is off is no way to sign in.
    const [left] = await identitiesOf(browser);
    await operator.patch(`${PROVIDERS}/${left!.provider.slug}`, { enabled: false });
    await browser.client.delete(`/console/identities/${left!.id}`, 409);
    await operator.patch(`${PROVIDERS}/${left!.provider.slug}`, { enabled: true });
  });

  it('is changed by people alone, and by nobody else', async () => {
    const claims = person();
    const { browser } = await signedIn(claims);
    const [identity] = await identitiesOf(browser);
    const path = `/console/identities/${identity!.id}`;
    const { secret } = (await browser.client.post(`${ME}/api-keys`, {}, 201)) as { secret: string };
    const program = app.clientWith(secret);
    expect(await program.get('/console/identities')).toMatchObject({ identities: [{ id: identity!.id }] });
    await program.post('/console/identities', { provider: 'first' }, 403);
    await program.delete(path, 404);
    await app.client.post('/console/identities', { provider: 'first' }, 403);
    const stranger = await signedIn(person());
    await stranger.browser.client.delete(path, 404);
    await browser.client.post('/console/identities', { provider: 'nobody' }, 404);
    await browser.client.post('/console/identities', {}, 422);
    await browser.client.delete('/console/identities/x', 422);
  });
});
