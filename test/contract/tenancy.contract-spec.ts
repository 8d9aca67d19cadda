import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet } from '../support/factories.js';
import { type Ids, inhabit, readExamples } from '../support/examples.js';
import { documentOf, fillPath, isForProviders, isPublic, type Operation, operationsOf } from '../support/operations.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let operations: Operation[];
let stranger: Client;
/** Ids that exist in the first workspace, by path parameter. */
let ids: Ids;
/** Ids of the same form that exist nowhere. */
let unknown: Ids;
let bodies: Record<string, object>;
let queries: Record<string, string>;

beforeAll(async () => {
  app = await TestApp.own();
  operations = operationsOf(documentOf(app));
  stranger = await app.stranger();
  ids = await inhabit(app);
  const examples = await readExamples();
  unknown = Object.assign({}, ...examples.map((each) => each.unknown)) as Ids;
  bodies = Object.assign({}, ...examples.map((each) => each.bodies)) as Record<string, object>;
  queries = Object.assign({}, ...examples.map((each) => each.queries)) as Record<string, string>;
});
afterAll(() => app.stop());

function call(client: Client, operation: Operation, values: Ids) {
  const body = operation.requestBody && (bodies[operation.name] ?? {});
  const path = fillPath(operation.path, values) + (queries[operation.name] ?? '');
  return client.request(operation.method, path, body);
}

/** Cancelling an operation that is not active is no error, also if it belongs to another workspace. */
const cancels = (name: string) => name.startsWith('DELETE') && name.endsWith('/operations/{operation_id}');

/** Routes that create an entity when its external id is new. */
const upserts = (name: string) => name.startsWith('PUT') && name.includes('/by-external-id/');

const hasParameters = ({ path }: Operation) => path.includes('{');
const forOperatorsOnly = ({ name, path }: Operation) =>
  /^\/api\/admin\/v1\/(users|group-rules|identity-providers|scim-tokens|workspace-deletions|audit-entries)/.test(
    path,
  ) ||
  name.endsWith(' /api/admin/v1/workspaces') ||
  name === 'PATCH /api/admin/v1/workspaces/{workspace_id}' ||
  name === 'GET /api/admin/v1/workspaces/{workspace_id}/export' ||
  name === 'PUT /api/admin/v1/workspaces/{workspace_id}/storage';

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
      (each) => hasParameters(each) && !forOperatorsOnly(each) && !isForProviders(each) && !upserts(each.name),
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
    for (const operation of operations.filter(
      (each) => each.method === 'GET' && hasParameters(each) && !isForProviders(each) && !forOperatorsOnly(each),
    )) {
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
    expect(closed).toHaveLength(26);
    for (const operation of closed) {
      for (const client of pretenders) {
        expect([operation.name, (await call(client, operation, ids)).status]).toEqual([operation.name, 401]);
      }
    }
  });

  it('cannot use the admin token on the routes of a workspace', async () => {
    const operator = app.operator();
    for (const operation of operations.filter((each) => !each.path.startsWith('/api/admin/') && !isPublic(each))) {
      expect([operation.name, (await call(operator, operation, ids)).status]).toEqual([operation.name, 401]);
    }
  });
});
