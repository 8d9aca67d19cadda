import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Archives,
  deleteWorkspace,
  newWorkspace,
  rowsOf,
  settledRowsOf,
  untilAccepted,
  type Workspace,
} from '../support/archives.js';
import type { Client } from '../support/client.js';
import { type Ids, inhabit, readExamples } from '../support/examples.js';
import { documentOf, fillPath, isForProviders, isPublic, type Operation, operationsOf } from '../support/operations.js';
import { logCall } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ADMIN = '/api/admin/v1';
const archives = new Archives();

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(async () => {
  await app.stop();
  archives.remove();
});

/** Tables that a restore changes on purpose. */
const SETTLED = ['event_positions', 'outbox_events', 'vocabulary_resets', 'webhook_deliveries', 'invitations'];
/** Sessions are not archived; the audit log names the restore. */
const OTHERS = ['console_sessions', 'sign_in_attempts', 'audit_entries'];

function without(rows: Record<string, string[]>, tables: string[]): Record<string, string[]> {
  return Object.fromEntries(Object.entries(rows).filter(([name]) => !tables.includes(name)));
}

/** Answers of all routes that read, by their names. */
async function answersOf(client: Client, ids: Ids): Promise<Record<string, unknown>> {
  const examples = await readExamples();
  const queries = Object.assign({}, ...examples.map((each) => each.queries)) as Record<string, string>;
  const reads = operationsOf(documentOf(app)).filter(
    (operation) => operation.method === 'GET' && !isPublic(operation) && !isForProviders(operation),
  );
  const answers: Record<string, unknown> = {};
  for (const operation of reads.filter((each) => !isStream(each))) {
    const url = fillPath(operation.path, ids) + (queries[operation.name] ?? '');
    const { status, body } = await client.request('GET', url);
    answers[operation.name] = { status, body: JSON.parse(JSON.stringify(body), withoutUse) as unknown };
  }
  return answers;
}

/**
 * Routes whose answers a restore changes: the audit trail has new entries; deliveries, invitations and sessions have
 * ended.
 */
const CHANGED = /audit-entries|\/invitations$|deliveries$|^GET \/console\/sessions$/;

const isStream = ({ path }: Operation) => path.endsWith('/progress') || path.endsWith('/stream');

/** A key was used since, and a new entry of the audit log follows. */
const withoutUse = (key: string, value: unknown) => (key === 'last_used_at' ? null : value);

describe('a workspace that is exported, deleted and restored', () => {
  let workspace: Workspace;
  let other: Workspace;
  let ids: Ids;
  let file: string;
  let before: Record<string, string[]>;
  let otherBefore: Record<string, string[]>;
  let answers: Record<string, unknown>;
  let after: { rows: Record<string, string[]>; otherRows: Record<string, string[]>; answers: Record<string, unknown> };
  let restored: string;

  beforeAll(async () => {
    [workspace, other] = [await newWorkspace(app), await newWorkspace(app)];
    for (const each of [other, workspace]) {
      ids = { ...(await inhabit(app, undefined, each.admin)), workspace_id: each.id };
      await logCall(each.admin, { input: 'a marmalade sandwich', output: 'for the bear' });
      await untilSearchable(app, each.id);
    }
    await app.sweep('request-hours');
    await app.sweep('trace-hours');
    await app.sweep('audit');
    answers = await answersOf(workspace.admin, ids);
    before = await settledRowsOf(app, workspace.id);
    otherBefore = await settledRowsOf(app, other.id);
    file = await archives.exported(app, workspace.id);
    await deleteWorkspace(app, workspace);
    expect(await rowsOf(app, workspace.id)).toEqual({});
    const ended = await archives.restore(app, file);
    expect(ended).toEqual({ ok: true, output: expect.any(String) as string });
    restored = ended.output;
    // Read before any test changes something.
    const [rows, otherRows] = [await rowsOf(app, workspace.id), await rowsOf(app, other.id)];
    await untilAccepted(workspace);
    after = { rows, otherRows, answers: await answersOf(workspace.admin, ids) };
  });

  it('has every row of every table again, but for what a restore changes', () => {
    const { rows } = after;
    expect(Object.keys(before).length).toBeGreaterThan(50);
    const unchanged = without(before, [...SETTLED, ...OTHERS]);
    expect(without(rows, [...SETTLED, ...OTHERS])).toEqual(unchanged);
    const kept = SETTLED.filter((table) => table !== 'vocabulary_resets');
    for (const table of kept) expect(rows[table]?.length, table).toBe(before[table]?.length);
    expect(rows.audit_entries).toEqual(expect.arrayContaining(before.audit_entries!));
    expect(restored).toContain(`Restored workspace ${workspace.id} (${workspace.name})`);
  });

  it('leaves other workspaces alone', () => {
    expect(after.otherRows).toEqual(otherBefore);
  });

  it('answers all routes that read as before, with its keys', () => {
    const unchanged = Object.entries(answers).filter(([name]) => !CHANGED.test(name));
    expect(unchanged.length).toBeGreaterThan(80);
    for (const [name, answer] of unchanged) expect.soft(after.answers[name], name).toEqual(answer);
  });

  it('finds logs and traces by words', async () => {
    for (const path of ['requests', 'traces']) {
      const found = await workspace.admin.post(`/api/public/v2/${path}/search`, { q: 'marmalade' });
      expect(found, path).toMatchObject({ items: [expect.anything()] });
    }
    await logCall(workspace.admin, { input: 'more marmalade', output: 'tomorrow' });
    await untilSearchable(app, workspace.id);
    const found = await workspace.admin.post('/api/public/v2/requests/search', { q: 'marmalade' });
    expect(found).toMatchObject({ items: [expect.anything(), expect.anything()] });
  });

  it('has an intact chain of audit entries that goes on with the restore', async () => {
    const path = `${ADMIN}/workspaces/${workspace.id}/audit-entries`;
    await until(async () => {
      await app.sweep('audit');
      const found = (await workspace.admin.get(`${path}/verification`)) as { unsealed_count: number };
      return found.unsealed_count === 0;
    });
    expect(await workspace.admin.get(`${path}/verification`)).toMatchObject({ is_intact: true, is_complete: true });
    const { data: entries } = (await workspace.admin.get(`${path}?action=workspace.restore`)) as {
      data: { details: { rows: number; counts: Record<string, number> }; source: string }[];
    };
    expect(entries).toMatchObject([{ source: 'operator', details: { counts: { prompts: before.prompts!.length } } }]);
  });
});
