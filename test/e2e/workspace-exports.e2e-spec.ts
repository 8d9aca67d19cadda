import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Archives,
  deleteWorkspace,
  newWorkspace,
  openArchiveFile,
  type OpenedArchive,
  untilAccepted,
  type Workspace,
} from '../support/archives.js';
import type { Client } from '../support/client.js';
import { importLogs, newSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { browserWith, joinWorkspace } from '../support/people.js';
import { publishPrompt } from '../support/prompts.js';
import { answerItem, listItems, newQueue, nextItem, QUEUES, readItem, type ReviewItem } from '../support/reviews.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhooks.js';

const ADMIN = '/api/admin/v1';
const archives = new Archives();

let app: TestApp;
let operator: Client;
/** Another installation. */
let target: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
  target = await TestApp.own();
  operator = app.operator();
});
afterAll(async () => {
  await app.stop();
  await target.stop();
  archives.remove();
});

const exportUrl = (id: number | string) => `${ADMIN}/workspaces/${id}/export`;

/** Rows of a table in an archive, by the names of the columns. */
function tableOf({ manifest, entries }: OpenedArchive, table: string): Record<string, string>[] {
  const { columns } = manifest.tables.find(({ name }) => name === table)!;
  const text = entries
    .filter(({ header }) => header.name.startsWith(`tables/${table}/`))
    .map(({ contents }) => contents);
  const rows = text.join('').split('\n').slice(0, -1);
  return rows.map((row) => Object.fromEntries(row.split('\t').map((value, index) => [columns[index], value])));
}

async function actionsOf(where: TestApp, id: number): Promise<string[]> {
  const rows = (await where.sql(
    `SELECT action FROM audit_entries WHERE workspace_id = $1 AND action LIKE 'workspace.%' ORDER BY id`,
    [id],
  )) as { action: string }[];
  return rows.map(({ action }) => action);
}

describe('the export of a workspace over HTTP', () => {
  it('is the archive that the command restores, and is in the audit log', async () => {
    const { id, admin } = await newWorkspace(app);
    await publishPrompt(admin, 'exported');
    const { bytes, headers } = await operator.request('GET', exportUrl(id));
    expect(headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-disposition': expect.stringContaining(`workspace-${id}.tar.gz`) as string,
    });
    const file = archives.newFile();
    writeFileSync(file, bytes);
    const { output } = await archives.restore(target, file, '--dry-run');
    expect(output).toContain('The archive is whole and can be restored');
    await until(async () => (await actionsOf(app, id)).length === 3);
    expect(await actionsOf(app, id)).toEqual(['workspace.create', 'workspace.export', 'workspace.export_end']);
    const { data } = (await admin.get(`${ADMIN}/workspaces/${id}/audit-entries?action=workspace.export_end`)) as {
      data: object[];
    };
    expect(data).toMatchObject([{ source: 'operator', details: { counts: { prompts: 1 } } }]);
  });

  it.each([
    ['999999', 404],
    ['0', 422],
    ['x', 422],
    ['1e99', 422],
    ['99999999999999999999', 422],
  ])('answers the id %s with %i', async (id, status) => {
    await operator.get(exportUrl(id), status);
  });

  it('is for the operator alone', async () => {
    const { id, admin } = await newWorkspace(app);
    await admin.get(exportUrl(id), 401);
    await app.clientWith(null).get(exportUrl(id), 401);
    expect(await actionsOf(app, id)).toEqual(['workspace.create']);
  });

  it('ends its transaction when the reader leaves, and leaves a file that is incomplete', async () => {
    const { id } = await newWorkspace(app);
    // More than what the buffers of a connection hold, even compressed.
    await app.sql(
      `INSERT INTO idempotency_keys (workspace_id, key, request_hash, status, response)
       SELECT $1, n::text, '', 200, (SELECT string_agg(md5(n || '-' || m), '') FROM generate_series(1, 3200) AS m)
         FROM generate_series(1, 400) AS n`,
      [id],
    );
    const url = await app.listen();
    const leaving = new AbortController();
    const headers = { authorization: 'Bearer test-admin-token-0123456789' };
    const { body } = await fetch(url + exportUrl(id), { headers, signal: leaving.signal });
    const reader = body!.getReader();
    const { value } = await reader.read();
    expect(await exporting()).toBe(1);
    const second = await fetch(url + exportUrl(id), { headers, signal: leaving.signal });
    expect(second.status).toBe(200);
    expect(await operator.get(exportUrl(id), 503)).toMatchObject({ error: 'workspace_exports_busy' });
    leaving.abort();
    await until(async () => (await exporting()) === 0);
    const file = archives.newFile();
    writeFileSync(file, value!);
    expect(await archives.restore(target, file)).toMatchObject({ ok: false });
    expect(await actionsOf(app, id)).toEqual(['workspace.create', 'workspace.export', 'workspace.export']);
    expect((await operator.request('GET', exportUrl(id))).status).toBe(200);
  });
});

