import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, newSheet, type Page } from '../support/factories.js';
import { newGroup } from '../support/datasets.js';
import { contains, newDataset, newReport } from '../support/evaluations.js';
import { startExport } from '../support/exports.js';
import { type Ids, inhabit } from '../support/examples.js';
import { createWorkflow } from '../support/workflows.js';
import { registerServer } from '../support/mcp-servers.js';
import { addCredential } from '../support/model-credentials.js';
import { documentOf, fillPath, operationsOf } from '../support/operations.js';
import { answerItem, newQueue, nextItem } from '../support/reviews.js';
import { createMonitor } from '../support/monitors.js';
import { newFeed } from '../support/feeds.js';
import { TestApp } from '../support/test-app.js';
import { createWebhook } from '../support/webhooks.js';

interface Entry {
  id: number;
  workspace_id: number;
  occurred_at: string;
  action: string;
  entity_type: string;
  entity_id: string;
  entity_name: string | null;
  source: string;
  key_id: number | null;
  key_name: string | null;
  key_last_4: string | null;
  request_id: string;
  details: Record<string, unknown>;
}

let app: TestApp;
let me: Client;
let workspace: string;
let workspaceId: number;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  workspaceId = workspaces[0]!.id;
  workspace = `/api/admin/v1/workspaces/${workspaceId}`;
});
afterAll(() => app.stop());

