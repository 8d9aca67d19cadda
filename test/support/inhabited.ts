import type { Client } from './client.js';
import { addCount, importLogs, newSheet, readRows, settled, type TestSheet } from './factories.js';
import { finishedExport } from './exports.js';
import { publishPrompt } from './prompts.js';
import { until } from './until.js';
import { versionAt } from './versions.js';
import { createWebhook, deliveriesOf } from './webhooks.js';
import type { Operation } from './operations.js';
import { logCall, send, span } from './otlp.js';
import type { TestApp } from './test-app.js';

/** Values for path parameters, by name. */
export type Ids = Record<string, string | number>;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Puts something of everything into the first workspace and gives its ids by path parameter. The app must work. */
export async function inhabit(app: TestApp): Promise<Ids> {
  const me = app.client;
  const request = await logCall(me, {}, { traceId: TRACE });
  const { headers } = await send(me, [span()]);
  // A second table, so that the list of tables has more than one page.
  await newSheet(me);
  const sheet = await newSheet(me, ['text', 'more text']);
  const { cell, operation } = await compute(me, sheet);
  // An import under the id of the computation, so that the routes of both kinds of operation find theirs.
  await importLogs(me, sheet, { filter_group: { filters: [] }, operation_id: operation });
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  const workspace = workspaces[0]!.id;
  // The name leads nowhere, for ever: nothing is really sent.
  const { webhook } = await createWebhook(me, workspace, { url: 'http://hooks.invalid/' });
  const registry = await inhabitRegistry(me);
  await until(async () => (await deliveriesOf(me, webhook)).length > 1);
  const keys = (await me.get(`/api/admin/v1/workspaces/${workspace}/api-keys`)) as { api_keys: { id: number }[] };
  return {
    table_id: sheet.tableId,
    sheet_id: sheet.id,
    cell_id: cell,
    version_id: (await versionAt(me, sheet, 1)).id,
    column_id: sheet.columnId,
    operation_id: operation,
    trace_id: TRACE,
    request_id: request,
    receipt_id: String(headers['x-ingest-receipt']),
    workspace_id: workspace,
    key_id: keys.api_keys.at(-1)!.id,
    webhook_id: webhook.id,
    delivery_id: (await deliveriesOf(me, webhook))[0]!.id,
    export_id: (await finishedExport(me, { source: 'requests', format: 'csv' })).id,
    ...registry,
  };
}

/** A prompt in a folder, with a label and an external id; the folder has the same external id in another source. */
export async function inhabitRegistry(me: Client) {
  const folders = '/api/public/v2/folders';
  const [source, externalId] = ['crm', 'greeting/7'];
  const { folder } = (await me.post(folders, { name: 'Support' }, 201)) as { folder: { id: number } };
  const prompt = await publishPrompt(me, 'greeting', { labels: ['prod'], folderId: folder.id });
  const base = `/prompt-templates/${prompt.id}`;
  await me.post(`${base}/external-ids`, { source, external_id: externalId }, 201);
  const { release_labels: labels } = (await me.get(`${base}/labels`)) as {
    release_labels: { release_label_id: number }[];
  };
  return {
    folder_id: folder.id,
    identifier: 'greeting',
    prompt_id: prompt.id,
    prompt_template_id: prompt.id,
    prompt_label_id: labels[0]!.release_label_id,
    source,
    external_id: encodeURIComponent(externalId),
  };
}

async function compute(me: Client, sheet: TestSheet): Promise<{ cell: string; operation: string }> {
  const count = await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  const [row] = (await readRows(me, sheet)).data;
  return { cell: row!.cells[sheet.columnId]!.id, operation: row!.cells[count.id]!.execution_id! };
}

/** Who may call a route: the operator or the first workspace. */
export function clientFor(app: TestApp, { path }: Operation): Client {
  return path.startsWith('/api/admin') ? app.operator() : app.client;
}
