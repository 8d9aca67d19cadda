import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { deleteTable, download, newChain, pathOf, untilSealed, verify } from '../support/audit.js';
import type { Client } from '../support/client.js';
import { newWorkspace, type Workspace } from '../support/erasures.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

const ENTRY = 'workspace_id = $1 AND id = $2';

async function admin(...args: string[]): Promise<string> {
  let output = '';
  const say = (line: string) => void (output += `${line}\n`);
  const env = { DATABASE_URL: app.config.databaseUrl };
  try {
    await runAdminCommand(args, { env, say, readSecret: () => Promise.resolve('') });
  } catch (error) {
    output += `refused: ${describeFailure(error)}`;
  }
  return output;
}

describe('the list and the download', () => {
  it('take the same filters: requests, users, actions, times', async () => {
    const where = await newWorkspace(app);
    const me = where.me.with({ 'x-request-id': 'the-wanted-one' });
    await deleteTable(me, '=1+1');
    await me.post(`/api/admin/v1/workspaces/${where.id}/api-keys`, {}, 201);
    const { path } = (await me.post(
      `/api/admin/v1/workspaces/${where.id}/invitations`,
      { email: 'audited@example.com', roles: ['admin'] },
      201,
    )) as { path: string };
    const body = { token: path.split('#')[1], password: 'correct horse battery staple' };
    const { user } = (await me.post('/console/invitation/accept', body, 201)) as { user: { id: number } };
    const list = async (query: string) =>
      ((await where.me.get(`${pathOf(where)}?${query}`)) as { data: { id: number; action: string }[] }).data;
    for (const query of [
      'request_id=the-wanted-one',
      'request_id=another',
      `user_id=${user.id}`,
      'user_id=2147483647',
      'action=api_key.create',
      'occurred_after=2999-01-01',
    ]) {
      const ids = (await list(query)).map(({ id }) => id);
      expect([query, (await download(where, query)).map(({ id }) => id)]).toEqual([query, ids.toReversed()]);
    }
    expect((await list('request_id=the-wanted-one')).map(({ action }) => action)).toContain('api_key.create');
    expect(await list('request_id=another')).toEqual([]);
    const csv = String((await where.me.request('GET', `${pathOf(where)}/download?format=csv`)).body);
    expect(csv.split('\r\n')[0]).toMatch(/^workspace_id,id,occurred_at,action,.*,position,details_hash,hash$/);
    expect(csv).toContain(`'=1+1`);
  });

  it('reads all entries of a long trail', async () => {
    const where = await newWorkspace(app);
    await app.sql(
      `INSERT INTO audit_entries (workspace_id, action, entity_id, request_id)
       SELECT $1, 'x.y', n::text, 'r' FROM generate_series(1, 2500) AS n`,
      [where.id],
    );
    await untilSealed(app, where);
    const lines = (await download(where)).filter(({ action }) => action === 'x.y');
    expect(lines.map(({ entity_id: id }) => id)).toEqual(Array.from({ length: 2500 }, (_, n) => String(n + 1)));
    expect(await verify(where)).toMatchObject({ is_intact: true, is_complete: true });
  });

  it.each([
    ['download?format=xml', 422],
    ['download?cursor=x', 422],
    ['download?user_id=0', 422],
    ['download?user_id=99999999999', 422],
    ['download?request_id=%00', 200],
    ['verification?after_entry_id=1', 400],
    [`verification?after_hash=${'0'.repeat(64)}`, 400],
    [`verification?after_entry_id=1&after_hash=${'g'.repeat(64)}`, 422],
    [`verification?after_entry_id=9999999999999999999999&after_hash=${'0'.repeat(64)}`, 422],
    [`verification?after_entry_id=${Number.MAX_SAFE_INTEGER}&after_hash=${'0'.repeat(64)}`, 200],
    ['verification?limit=1', 422],
  ])('answers %s with %i', async (query, status) => {
    const where = await newWorkspace(app);
    expect((await where.me.request('GET', `${pathOf(where)}/${query}`)).status).toBe(status);
  });

  it('are for administrators of the workspace and for the operator', async () => {
    const [where, other] = [await newWorkspace(app), await newWorkspace(app)];
    const viewer = await keyWith(where, 'member');
    for (const route of ['download', 'verification']) {
      await viewer.get(`${pathOf(where)}/${route}`, 403);
      await other.me.get(`${pathOf(where)}/${route}`, 404);
      expect((await app.operator().request('GET', `${pathOf(where)}/${route}`)).status).toBe(200);
      await app.operator().get(`/api/admin/v1/workspaces/999999/audit-entries/${route}`, 404);
    }
  });
});

async function keyWith({ me, id }: Workspace, role: string): Promise<Client> {
  const { secret } = (await me.post(`/api/admin/v1/workspaces/${id}/api-keys`, { role }, 201)) as { secret: string };
  return app.clientWith(secret);
}

describe('npm run admin -- verify-audit', () => {
  it('says of each workspace whether its chain is intact', async () => {
    const { where, ids, head } = await newChain(app, 3);
    const id = String(where.id);
    const kept = `${head.entry_id}:${head.hash}`;
    expect(await admin('verify-audit', id)).toBe(`Workspace ${id}: ${ids.length} entries are intact. Head: ${kept}\n`);
    expect(await admin('verify-audit', id, '--head', kept)).toContain('0 entries are intact');
    expect(await admin('verify-audit', id, '--head', `1:${head.hash}`)).toContain('does not have this hash');
    expect(await admin('verify-audit', id, '--head', 'nonsense')).toContain('--head should be ENTRY:HASH');
    expect(await admin('verify-audit', '--head', kept)).toContain('Name the workspace');
    expect(await admin('verify-audit', '999999')).toContain('999999 was not found');
    expect(await admin('verify-audit', 'installation')).toMatch(/^Installation: \d+ entries are intact\./);
    await app.sql(`DELETE FROM audit_entries WHERE ${ENTRY}`, [where.id, ids[1]]);
    const all = await admin('verify-audit');
    expect(all).toContain(`refused: Workspace`);
    expect(all).toContain(
      `Workspace ${id}: the chain is broken at position 2: the entry (entry ${ids[1]}) or entries before it were removed.`,
    );
  });
});
