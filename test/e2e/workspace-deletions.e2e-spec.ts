import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BodyBudget } from '../../src/platform/http/body-budget.js';
import type { Client } from '../support/client.js';
import { inhabit } from '../support/examples.js';
import { span } from '../support/otlp.js';
import { RawConnection } from '../support/raw-connection.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ADMIN = '/api/admin/v1';
const DELETIONS = `${ADMIN}/workspace-deletions`;

let app: TestApp;
let operator: Client;
beforeAll(async () => {
  // The body of a request pauses while its workspace is deleted.
  app = await TestApp.own({ env: { BODY_SPEED_WINDOW_MS: '600000' } });
  operator = app.operator();
});
afterAll(() => app.stop());

interface Deletion {
  id: string;
  status: string;
  counts: Record<string, number>;
  error_message: string | null;
}

interface Workspace {
  id: number;
  name: string;
  admin: Client;
}

async function newWorkspace(): Promise<Workspace> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get('/api/public/v2/me')) as { workspace: { id: number; name: string } };
  return { ...workspace, admin };
}

async function ended(body: object): Promise<Deletion> {
  const { workspace_deletion: started } = (await operator.post(DELETIONS, body, 202)) as {
    workspace_deletion: Deletion;
  };
  let found: Deletion | undefined;
  await until(async () => {
    const { workspace_deletions: all } = (await operator.get(DELETIONS)) as { workspace_deletions: Deletion[] };
    found = all.find(({ id }) => id === started.id);
    return found!.status === 'completed' || found!.status === 'failed';
  });
  return found!;
}

