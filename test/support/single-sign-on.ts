import { expect } from 'vitest';
import type { Client } from './client.js';
import { CLIENT_ID, CLIENT_SECRET, HostileProvider } from './hostile-provider.js';
import { TestApp } from './test-app.js';

export const ADMIN = '/api/admin/v1';
export const ME = '/api/public/v2/me';

type Claims = Record<string, unknown>;

/** A browser without scripts: it keeps the cookies of the server. */
export class Visitor {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly app: TestApp) {}

  /** Requests as the console makes them. */
  get client(): Client {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return this.app.clientWith(null).with({ 'x-console': '1', ...(cookie && { cookie }) });
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  async request(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) {
    const answer = await this.client.request(method, url, body);
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [name, value] = line.split(';')[0]!.split('=') as [string, string];
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return answer;
  }

  /** URL to which a page redirects. */
  async follow(url: string): Promise<string> {
    const { status, headers } = await this.request('GET', url);
    expect([url, status]).toEqual([url, 302]);
    return String(headers.location);
  }

  /** Presses the button of a provider; the page of the provider. */
  async depart(slug: string, query = ''): Promise<URL> {
    return new URL(await this.follow(`/console/sign-in/${slug}${query}`));
  }

  /** Comes back from a provider; the page that follows. */
  arrive(slug: string, departed: URL, answer: Record<string, string>): Promise<string> {
    const query = new URLSearchParams({ state: departed.searchParams.get('state')!, ...answer });
    return this.follow(`/console/sign-in/${slug}/callback?${query.toString()}`);
  }

  /** Signs in as a person; the page that follows. */
  async signIn(
    slug: string,
    provider: HostileProvider,
    claims: Claims,
    options: Parameters<HostileProvider['grant']>[2] = {},
  ): Promise<string> {
    const departed = await this.depart(slug);
    return this.arrive(slug, departed, { code: provider.grant(departed, claims, options) });
  }
}

/** The page that explains why a sign-in failed. */
export const failed = (code: string): string => `/console/sign-in-failed?code=${code}`;

export async function newWorkspace(app: TestApp): Promise<{ id: number; path: string; admin: Client }> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get(ME)) as { workspace: { id: number } };
  return { id: workspace.id, path: `${ADMIN}/workspaces/${workspace.id}`, admin };
}

/** The token in the link of a new invitation. */
export async function invite(by: Client, path: string, email: string, roles = ['member']): Promise<string> {
  const { path: link } = (await by.post(`${path}/invitations`, { email, roles }, 201)) as { path: string };
  return link.split('#')[1]!;
}

interface Session {
  user: { id: number; email: string; name: string; roles: string[] };
  workspace: { id: number };
  workspaces: { id: number }[];
}

interface Linked {
  id: number;
  provider: { slug: string };
  email: string | null;
}

export const sessionOf = async (browser: Visitor) => (await browser.client.get('/console/session')) as Session;

export const identitiesOf = async (browser: Visitor) =>
  ((await browser.client.get('/console/identities')) as { identities: Linked[] }).identities;

/** The page of a provider that links an identity to the account of a browser. */
export async function linking(browser: Visitor, provider: string): Promise<URL> {
  const { status, body } = await browser.request('POST', '/console/identities', { provider });
  expect(status).toBe(201);
  return new URL((body as { url: string }).url);
}

/** A server with two providers, `first` and `second`, where passwords are on. */
export class SingleSignOnApp {
  people = 0;

  private constructor(
    readonly app: TestApp,
    readonly first: HostileProvider,
    readonly second: HostileProvider,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<SingleSignOnApp> {
    const app = await TestApp.own({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on', LOCAL_SIGN_IN: 'on', ...env } });
    const started = new SingleSignOnApp(app, await HostileProvider.start(), await HostileProvider.start());
    await started.register('first', started.first);
    await started.register('second', started.second);
    return started;
  }

  async stop(): Promise<void> {
    await this.app.stop();
    await Promise.all([this.first.stop(), this.second.stop()]);
  }

  register(slug: string, { issuer }: HostileProvider): Promise<unknown> {
    const body = { slug, name: slug, issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
    return this.app.operator().post(`${ADMIN}/identity-providers`, body, 201);
  }

  visitor(): Visitor {
    return new Visitor(this.app);
  }

  /** Claims of a new person whose address is verified. */
  person(more: Claims = {}): Claims & { sub: string; email: string } {
    const sub = `subject-${++this.people}`;
    return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ada Lovelace', ...more };
  }

  /** A user who was invited and has signed in with the first provider. */
  async signedIn(claims: Claims & { email: string }) {
    const workspace = await newWorkspace(this.app);
    await invite(workspace.admin, workspace.path, claims.email);
    const browser = this.visitor();
    expect(await browser.signIn('first', this.first, claims)).toBe('/console/');
    return { browser, workspace };
  }

  /** A user with a password. */
  async withPassword(email: string) {
    const workspace = await newWorkspace(this.app);
    const browser = this.visitor();
    const token = await invite(workspace.admin, workspace.path, email);
    await browser.request('POST', '/console/invitation/accept', { token, password: 'correct horse battery' });
    return { browser, workspace };
  }
}
