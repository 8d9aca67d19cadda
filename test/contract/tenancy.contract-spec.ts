import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet } from '../support/factories.js';
import { type Ids, inhabit } from '../support/inhabited.js';
import { documentOf, fillPath, isPublic, type Operation, operationsOf } from '../support/operations.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let app: TestApp;
let operations: Operation[];
let stranger: Client;
/** What exists in the first workspace, by path parameter. */
let ids: Ids;
/** Ids of the same form that exist nowhere. */
const unknown: Ids = {
  table_id: NOWHERE,
  sheet_id: NOWHERE,
  cell_id: NOWHERE,
  version_id: NOWHERE,
  column_id: NOWHERE,
  operation_id: NOWHERE,
  trace_id: 'ffffffffffffffffffffffffffffffff',
  request_id: 999_999_999,
  receipt_id: NOWHERE,
  workspace_id: 999_999,
  key_id: 999_999,
  webhook_id: 999_999,
  delivery_id: 999_999,
  export_id: NOWHERE,
  folder_id: 999_999,
  identifier: 'no-such-prompt',
  prompt_id: 999_999,
  prompt_template_id: 999_999,
  prompt_label_id: 999_999,
  source: 'nobody',
  external_id: 'nothing',
};

beforeAll(async () => {
  app = await TestApp.start();
  operations = operationsOf(documentOf(app));
  stranger = await app.stranger();
  ids = await inhabit(app);
});
afterAll(() => app.stop());

/** A body that passes validation, so that nothing but the id can be refused. */
const BODIES: Record<string, object> = {
  'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns': { title: 'Mine', type: 'TEXT' },
  'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/operations': { operation: 'recalculate' },
  'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells/recalculations': { cell_ids: [NOWHERE] },
  'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/request-logs': { filter_group: { filters: [] } },
  'DELETE /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows': { row_indices: [0] },
  'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/versions': { name: 'Mine' },
  'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/file': {
    file_name: 'mine.csv',
    file_content_base64: 'aW5wdXQK',
  },
  'PATCH /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells/{cell_id}': { value: 'Mine' },
  'PATCH /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells': {
    cells: [{ row_index: 0, column: 'Column A', value: 'Mine' }],
  },
  'POST /prompts/{prompt_id}/label': { name: 'mine', prompt_version_number: 1 },
  'PATCH /prompt-labels/{prompt_label_id}': { prompt_version_number: 1 },
  'PATCH /api/public/v2/folders/{folder_id}': { name: 'Mine' },
  'POST /prompt-templates/{prompt_template_id}/external-ids': { source: 'mine', external_id: '1' },
  'POST /api/public/v2/folders/{folder_id}/external-ids': { source: 'mine', external_id: '1' },
  'PATCH /api/admin/v1/workspaces/{workspace_id}': { name: 'Mine' },
  'PATCH /api/admin/v1/workspaces/{workspace_id}/api-keys/{key_id}': { name: 'Mine' },
  'PUT /api/admin/v1/workspaces/{workspace_id}/retention': { traces_days: null, request_logs_days: null },
  'PUT /api/admin/v1/workspaces/{workspace_id}/model-prices': { provider: 'mine', model: 'mine', input: 1 },
  'POST /api/admin/v1/workspaces/{workspace_id}/webhooks': { url: 'https://hooks.invalid/' },
};

/** What has to be in the query string. */
const QUERIES: Record<string, string> = {
  'DELETE /api/admin/v1/workspaces/{workspace_id}/model-prices': '?provider=mine&model=mine',
};

function call(client: Client, operation: Operation, values: Ids) {
  const body = operation.requestBody && (BODIES[operation.name] ?? {});
  const path = fillPath(operation.path, values) + (QUERIES[operation.name] ?? '');
  return client.request(operation.method, path, body);
}

/** Cancelling what is not active is no error, whether it never was or is somebody else's. */
const cancels = (name: string) => name.startsWith('DELETE') && name.endsWith('/operations/{operation_id}');

/** What has no such external ID yet is created with it. */
const upserts = (name: string) => name.startsWith('PUT') && name.includes('/by-external-id/');

const hasParameters = ({ path }: Operation) => path.includes('{');
const forOperatorsOnly = ({ name }: Operation) =>
  name.endsWith(' /api/admin/v1/workspaces') || name === 'PATCH /api/admin/v1/workspaces/{workspace_id}';

