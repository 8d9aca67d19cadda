import { afterAll, beforeAll, expect, it } from 'vitest';
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

/** A browser at the provider. */
class ProviderSession {
  private readonly cookies = new Map<string, string>();

  /** Follows redirects until one leaves the provider, or to a page. */
  async go(url: string, form?: Record<string, string>): Promise<{ url: string; page: string }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split('=') as [string, string];
      this.cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) return { url, page: await answer.text() };
    const next = new URL(location, url);
    return next.origin === provider.issuer ? this.go(next.href) : { url: next.href, page: '' };
  }

  /** Types a name at the page of the provider; the path back to the server. */
  async signIn(departed: URL, name: string): Promise<string> {
    const { url } = await this.go(departed.href);
    const back = url.startsWith(CALLBACK) ? url : (await this.go(url, { name })).url;
    expect(back).toMatch(CALLBACK);
    return back.slice('http://localhost'.length);
  }
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
  const refused = await new ProviderSession().signIn(await eve.depart('real'), 'eve');
  expect(await eve.follow(refused)).toBe(failed('email_not_verified'));

  const [browser, other] = [new Visitor(app), new Visitor(app)];
  const atProvider = new ProviderSession();
  const back = await atProvider.signIn(await browser.depart('real'), 'ada');
  expect(await browser.follow(back)).toBe('/console/');
  expect(await browser.follow(back)).toBe(failed('sign_in_expired'));
  expect(await browser.client.get('/console/session')).toMatchObject({
    user: { email: 'ada@example.com', name: 'Ada' },
    workspaces: [{ id: workspace.id }, { id: support.id }],
  });
  // A second browser, with another session at the provider.
  await other.follow(await new ProviderSession().signIn(await other.depart('real'), 'ada'));

  const { body } = await browser.request('DELETE', '/console/session');
  // Signs in again, with the session at the provider, and signs out there.
  await browser.follow(await atProvider.signIn(await browser.depart('real'), 'ada'));
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
