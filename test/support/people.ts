import type { Answer, Client } from './client.js';
import type { TestApp } from './test-app.js';

/** A user who has signed in to the console. */
export interface Person {
  email: string;
  userId: number;
  browser: Client;
}

const PASSWORD = 'correct horse battery';
let people = 0;

/** Invites somebody to the workspace of an administrator, who accepts. */
export async function joinWorkspace(app: TestApp, admin: Client, id: number, roles: string[]): Promise<Person> {
  const path = `/api/admin/v1/workspaces/${id}`;
  const email = `somebody-${++people}-${id}@example.com`;
  const { path: link } = (await admin.post(`${path}/invitations`, { email, roles }, 201)) as { path: string };
  const anyone = app.clientWith(null);
  const body = { token: link.split('#')[1], name: `Sam ${people}`, password: PASSWORD };
  const accepted = await anyone.request('POST', '/console/invitation/accept', body);
  if (accepted.status >= 400) throw new Error(`Nobody joined: ${accepted.status} ${JSON.stringify(accepted.body)}`);
  const browser = browserWith(anyone, accepted);
  const { user } = (await browser.get('/api/public/v2/me')) as { user: { id: number } };
  return { email, userId: user.id, browser };
}

/** Joins people to the workspace of an administrator, one for each list of roles. */
export async function joinTogether(app: TestApp, admin: Client, roles: string[][]) {
  const { workspace } = (await admin.get('/api/public/v2/me')) as { workspace: { id: number } };
  const people = await Promise.all(roles.map((each) => joinWorkspace(app, admin, workspace.id, each)));
  return { workspace: workspace.id, browsers: people.map(({ browser }) => browser) };
}

/** A client with the session that an answer begins. */
export const browserWith = (anyone: Client, { headers }: Answer): Client =>
  anyone.with({ 'x-console': '1', cookie: String(headers['set-cookie']).split(';')[0]! });