/** An answer without the ids that were asked for. */
function withoutIds(body: unknown, values: Ids): string {
  // Long ones first: a short number may stand in a UUID.
  const texts = Object.values(values).map(String);
  return texts
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, id) => text.replaceAll(id, '<id>'), JSON.stringify(body));
}

describe('a key of another workspace', () => {
  it('gets the 404 of an id that does not exist, on every route and at every level of the path', async () => {
    for (const operation of operations.filter(
      (each) => hasParameters(each) && !forOperatorsOnly(each) && !upserts(each.name),
    )) {
      const foreign = await call(stranger, operation, ids);
      const missing = await call(stranger, operation, unknown);
      expect([operation.name, foreign.status, missing.status]).toEqual([operation.name, 404, 404]);
      expect(withoutIds(foreign.body, ids)).toBe(withoutIds(missing.body, unknown));
    }
  });

  it('gets 404 for a foreign thing below a parent of its own', async () => {
    const own = await newSheet(stranger, ['text']);
    const mixed = { ...ids, table_id: own.tableId, sheet_id: own.id };
    const below = operations.filter(
      ({ path, name }) => /cell_id|column_id|version_id|sheets.*operation_id/.test(path) && !cancels(name),
    );
    expect(below.length).toBeGreaterThan(3);
    for (const operation of below) {
      const { status } = await call(stranger, operation, mixed);
      expect([operation.name, status]).toEqual([operation.name, 404]);
    }
  });

  it('reads nothing of others in the lists without a parent', async () => {
    const lists = operations.filter(({ method, path }) => method === 'GET' && path.endsWith('/tables'));
    const newcomer = await app.stranger();
    for (const { path } of lists) expect(await newcomer.get(path)).toMatchObject({ data: [], count: 0 });
  });

  it('leaves the trace of another workspace alone when it sends spans with the same ids', async () => {
    await logCall(stranger, { input: 'Mine' }, { traceId: ids.trace_id });
    const { spans } = (await app.client.get(`/api/public/v2/traces/${ids.trace_id}`)) as { spans: unknown[] };
    expect(spans).toHaveLength(1);
  });
});

describe('the owner', () => {
  it('finds everything the stranger does not, so the refusals above mean something', async () => {
    for (const operation of operations.filter((each) => each.method === 'GET' && hasParameters(each))) {
      const { status } = await call(app.client, operation, ids);
      expect([operation.name, status]).toEqual([operation.name, 200]);
    }
  });
});

describe('a request that nobody vouches for', () => {
  const wrongKeys = [null, '', 'x', 'pl_', `pl_${'a'.repeat(46)}`, `pl_${'a'.repeat(5000)}`, 'pl_ü\u00ff', '§'];

  it('gets one and the same 401 on every closed route, with no key, a malformed or an unknown one', async () => {
    for (const operation of operations.filter((each) => !isPublic(each))) {
      for (const key of wrongKeys) {
        const client = app.clientWith(null);
        const { status, body } = await call(key === null ? client : client.with({ 'x-api-key': key }), operation, ids);
        expect([operation.name, key, status]).toEqual([operation.name, key, 401]);
        // Some route families give no code.
        const { error = 'api_key_invalid' } = body as { error?: string };
        expect(['api_key_invalid', 'operator_required']).toContain(error);
      }
    }
  });

  it('gets 401 on the routes of the operator with a workspace key and with a wrong admin token', async () => {
    const pretenders = [app.client, app.clientWith(null).with({ authorization: 'Bearer wrong' })];
    const closed = operations.filter(forOperatorsOnly);
    expect(closed).toHaveLength(3);
    for (const operation of closed) {
      for (const client of pretenders) {
        expect([operation.name, (await call(client, operation, ids)).status]).toEqual([operation.name, 401]);
      }
    }
  });

  it('cannot use the admin token on the routes of a workspace', async () => {
    const operator = app.operator();
    for (const operation of operations.filter(
      ({ path }) => !path.startsWith('/api/admin/') && !path.startsWith('/health/'),
    )) {
      expect([operation.name, (await call(operator, operation, ids)).status]).toEqual([operation.name, 401]);
    }
  });
});