/** All entries that match, from all pages. */
async function entries(query: Record<string, string> = {}, client = me, of = workspace): Promise<Entry[]> {
  const text = new URLSearchParams({ limit: '100', ...query }).toString();
  const found: Entry[] = [];
  for (let cursor = ''; ;) {
    const page = (await client.get(`${of}/audit-entries?${text}${cursor}`)) as Page<Entry>;
    found.push(...page.data);
    if (!page.next_cursor) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

/** Entries that a request wrote, oldest first. */
async function writtenBy(requestId: string): Promise<Entry[]> {
  return (await entries({ order: 'asc' })).filter(({ request_id: id }) => id === requestId);
}

/**
 * Ids of one entity of every kind that can be deleted, by path parameter. No worker runs the operation, so it can be
 * cancelled.
 */
async function mortal(): Promise<Ids> {
  const sheet = await newSheet(me, ['one', 'two']);
  const column = await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
  // A new computed column is computed at once.
  await addCount(me, sheet, 'Length');
  const [operation] = (
    (await me.get(`${sheet.path}/operations`)) as {
      active_operations: { operation_id: string }[];
    }
  ).active_operations;
  const rows = { filter_group: { filters: [] }, operation_id: `doomed-${sheet.id}` };
  await me.post(`${sheet.path}/imports/request-logs`, rows, 202);
  await me.patch(`${sheet.path}/scorecard`, { name: 'Doomed', aggregation: {} });
  const { webhook } = await createWebhook(me, workspaceId, { url: 'http://hooks.invalid/' });
  const tools = await registerServer(me, workspaceId, { url: 'http://tools.invalid/' });
  const credential = await addCredential(me, { provider: 'ollama', base_url: 'http://models.invalid/v1' });
  const key = (await me.post(`${workspace}/api-keys`, { name: 'Doomed' }, 201)) as { api_key: { id: number } };
  await me.put(`${workspace}/model-prices`, { provider: 'ours', model: 'm', input: 1 });
  const started = await startExport(me, { source: 'requests', format: 'csv' });
  await me.post(`${workspace}/roles`, { name: 'doomed', permissions: [] }, 201);
  const queue = await newQueue(me, { subject: 'row', sheet_id: sheet.id }, { row_indices: [0] });
  const item = (await nextItem(me, queue))!;
  await answerItem(me, queue, item.id, true);
  const feed = await newFeed(me, sheet, { source: 'requests' });
  return {
    feed_id: feed.id,
    review_queue_id: queue,
    review_item_id: item.id,
    role_name: 'doomed',
    workspace_id: workspaceId,
    table_id: sheet.tableId,
    sheet_id: sheet.id,
    column_id: column.id,
    operation_id: operation!.operation_id,
    import_id: rows.operation_id,
    webhook_id: webhook.id,
    mcp_server_id: tools.id,
    credential_id: credential.id,
    key_id: key.api_key.id,
    export_id: started.id,
    saved_view_id: await mortalView(),
    monitor_id: (await createMonitor(me)).id,
    dataset_group_id: (await newGroup(me)).id,
    ...(await mortalTools()),
    workflow_id: await createWorkflow(me, `doomed ${key.api_key.id}`, { release_labels: ['prod'] }),
    workflow_label: 'prod',
    ...(await mortalReports()),
    ...(await mortalPeople()),
    ...(await inhabit(app, ['folders', 'prompts'])),
  };
}

async function mortalView(): Promise<string> {
  const body = { screen: 'traces', name: 'doomed', query: {} };
  const { saved_view: view } = (await me.post('/api/public/v2/saved-views', body, 201)) as {
    saved_view: { id: string };
  };
  return view.id;
}

async function mortalTools(): Promise<Ids> {
  const registry = '/api/public/v2/tool-registry';
  const definition = { type: 'function', function: { name: 'doomed' } };
  const body = { name: 'doomed', tool_definition: definition };
  const { tool_registry: tool } = (await me.post(registry, body, 201)) as { tool_registry: { id: number } };
  await me.put(`${workspace}/tools/${tool.id}/labels/prod`, { version_number: 1 });
  const shared = (await me.post('/api/public/v2/env-vars', { key: 'DOOMED' }, 201)) as {
    workspace_env_var: { id: number };
  };
  const own = (await me.post(`${registry}/${tool.id}/env-vars`, { key: 'DOOMED' }, 201)) as {
    tool_env_var: { id: number };
  };
  const { skill_collection: skills } = (await me.post('/api/public/v2/skill-collections', { name: 'doomed' }, 201)) as {
    skill_collection: { id: string };
  };
  return {
    tool_identifier: tool.id,
    tool_id: tool.id,
    tool_label: 'prod',
    var_id: shared.workspace_env_var.id,
    tool_var_id: own.tool_env_var.id,
    skill_collection_id: skills.id,
  };
}

async function mortalPeople(): Promise<Ids> {
  const invite = async (email: string) =>
    (await me.post(`${workspace}/invitations`, { email, roles: ['viewer'] }, 201)) as {
      invitation: { id: number };
      path: string;
    };
  const token = (await invite('doomed@example.com')).path.split('#')[1];
  const body = { token, password: 'correct horse battery' };
  const { user } = (await me.post('/console/invitation/accept', body, 201)) as { user: { id: number } };
  return { user_id: user.id, invitation_id: (await invite('withdrawn@example.com')).invitation.id };
}

/** A pipeline for each route: one that is deleted takes its columns along. */
async function mortalReports(): Promise<Ids> {
  const dataset = await newDataset(me, [{ answer: 'A refund.' }]);
  const named = 'Doomed by its name';
  await newReport(me, dataset, [], { name: named });
  const { columns } = await newReport(me, dataset, [contains('Refund', 'refund')]);
  const { id } = await newReport(me, dataset);
  return { report_id: id, report_name: named, report_column_id: columns.at(-1)!.id };
}

describe('a deletion', () => {
  const bodies = (ids: Ids): Record<string, object> => ({
    'DELETE /api/public/v2/folders/entities': { entities: [{ type: 'FOLDER', id: ids.folder_id }], cascade: true },
    'DELETE /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows': { row_indices: [1] },
  });
  const queries: Record<string, string> = {
    [`DELETE /api/admin/v1/workspaces/{workspace_id}/model-prices`]: '?provider=ours&model=m',
  };

  /** Path parameters that mean something else on one route. */
  const special: Record<string, (ids: Ids) => Ids> = {
    'DELETE /api/public/v2/tool-registry/{tool_identifier}/env-vars/{var_id}': (ids) => ({ var_id: ids.tool_var_id! }),
    'DELETE /api/public/v2/tables/{table_id}/sheets/operations/{operation_id}': (ids) => ({
      operation_id: ids.import_id!,
    }),
  };

  /** Routes of entities that have external ids, and the id of each. */
  const holders: Record<string, string> = {
    '/reports/{report_id}/external-ids': 'report-7',
    '/api/public/v2/tool-registry/{tool_id}/external-ids': 'tool-7',
    '/api/public/v2/skill-collections/{skill_collection_id}/external-ids': 'skills-7',
    '/workflows/{workflow_id}/external-ids': 'workflow-7',
    '/api/public/v2/folders/{folder_id}/external-ids': 'folder-7',
    '/api/public/v2/dataset-groups/{dataset_group_id}/external-ids': 'dataset-7',
  };

  it('writes an entry that names its request, on every DELETE route of the document', async () => {
    const ids = await mortal();
    for (const [path, external] of Object.entries(holders)) {
      await me.post(fillPath(path, ids), { source: 'crm', external_id: external }, 201);
    }
    // Entities are deleted before the entity that contains them. Some are deleted by a longer path than that of their
    // external ids.
    const isExternal = (path: string) => path.includes('/external-ids/');
    const depth = (path: string) =>
      path.endsWith('/entities') ? 0 : path.split('/').length + (isExternal(path) ? 10 : 0);
    // The caller is no user and has no session: `people` and `console-sessions` end sessions and revoke personal keys.
    const ofPeople =
      /^\/console\/|\/me\/api-keys|\/admin\/v1\/(users|identity-providers|group-rules|scim-tokens)|^\/scim\//;
    const deletes = operationsOf(documentOf(app)).filter(
      ({ method, path }) => method === 'DELETE' && !ofPeople.test(path),
    );
    deletes.sort((a, b) => depth(b.path) - depth(a.path));
    expect(deletes.length).toBeGreaterThan(12);
    for (const [index, { name, path }] of deletes.entries()) {
      const requestId = `deletion-${index}`;
      const [, external] = Object.entries(holders).find(([holder]) => path.startsWith(holder)) ?? [];
      const own = { ...ids, ...special[name]?.(ids), ...(external && { external_id: external }) };
      const url = path.includes('{external_id}')
        ? fillPath(path, { ...own, external_id: decodeURIComponent(String(own.external_id)) })
        : fillPath(path, own);
      const client = me.with({ 'x-request-id': requestId });
      const { status } = await client.request('DELETE', url + (queries[name] ?? ''), bodies(ids)[name]);
      expect([name, status]).toEqual([name, expect.toSatisfy((each: number) => each < 300)]);
      const written = await writtenBy(requestId);
      expect([name, written.length]).toEqual([name, expect.toSatisfy((count: number) => count > 0)]);
      for (const entry of written) expect(entry).toMatchObject({ workspace_id: workspaceId, source: 'api' });
    }
    const cascade = await writtenBy(`deletion-${deletes.length - 1}`);
    expect(cascade.map(({ action }) => action).sort()).toEqual(['folder.delete', 'prompt.delete']);
  });

  it('that is refused writes nothing', async () => {
    const before = await entries();
    await me.delete('/api/public/v2/tables/0198c0de-0000-7000-8000-000000000000', 404);
    expect(await entries()).toEqual(before);
  });
});

describe('a change of what decides about others', () => {
  it.each<[string, (client: Client, ids: Ids) => Promise<unknown>]>([
    ['api_key.create', (client) => client.post(`${workspace}/api-keys`, {}, 201)],
    ['api_key.rename', (client, ids) => client.patch(`${workspace}/api-keys/${ids.key_id}`, { name: 'New' })],
    [
      'retention.update',
      (client) => client.put(`${workspace}/retention`, { traces_days: 3650, request_logs_days: null }),
    ],
    ['model_price.set', (client) => client.put(`${workspace}/model-prices`, { provider: 'o', model: 'm', input: 2 })],
    ['workspace_settings.update', (client) => client.patch(`${workspace}/settings`, { auto_recalculate: 'all' })],
    [
      'release_label.move',
      async (client, ids) => {
        const prompt_template = { type: 'completion', content: [{ type: 'text', text: 'Hi' }], input_variables: [] };
        await me.post(
          '/rest/prompt-templates',
          { prompt_template: { prompt_name: 'greeting' }, prompt_version: { prompt_template } },
          201,
        );
        await client.patch(`/prompt-labels/${ids.prompt_label_id}`, { prompt_version_number: 2 });
      },
    ],
    [
      'release_label.create',
      (client, ids) => client.post(`/prompts/${ids.prompt_id}/label`, { name: 'staging', prompt_version_number: 1 }),
    ],
    ['folder.rename', (client, ids) => client.patch(`/api/public/v2/folders/${ids.folder_id}`, { name: 'Renamed' })],
    ['webhook.update', (client, ids) => client.patch(`${workspace}/webhooks/${ids.webhook_id}`, { enabled: false })],
    [
      'webhook.rotate_secret',
      (client, ids) => client.post(`${workspace}/webhooks/${ids.webhook_id}/secret`, undefined, 201),
    ],
  ])('writes one: %s', async (action, change) => {
    const requestId = action.replace(/\W/g, '-');
    await change(me.with({ 'x-request-id': requestId }), ids);
    expect((await writtenBy(requestId)).map((entry) => entry.action)).toEqual([action]);
  });

  let ids: Ids;
  beforeAll(async () => {
    ids = await mortal();
  });

  it('to a workspace by the operator writes an entry without a key', async () => {
    const operator = app.operator();
    const { workspace: created } = (await operator.post('/api/admin/v1/workspaces', { name: 'Audited' }, 201)) as {
      workspace: { id: number };
    };
    const path = `/api/admin/v1/workspaces/${created.id}`;
    await operator.patch(path, { name: 'Renamed' });
    const expected = { source: 'operator', key_id: null, key_name: null, entity_id: String(created.id) };
    expect(await entries({}, operator, path)).toMatchObject([
      { ...expected, action: 'workspace.rename', entity_name: 'Renamed', details: { old_name: 'Audited' } },
      { ...expected, action: 'workspace.create', entity_name: 'Audited' },
    ]);
  });

  it('never shows a secret', async () => {
    const all = JSON.stringify(await entries());
    expect(all).not.toMatch(/whsec_|pl_[A-Za-z0-9]{20}/);
  });
});

describe('the list of audit entries', () => {
  it('goes through all of them newest first, page by page', async () => {
    const all = await entries();
    const seen: Entry[] = [];
    let cursor: string | null = null;
    do {
      const page: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const answer = (await me.get(`${workspace}/audit-entries?limit=7${page}`)) as Page<Entry>;
      seen.push(...answer.data);
      cursor = answer.next_cursor;
    } while (cursor);
    expect(seen.slice(0, all.length)).toEqual(all);
    expect(seen.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).toSorted((a, b) => b - a));
  });

  it('shows those of an action, an entity, a key, a source or a time', async () => {
    const { tableId } = await newSheet(me);
    await me.delete(`/api/public/v2/tables/${tableId}`);
    const all = await entries();
    const some = all.find(({ action }) => action === 'table.delete')!;
    const moment = some.occurred_at;
    const cases: [Record<string, string>, (entry: Entry) => boolean][] = [
      [{ action: 'table.delete' }, ({ action }) => action === 'table.delete'],
      [{ action: 'table.delete,folder.delete' }, ({ action }) => /^(table|folder)\.delete$/.test(action)],
      [{ entity_type: 'webhook' }, ({ action }) => action.startsWith('webhook.')],
      [{ entity_id: some.entity_id }, ({ entity_id: id }) => id === some.entity_id],
      [{ key_id: String(some.key_id) }, ({ key_id: id }) => id === some.key_id],
      [{ source: 'api' }, ({ source }) => source === 'api'],
      [{ source: 'operator' }, ({ source }) => source === 'operator'],
      [{ occurred_before: moment }, (entry) => entry.occurred_at <= moment],
      [{ occurred_after: '2999-01-01' }, () => false],
    ];
    for (const [query, fits] of cases) {
      const found = await entries(query);
      // Entries have microseconds, their times in the answer milliseconds.
      const expected = all.filter((entry) => fits(entry) && !(query.occurred_before && entry.occurred_at === moment));
      const shown = found.filter((entry) => !(query.occurred_before && entry.occurred_at === moment));
      expect([query, shown.map(({ id }) => id)]).toEqual([query, expected.map(({ id }) => id)]);
    }
    expect(await entries({ key_id: String(some.key_id) })).not.toEqual([]);
  });

  it.each([
    ['limit=0', 422],
    ['limit=101', 422],
    ['key_id=x', 422],
    ['key_id=99999999999', 422],
    ['source=nobody', 422],
    ['occurred_after=yesterday', 422],
    ['cursor=nonsense', 400],
    [`action=${'a%2C'.repeat(60)}`, 422],
    ['entity_id=%00', 200],
  ])('rejects unknown parameters and values: %s', async (query, status) => {
    await me.get(`${workspace}/audit-entries?${query}`, status);
  });

  it('is readable for administrators of the workspace only, and is empty without changes', async () => {
    const { secret } = (await me.post(`${workspace}/api-keys`, { role: 'contributor' }, 201)) as { secret: string };
    await app.clientWith(secret).get(`${workspace}/audit-entries`, 403);
    const stranger = await app.stranger();
    await stranger.get(`${workspace}/audit-entries`, 404);
  });
});

it('calls a key without a name by its last four characters, wherever it says who did something', async () => {
  const issue = async (name?: string) => {
    const issued = (await me.post(`${workspace}/api-keys`, { name, role: 'admin' }, 201)) as { secret: string };
    return { client: app.clientWith(issued.secret), ending: issued.secret.slice(-4) };
  };
  const [unnamed, named] = [await issue(), await issue('exporter')];
  const expected = [`API key …${unnamed.ending}`, 'exporter'];
  for (const [at, { client, ending }] of [unnamed, named].entries()) {
    const sheet = await newSheet(client, ['one']);
    const versions = (await me.get(`${sheet.path}/versions`)) as Page<{ created_by: string | null }>;
    expect(new Set(versions.data.map(({ created_by: by }) => by))).toEqual(new Set([expected[at]]));
    await client.post(`${sheet.path}/imports/request-logs`, { filter_group: { filters: [] } }, 202);
    const jobs = (await me.get('/api/public/v2/sheet-imports')) as Page<{
      sheet_id: string;
      started_by: string | null;
    }>;
    expect(jobs.data.find(({ sheet_id: id }) => id === sheet.id)).toMatchObject({ started_by: expected[at] });
    const { status } = await client.request('DELETE', `/api/public/v2/tables/${sheet.tableId}`);
    expect(status).toBeLessThan(300);
    expect((await entries({ action: 'table.delete' }))[0]).toMatchObject({
      key_name: expected[at],
      key_last_4: ending,
    });
  }
});
