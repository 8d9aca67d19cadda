import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { newWorkspace } from '../support/erasures.js';
import { joinWorkspace, type Person } from '../support/people.js';
import { TestApp } from '../support/test-app.js';

const VIEWS = '/api/public/v2/saved-views';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

interface View {
  id: string;
  screen: string;
  name: string;
  query: Record<string, string>;
  is_shared: boolean;
  is_own: boolean;
  created_by: number | null;
}

async function save(client: Client, body: object = {}): Promise<View> {
  const wanted = { screen: 'requests', name: 'Failures', query: { status: 'ERROR' }, ...body };
  return ((await client.post(VIEWS, wanted, 201)) as { saved_view: View }).saved_view;
}

const codeOf = ({ body }: Answer) => (body as { error: string }).error;

const read = async (client: Client, id: string) =>
  ((await client.get(`${VIEWS}/${id}`)) as { saved_view: View }).saved_view;

const namesOf = async (client: Client, query = '') =>
  ((await client.get(`${VIEWS}${query}`)) as { data: View[] }).data.map(({ name }) => name);

describe('saved views', () => {
  let admin: Client;
  let workspaceId: number;
  let sam: Person;
  let kim: Person;
  let viewer: Person;
  beforeAll(async () => {
    const made = await newWorkspace(app);
    ({ me: admin, id: workspaceId } = made);
    sam = await joinWorkspace(app, admin, workspaceId, ['member']);
    kim = await joinWorkspace(app, admin, workspaceId, ['member']);
    viewer = await joinWorkspace(app, admin, workspaceId, ['viewer']);
  });

  it('are private for a user, until they are shared', async () => {
    const view = await save(sam.browser, { name: '  My view ', query: { q: 'blue', f: 'cost gt 1' } });
    expect(view).toMatchObject({
      name: 'My view',
      is_shared: false,
      is_own: true,
      query: { q: 'blue', f: 'cost gt 1' },
    });
    for (const other of [kim.browser, admin]) {
      await other.get(`${VIEWS}/${view.id}`, 404);
      await other.patch(`${VIEWS}/${view.id}`, { name: 'x' }, 404);
      await other.delete(`${VIEWS}/${view.id}`, 404);
      expect(await namesOf(other)).not.toContain('My view');
    }
    await sam.browser.patch(`${VIEWS}/${view.id}`, { is_shared: true });
    expect(await read(kim.browser, view.id)).toMatchObject({
      is_shared: true,
      is_own: false,
      created_by: view.created_by,
    });
  });

  it('belong to a user in sessions and with personal keys', async () => {
    const path = '/api/public/v2/me/api-keys';
    const { secret } = (await sam.browser.post(path, { name: 'laptop' }, 201)) as { secret: string };
    const program = app.clientWith(secret);
    const view = await save(program, { name: 'By a program', is_shared: false });
    expect(await read(sam.browser, view.id)).toEqual({ ...view, is_own: true });
    await sam.browser.delete(`${VIEWS}/${view.id}`);
    await program.get(`${VIEWS}/${view.id}`, 404);
  });

  it('by a service key are shared', async () => {
    const view = await save(admin, { name: 'By a key' });
    expect(view).toMatchObject({ is_shared: true, is_own: true });
    const refused = await admin.request('POST', VIEWS, { screen: 'traces', name: 'x', query: {}, is_shared: false });
    expect([refused.status, codeOf(refused)]).toEqual([400, 'saved_view_needs_user']);
    const change = await admin.request('PATCH', `${VIEWS}/${view.id}`, { is_shared: false });
    expect([change.status, codeOf(change)]).toEqual([400, 'saved_view_needs_user']);
  });

  it('by others can be changed and deleted only by an administrator', async () => {
    const view = await save(sam.browser, { name: 'Shared by Sam', is_shared: true });
    for (const refused of [
      await kim.browser.request('PATCH', `${VIEWS}/${view.id}`, { name: 'x' }),
      await kim.browser.request('DELETE', `${VIEWS}/${view.id}`),
    ]) {
      expect([refused.status, codeOf(refused)]).toEqual([403, 'permission_missing']);
    }
    const boss = await joinWorkspace(app, admin, workspaceId, ['admin']);
    await boss.browser.patch(`${VIEWS}/${view.id}`, { name: 'Renamed' });
    const taken = await boss.browser.request('PATCH', `${VIEWS}/${view.id}`, { is_shared: false });
    expect(taken.status).toBe(400);
    await boss.browser.delete(`${VIEWS}/${view.id}`);
    await sam.browser.get(`${VIEWS}/${view.id}`, 404);
  });

  it('can be saved by a viewer, who cannot share them', async () => {
    const view = await save(viewer.browser, { name: 'Just mine' });
    expect(view).toMatchObject({ is_shared: false });
    await viewer.browser.patch(`${VIEWS}/${view.id}`, { query: { days: '7' } });
    await viewer.browser.patch(`${VIEWS}/${view.id}`, { is_shared: true }, 403);
    expect(await read(viewer.browser, view.id)).toMatchObject({ query: { days: '7' }, is_shared: false });
    await viewer.browser.delete(`${VIEWS}/${view.id}`);
  });

  it('have names that are unique for a screen and who sees them', async () => {
    const name = 'One name';
    await save(sam.browser, { name });
    await save(kim.browser, { name });
    await save(sam.browser, { name, is_shared: true });
    await save(sam.browser, { name, screen: 'traces' });
    const again = await sam.browser.request('POST', VIEWS, { screen: 'requests', name: ` ${name}`, query: {} });
    expect([again.status, codeOf(again)]).toEqual([409, 'saved_view_exists']);
    const other = await save(kim.browser, { name: 'Another' });
    await kim.browser.patch(`${VIEWS}/${other.id}`, { name }, 409);
    await kim.browser.patch(`${VIEWS}/${other.id}`, { name: 'Another', is_shared: true });
  });

  it('are saved once by simultaneous requests, and once by the same request twice', async () => {
    const body = { screen: 'sessions', name: 'At once', query: {} };
    const answers = await Promise.all(Array.from({ length: 5 }, () => kim.browser.request('POST', VIEWS, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const retried = kim.browser.with({ 'idempotency-key': 'saved-once' });
    const [first, second] = [await save(retried, { name: 'Retried' }), await save(retried, { name: 'Retried' })];
    expect(second.id).toBe(first.id);
  });

  it('are changed field by field by two writers', async () => {
    const { id } = await save(sam.browser, { name: 'Of two writers' });
    await Promise.all([
      sam.browser.patch(`${VIEWS}/${id}`, { name: 'Renamed at once' }),
      sam.browser.patch(`${VIEWS}/${id}`, { query: { q: 'new' } }),
    ]);
    expect(await read(sam.browser, id)).toMatchObject({ name: 'Renamed at once', query: { q: 'new' } });
  });

  it('are listed page by page, by screen', async () => {
    const { me } = await newWorkspace(app);
    for (const name of ['a', 'b', 'c']) await save(me, { name });
    await save(me, { name: 'd', screen: 'traces' });
    const page = (await me.get(`${VIEWS}?screen=requests&limit=2`)) as { data: View[]; next_cursor: string };
    expect(page.data.map(({ name }) => name)).toEqual(['a', 'b']);
    const next = `?screen=requests&limit=2&cursor=${encodeURIComponent(page.next_cursor)}`;
    expect(await namesOf(me, next)).toEqual(['c']);
    await me.get(`${VIEWS}?screen=traces&cursor=${encodeURIComponent(page.next_cursor)}`, 400);
    expect(await namesOf(me, '?order=desc')).toEqual(['d', 'c', 'b', 'a']);
  });

  it('are a 404 for another workspace', async () => {
    const view = await save(admin, { name: 'Of this workspace' });
    const stranger = await app.stranger();
    await stranger.get(`${VIEWS}/${view.id}`, 404);
    await stranger.patch(`${VIEWS}/${view.id}`, { name: 'x' }, 404);
    await stranger.delete(`${VIEWS}/${view.id}`, 404);
    expect(await namesOf(stranger)).toEqual([]);
  });

  it('leave entries in the audit log', async () => {
    const { id } = await save(admin, { name: 'Audited' });
    await admin.patch(`${VIEWS}/${id}`, { query: { q: 'x' } });
    await admin.delete(`${VIEWS}/${id}`);
    const path = `/api/admin/v1/workspaces/${workspaceId}/audit-entries?entity_id=${id}&order=asc`;
    const { data } = (await admin.get(path)) as { data: { action: string; details: object }[] };
    expect(data.map(({ action }) => action).sort()).toEqual([
      'saved_view.create',
      'saved_view.delete',
      'saved_view.update',
    ]);
    expect(data[0]!.details).toEqual({ screen: 'requests', name: 'Audited', is_shared: true });
  });

  const refused: [string, object, number][] = [
    ['no name', { name: undefined }, 422],
    ['a null name', { name: null }, 422],
    ['a blank name', { name: '  ' }, 422],
    ['a name of a wrong type', { name: 7 }, 422],
    ['a name that is too long', { name: 'x'.repeat(101) }, 422],
    ['an unknown screen', { screen: 'settings' }, 422],
    ['no parameters', { query: undefined }, 422],
    ['parameters as a list', { query: [] }, 422],
    ['a number as a parameter', { query: { days: 7 } }, 422],
    ['an object as a parameter', { query: { f: { deep: {} } } }, 422],
    ['an empty key', { query: { '': 'x' } }, 422],
    ['a long key', { query: { ['k'.repeat(61)]: 'x' } }, 422],
    ['too many parameters', { query: Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`k${at}`, ''])) }, 422],
    ['parameters that are too long', { query: { q: 'x'.repeat(6000) } }, 422],
    ['an unknown field', { color: 'red' }, 422],
  ];

  it.each(refused)('refuse %s', async (_, body, status) => {
    const wanted = { screen: 'requests', name: 'Refused', query: {}, ...body };
    expect((await admin.request('POST', VIEWS, wanted)).status).toBe(status);
  });

  it('keep texts without what cannot be stored', async () => {
    const { id } = await save(admin, { name: 'N\0U\ud800L', query: { q: 'a\0b\udc00', __proto__x: 'y', ключ: '值' } });
    const view = await read(admin, id);
    expect(view.name).not.toMatch(/\0/);
    expect(view.query).toMatchObject({ __proto__x: 'y', ключ: '值' });
  });
});