async function exporting(): Promise<number> {
  const [row] = (await app.sql(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'tracesheet-backup' AND xact_start IS NOT NULL`,
  )) as { count: number }[];
  return row!.count;
}

describe('an archive', () => {
  it('is consistent while others write', async () => {
    const { id, admin } = await newWorkspace(app);
    let isOver = false;
    const writing = Array.from({ length: 3 }, async () => {
      while (!isOver) await logCall(admin, { input: 'written meanwhile' });
    });
    for (let round = 0; round < 3; round++) {
      const archive = await openArchiveFile(await archives.exported(app, id));
      // One transaction writes a span, its log and its trace.
      const logs = tableOf(archive, 'request_logs').map((log) => log.id);
      expect(
        tableOf(archive, 'spans')
          .map((span) => span.request_log_id)
          .sort(),
      ).toEqual(logs.sort());
      expect(tableOf(archive, 'traces')).toHaveLength(logs.length);
    }
    isOver = true;
    await Promise.all(writing);
  });

  it('never replaces a file, and is not there when its command fails', async () => {
    const { id } = await newWorkspace(app);
    const file = await archives.exported(app, id);
    const again = await archives.run(app, ['workspaces', 'export', String(id), '--to', file]);
    expect(again).toEqual({ ok: false, output: expect.stringContaining('There is a file') as string });
    for (const args of [
      ['workspaces', 'export', String(id)],
      ['workspaces', 'export', '999999', '--to', archives.newFile()],
      ['workspaces', 'export', String(id), '--to', '/nowhere/at/all.tar.gz'],
      ['workspaces', 'restore'],
    ]) {
      expect(await archives.run(app, args)).toMatchObject({ ok: false });
    }
  });
});

describe('a workspace in another installation', () => {
  /** Two requests in a queue, of which the key and a person review one. The person has the other one. */
  async function review(person: Client): Promise<string> {
    const request_log_ids = [await logCall(moved.admin), await logCall(moved.admin)];
    const queue = await newQueue(moved.admin, { subject: 'request', reviewers_per_item: 2 }, { request_log_ids });
    const { id } = (await nextItem(moved.admin, queue))!;
    for (const reviewer of [moved.admin, person]) await answerItem(reviewer, queue, id, true);
    await nextItem(person, queue);
    return queue;
  }

  type Ended = Awaited<ReturnType<typeof archives.restore>>;
  let moved: Workspace;
  let refused: Ended;
  let restored: Ended;
  let queue: string;
  beforeAll(async () => {
    // The other installation has used the same ids for other things.
    await logCall(target.client, { input: 'target marmalade' });
    await untilSearchable(target, 1);
    await target.client.post('/api/public/v2/requests/search', { q: 'marmalade' });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']) {
      await target.client.post(`${ADMIN}/workspaces/1/api-keys`, { name }, 201);
    }
    moved = await newWorkspace(app);
    await moved.admin.post('/api/public/v2/folders', { name: 'Of a key' }, 201);
    await logCall(moved.admin, { input: 'moved marmalade' });
    await untilSearchable(app, moved.id);
    const path = `${ADMIN}/workspaces/${moved.id}/invitations`;
    const invite = async (email: string) =>
      (await moved.admin.post(path, { email, roles: ['admin'] }, 201)) as { path: string };
    const token = (await invite('bob@example.com')).path.split('#')[1];
    const anyone = app.clientWith(null);
    const accepting = { token, password: 'correct horse battery' };
    const bob = browserWith(anyone, await anyone.request('POST', '/console/invitation/accept', accepting));
    await bob.post(`${ADMIN}/workspaces/${moved.id}/api-keys`, { name: 'Of Bob', role: 'admin' }, 201);
    await app.sql(
      `INSERT INTO label_changes (workspace_id, id, kind, item_id, item_name, label, reason, asked_by, asked_user_id, decided_by, state, expires_at)
       SELECT workspace_id, gen_random_uuid(), 'prompt', '1', 'p', 'prod', '', id, maker_id, id, 'rejected', now()
         FROM api_keys WHERE workspace_id = $1 AND name = 'Of Bob'`,
      [moved.id],
    );
    queue = await review(bob);
    await importLogs(moved.admin, await newSheet(moved.admin), { filter_group: { filters: [] } });
    await invite('open@example.com');
    const file = await archives.exported(app, moved.id);
    refused = await archives.restore(target, file);
    restored = await archives.restore(target, file, '--new-ids');
    await untilAccepted({ ...moved, admin: target.clientWith(moved.admin.apiKey) });
  });

  it('has new ids for keys whose ids are in use, if that is wanted', async () => {
    expect(refused).toEqual({
      ok: false,
      output: expect.stringMatching(/have the ids \d+.* of api_keys. Add --new-ids/) as string,
    });
    const { ok, output } = restored;
    expect(output).toMatch(/rows of api_keys have new ids/);
    expect(output).toMatch(/no members any more: bob@example.com \(user \d+\)/);
    expect(output).toContain('1 open invitations were withdrawn');
    expect(ok).toBe(true);
    const [key] = (await target.sql(
      `SELECT id FROM api_keys WHERE workspace_id = $1 AND revoked_at IS NULL AND name IS DISTINCT FROM 'Of Bob'`,
      [moved.id],
    )) as { id: number }[];
    expect(await target.sql('SELECT DISTINCT created_by FROM folders WHERE workspace_id = $1', [moved.id])).toEqual([
      { created_by: key!.id },
    ]);
  });

  it('keeps a service key without its unknown maker, and names it by its new id wherever it is named', async () => {
    const [key] = (await target.sql(
      `SELECT id, maker_id, revoked_at FROM api_keys WHERE workspace_id = $1 AND name = 'Of Bob'`,
      [moved.id],
    )) as { id: number }[];
    expect(key).toMatchObject({ maker_id: null, revoked_at: null });
    const changes = 'SELECT asked_by, asked_user_id, decided_by FROM label_changes WHERE workspace_id = $1';
    expect(await target.sql(changes, [moved.id])).toEqual([
      { asked_by: key!.id, asked_user_id: null, decided_by: key!.id },
    ]);
  });

  it('names a key that has started an import by its new id', async () => {
    const started = `SELECT k.name FROM import_operations i JOIN api_keys k USING (workspace_id)
      WHERE workspace_id = $1 AND k.id = (i.request #>> '{by,keyId}')::int AND k.revoked_at IS NULL`;
    expect(await target.sql(started, [moved.id])).toHaveLength(1);
  });

  it('keeps its reviewers, and nobody else becomes one of them', async () => {
    const [bob] = (await app.sql(`SELECT id FROM users WHERE email = 'bob@example.com'`)) as { id: number }[];
    await target.sql(`SELECT setval(pg_get_serial_sequence('users', 'id'), $1, false)`, [bob!.id]);
    const here = target.clientWith(moved.admin.apiKey);
    const other = await joinWorkspace(target, here, moved.id, ['admin']);
    expect(other.userId).toBe(bob!.id);
    const [reviewed, leased] = (await listItems(here, queue)) as [ReviewItem, ReviewItem];
    const areYours = async (client: Client) =>
      (await readItem(client, queue, reviewed.id)).answers!.map(({ is_yours: isYours }) => isYours);
    expect(await areYours(here)).toEqual([true, false]);
    expect(await areYours(other.browser)).toEqual([false, false]);
    await other.browser.delete(`${QUEUES}/${queue}/items/${reviewed.id}/answer`, 404);
    expect(leased.leased_until).toBeNull();
    expect(await nextItem(here, queue)).toMatchObject({ id: leased.id });
  });

  it('stores logs with ids of its own, and searches finds those of each workspace', async () => {
    const here = target.clientWith(moved.admin.apiKey);
    for (const client of [here, target.client]) await logCall(client, { input: 'further marmalade' });
    await untilSearchable(target);
    for (const client of [here, target.client]) {
      const { items } = (await client.post('/api/public/v2/requests/search', { q: 'marmalade' })) as {
        items: { id: number }[];
      };
      expect(new Set(items.map(({ id }) => id)).size).toBe(2);
    }
    const { workspace } = (await target.operator().post(`${ADMIN}/workspaces`, { name: 'next' }, 201)) as {
      workspace: { id: number };
    };
    expect(workspace.id).toBeGreaterThan(moved.id);
  });
});