/** Rows of a workspace by table, of every table that has a workspace. */
async function rowsOf(workspace: number): Promise<Record<string, number>> {
  const tables = (await app.sql(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE'
        AND c.table_name <> 'workspace_deletions'`,
  )) as { name: string }[];
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = (await app.sql(`SELECT count(*)::int AS count FROM "${name}" WHERE workspace_id = $1`, [
      workspace,
    ])) as { count: number }[];
    if (row!.count > 0) counts[name] = row!.count;
  }
  return counts;
}

/** Rows that nothing changes in the background. */
const STABLE = [
  'spans',
  'request_logs',
  'prompts',
  'prompt_versions',
  'tables',
  'sheets',
  'workflows',
  'tools',
  'folders',
];

function stable(counts: Record<string, number>): Record<string, number> {
  const found = STABLE.filter((table) => table in counts).map((table) => [table, counts[table]!]);
  expect(found.length).toBeGreaterThan(6);
  return Object.fromEntries(found) as Record<string, number>;
}

describe('the deletion of a workspace', () => {
  it('counts in a dry run what it deletes then, of everything there is, and touches nothing of others', async () => {
    const [doomed, kept] = [await newWorkspace(), await newWorkspace()];
    await inhabit(app, undefined, doomed.admin);
    await inhabit(app, undefined, kept.admin);
    const before = await rowsOf(doomed.id);
    expect(Object.keys(before).length).toBeGreaterThan(50);
    const counted = await ended({ workspace_id: doomed.id });
    expect(counted).toMatchObject({ status: 'completed', counts: stable(before) });
    expect(stable(await rowsOf(doomed.id))).toEqual(stable(before));
    await doomed.admin.get('/api/public/v2/me');

    const others = stable(await rowsOf(kept.id));
    const deleted = await ended({ workspace_id: doomed.id, dry_run: false, name: doomed.name });
    expect(deleted).toMatchObject({ status: 'completed', error_message: null });
    expect(await rowsOf(doomed.id)).toEqual({});
    expect(deleted.counts).toMatchObject(stable(before));
    expect(stable(await rowsOf(kept.id))).toEqual(others);
    await kept.admin.get('/api/public/v2/me');
  });

  it('closes the workspace at once', async () => {
    const { id, name, admin } = await newWorkspace();
    const workspace = `${ADMIN}/workspaces/${id}`;
    const invited = (await admin.post(`${workspace}/invitations`, { email: 'late@example.com' }, 201)) as {
      path: string;
    };
    await operator.post(DELETIONS, { workspace_id: id, dry_run: false, name }, 202);
    await admin.get('/api/public/v2/me', 401);
    await operator.post(`${workspace}/api-keys`, {}, 404);
    await operator.patch(workspace, { name: 'Other' }, 404);
    await operator.post(`${ADMIN}/group-rules`, { group: 'g', workspace_id: id, roles: ['viewer'] }, 404);
    const acceptance = { token: invited.path.split('#')[1], password: 'correct horse battery' };
    await app.clientWith(null).post('/console/invitation/accept', acceptance, 404);
    const { workspaces } = (await operator.get(`${ADMIN}/workspaces`)) as { workspaces: { id: number }[] };
    expect(workspaces.map((each) => each.id)).not.toContain(id);
    await operator.post(DELETIONS, { workspace_id: id, dry_run: false, name }, 404);
  });

  it('also deletes what a request stores whose body arrives afterwards', async () => {
    const { id, name, admin } = await newWorkspace();
    const connection = await RawConnection.open(await app.listen());
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span({ name: 'late' })] }] }] });
    await connection.post('/v1/traces', { 'x-api-key': admin.apiKey!, 'content-length': body.length });
    await connection.send(body.slice(0, 20));
    const budget = app.app.get(BodyBudget);
    await until(() => Promise.resolve(budget['known'].total === 20));
    const deleted = await ended({ workspace_id: id, dry_run: false, name });
    expect(deleted).toMatchObject({ status: 'completed', error_message: null });

    await connection.send(body.slice(20));
    expect((await connection.answer()).status).toBe(200);
    connection.close();
    expect(await rowsOf(id)).toHaveProperty('spans');
    await sweepUntil(app, ['workspace-deletions'], async () => Object.keys(await rowsOf(id)).length === 0);
  });

  it('goes on when rows of extensions refer to each other, or are stored while it goes on', async () => {
    const { id, name } = await newWorkspace();
    // The first 10,000 rows of the tree have the root, which the last ones need. The trigger stores a child when its table was emptied.
    await app.sql(`
      CREATE TABLE house_tree (workspace_id int, id int PRIMARY KEY, parent int REFERENCES house_tree);
      INSERT INTO house_tree SELECT ${id}, n, CASE WHEN n > 1 THEN 1 END FROM generate_series(1, 10002) AS n;
      CREATE TABLE house_parents (workspace_id int, id int PRIMARY KEY);
      CREATE TABLE house_children (workspace_id int, parent int REFERENCES house_parents);
      CREATE TABLE house_work (workspace_id int);
      CREATE FUNCTION house_late() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO house_children SELECT workspace_id, id FROM house_parents; RETURN NULL; END';
      CREATE TRIGGER house_late AFTER DELETE ON house_work FOR EACH ROW EXECUTE FUNCTION house_late();
      INSERT INTO house_parents VALUES (${id}, 1);
      INSERT INTO house_work VALUES (${id})`);
    const deleted = await ended({ workspace_id: id, dry_run: false, name });
    const counts = { house_tree: 10_002, house_parents: 1, house_children: 1, house_work: 1 };
    expect(deleted).toMatchObject({ status: 'completed', error_message: null, counts });
    expect(await rowsOf(id)).toEqual({});
    await app.sql('DROP TABLE house_tree, house_children, house_parents, house_work; DROP FUNCTION house_late');
  });

  it('ends queued work before it deletes anything else', async () => {
    const { id, name } = await newWorkspace();
    await app.sql(`
      CREATE TABLE house_goods (workspace_id int);
      CREATE TABLE house_queue (workspace_id int, lease_until timestamptz);
      CREATE FUNCTION house_order() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF EXISTS (SELECT FROM house_queue) THEN RAISE ''work is queued''; END IF; RETURN OLD; END';
      CREATE TRIGGER house_order BEFORE DELETE ON house_goods FOR EACH ROW EXECUTE FUNCTION house_order();
      INSERT INTO house_goods VALUES (${id});
      INSERT INTO house_queue VALUES (${id}, now())`);
    const deleted = await ended({ workspace_id: id, dry_run: false, name });
    expect(deleted).toMatchObject({ status: 'completed', counts: { house_goods: 1, house_queue: 1 } });
    await app.sql('DROP TABLE house_goods, house_queue; DROP FUNCTION house_order');
  });

  it('is repeated after it has failed', async () => {
    const { id, name, admin } = await newWorkspace();
    // A deletion does not know to which workspace its rows belong.
    await app.sql('CREATE TABLE house_plans (customer int REFERENCES workspaces)');
    await app.sql('INSERT INTO house_plans VALUES ($1)', [id]);
    const body = { workspace_id: id, dry_run: false, name };
    const failed = await ended(body);
    expect(failed).toMatchObject({ status: 'failed', error_message: expect.stringContaining('again') as string });
    await admin.get('/api/public/v2/me', 401);
    expect(await ended({ workspace_id: id })).toMatchObject({ status: 'completed' });
    expect(await operator.post(DELETIONS, { ...body, name: '' }, 409)).toMatchObject({
      error: 'workspace_name_differs',
    });

    await app.sql('DROP TABLE house_plans');
    expect(await ended(body)).toMatchObject({ status: 'completed', error_message: null });
    expect(await rowsOf(id)).toEqual({});
    await operator.post(DELETIONS, body, 404);
  });

  it('needs the name of the workspace, and one runs at a time', async () => {
    const { id, name } = await newWorkspace();
    for (const wrong of [undefined, null, '', `${name} `]) {
      const body = { workspace_id: id, dry_run: false, name: wrong };
      expect(await operator.post(DELETIONS, body, 409)).toMatchObject({ error: 'workspace_name_differs' });
    }
    const body = { workspace_id: id, dry_run: false, name };
    const answers = await Promise.all([1, 2, 3].map(() => operator.request('POST', DELETIONS, body)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404 || status === 409)).toHaveLength(2);
  });

  it.each([
    [{}, 422],
    [{ workspace_id: null }, 422],
    [{ workspace_id: '1' }, 422],
    [{ workspace_id: 1e99 }, 422],
    [{ workspace_id: 999_999 }, 404],
    [{ workspace_id: 1, dry_run: 'no' }, 422],
    [{ workspace_id: 1, name: 5 }, 422],
    [{ workspace_id: 1, name: 'x'.repeat(10_001) }, 422],
  ])('is refused: %j', async (body, status) => {
    await operator.post(DELETIONS, body, status);
  });
});
