import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProviderBrowser } from '../support/provider-browser.js';
import { RealProvider } from '../support/real-provider.js';
import { ADMIN, failed, invite, ME, newWorkspace, Visitor } from '../support/single-sign-on.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const CALLBACK = 'http://localhost/console/sign-in/real/callback';

let app: TestApp;
let provider: RealProvider;
beforeAll(async () => {
  app = await TestApp.own({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  const client = { client_id: 'tracesheet', client_secret: 'a secret of the client' };
  provider = await RealProvider.start({
    ...client,
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: ['http://localhost/console/'],
    backchannel_logout_uri: `${await app.listen()}/console/sign-in/real/logout`,
    backchannel_logout_session_required: true,
  });
  const body = { slug: 'real', name: 'Real', issuer: provider.issuer, ...client };
  await app.operator().post(`${ADMIN}/identity-providers`, body, 201);
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

const atTheProvider = () => new ProviderBrowser(provider.issuer);

/** Types a name at the page of the provider; the path back to the server. */
async function signInAs(at: ProviderBrowser, departed: URL, name: string): Promise<string> {
  const { url } = await at.go(departed.href);
  const back = url.startsWith(CALLBACK) ? url : (await at.go(url, { name })).url;
  expect(back).toMatch(CALLBACK);
  return back.slice('http://localhost'.length);
}

it('a person signs in with a certified provider, has roles by groups, and is signed out by it', async () => {
  const [workspace, support] = [await newWorkspace(app), await newWorkspace(app)];
  const rule = { group: 'support', workspace_id: support.id, roles: ['viewer'] };
  await app.operator().post(`${ADMIN}/group-rules`, rule, 201);
  provider.people.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['support'] });
  provider.people.set('eve', { email: 'eve@example.com', email_verified: false });
  await invite(workspace.admin, workspace.path, 'ada@example.com');
  await invite(workspace.admin, workspace.path, 'eve@example.com');

  const eve = new Visitor(app);
  const refused = await signInAs(atTheProvider(), await eve.depart('real'), 'eve');
  expect(await eve.follow(refused)).toBe(failed('email_not_verified'));

  const [browser, other] = [new Visitor(app), new Visitor(app)];
  const atProvider = atTheProvider();
  const back = await signInAs(atProvider, await browser.depart('real'), 'ada');
  expect(await browser.follow(back)).toBe('/console/');
  expect(await browser.follow(back)).toBe(failed('sign_in_expired'));
  expect(await browser.client.get('/console/session')).toMatchObject({
    user: { email: 'ada@example.com', name: 'Ada' },
    workspaces: [{ id: workspace.id }, { id: support.id }],
  });
  // A second browser, with another session at the provider.
  await other.follow(await signInAs(atTheProvider(), await other.depart('real'), 'ada'));

  const { body } = await browser.request('DELETE', '/console/session');
  // Signs in again, with the session at the provider, and signs out there.
  await browser.follow(await signInAs(atProvider, await browser.depart('real'), 'ada'));
  await browser.client.get(ME);
  const logoutUrl = (body as { logout_url: string }).logout_url;
  const withoutHint = new URL(logoutUrl);
  withoutHint.searchParams.delete('id_token_hint');
  expect((await atProvider.go(withoutHint.href)).page).toContain('Sign me out');
  const { url, page } = await atProvider.go(logoutUrl);
  expect(page).not.toContain('Sign me out');
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)![1]!;
  await atProvider.go(new URL('/session/end/confirm', url).href, { xsrf, logout: 'yes' });
  await until(async () => (await browser.client.request('GET', ME)).status === 401);
  await other.client.get(ME);
});