describe('webhook deliveries that were pending', () => {
  interface Delivery {
    event_type: string;
    status: string;
  }

  async function restoredDeliveries(...flags: string[]): Promise<Delivery[]> {
    const idle = await TestApp.own({ works: false });
    const workspace = await newWorkspace(idle);
    await createWebhook(workspace.admin, workspace.id, { url: 'https://hooks.example/a' });
    for (const name of ['delivered', 'before']) await publishPrompt(workspace.admin, name);
    await idle.sql(
      `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_type, body)
       SELECT workspace_id, (SELECT id FROM webhooks LIMIT 1), e.id, 'pending_one', '{}' FROM outbox_events e ORDER BY e.id LIMIT 1`,
    );
    // The consumer has seen all events but the last.
    await idle.sql(
      `INSERT INTO event_positions (workspace_id, consumer, seen_xmax, seen_open)
       SELECT workspace_id, 'webhooks', max(xid), '{}' FROM outbox_events GROUP BY workspace_id`,
    );
    const file = await archives.exported(idle, workspace.id);
    await idle.stop();
    const worker = await TestApp.own();
    try {
      expect(await archives.restore(worker, file, ...flags)).toMatchObject({ ok: true });
      const here = { ...workspace, admin: worker.clientWith(workspace.admin.apiKey) };
      await untilAccepted(here);
      await publishPrompt(here.admin, 'after');
      const read = async () =>
        (await worker.sql('SELECT event_type, status FROM webhook_deliveries ORDER BY event_id, id')) as Delivery[];
      const events = async () =>
        (await read()).filter(({ event_type: type }) => type === 'prompt_template_version_created');
      // Events of a workspace are consumed in their order.
      await until(async () => (await events()).length === (flags.length > 0 ? 2 : 1));
      return await read();
    } finally {
      await worker.stop();
    }
  }

  it('are not sent, and neither are events from before', async () => {
    const deliveries = await restoredDeliveries();
    expect(deliveries.filter(({ event_type: type }) => type === 'pending_one')).toEqual([
      { event_type: 'pending_one', status: 'failed' },
    ]);
  });

  it('are sent if that is wanted', async () => {
    const deliveries = await restoredDeliveries('--send-deliveries');
    expect(deliveries.filter(({ event_type: type }) => type === 'pending_one')).toEqual([
      { event_type: 'pending_one', status: 'pending' },
    ]);
  });
});

it('a workspace that was restored can be deleted and restored again', async () => {
  const workspace = await newWorkspace(app);
  const file = await archives.exported(app, workspace.id);
  for (let round = 0; round < 2; round++) {
    await deleteWorkspace(app, workspace);
    expect(await archives.restore(app, file)).toMatchObject({ ok: true });
    await untilAccepted(workspace);
  }
});
