import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet, type TestSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { promptBody, PUBLISH } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const V2 = '/api/public/v2';
const SEARCH = `${V2}/requests/search`;
const TRACES = `${V2}/traces/search`;
const NOTHING = { field: 'engine', operator: 'is', value: 'no such model' };

let app: TestApp;
let me: Client;
let sheet: TestSheet;
let retention: string;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  await logCall(me);
  sheet = await newSheet(me, ['text']);
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  retention = `/api/admin/v1/workspaces/${workspaces[0]!.id}/retention`;
});
afterAll(() => app.stop());

const hint = (name: string) => expect.stringContaining(`Did you mean "${name}"?`);

describe('a body that selects data', () => {
  const chart = { id: 'a', chartType: 'bar', metric: 'count' };
  it.each<[string, object, string[], string]>([
    [SEARCH, { filterGroup: { filters: [NOTHING] } }, ['filterGroup'], 'filter_group'],
    [SEARCH, { query: 'x' }, ['query'], 'q'],
    [TRACES, { filters: [NOTHING] }, ['filters'], 'filter_group'],
    [TRACES, { filter: {}, sortOrder: 'asc' }, ['filter', 'sortOrder'], 'filter_group'],
    [`${V2}/requests/analytics`, { filter_groups: { filters: [] } }, ['filter_groups'], 'filter_group'],
    [
      `${V2}/requests/analytics/custom-analytics`,
      { customCharts: [chart], filter_grp: {} },
      ['filter_grp'],
      'filter_group',
    ],
    [`${V2}/exports`, { source: 'requests', format: 'csv', filtergroup: {} }, ['filtergroup'], 'filter_group'],
  ])('refuses keys it does not know and names the nearest: %s %j', async (path, body, keys, nearest) => {
    const { detail } = (await me.post(path, body, 422)) as { detail: { loc: unknown[]; msg: string; type: string }[] };
    expect(detail.map(({ loc, type }) => [loc, type])).toEqual(keys.map((key) => [['body', key], 'extra_forbidden']));
    expect(detail[0]!.msg).toEqual(hint(nearest));
  });

  it('refuses them in the limits of a workspace too, which delete data', async () => {
    const operator = app.operator();
    const limits = { traces_days: null, request_logs_days: null };
    for (const [method, path, body] of [
      ['PUT', retention, { ...limits, trace_days: 1 }],
      ['POST', `${retention}/dry-run`, { trace_days: 1 }],
    ] as const) {
      const answer = await operator.request(method, path, body);
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ msg: hint('traces_days') }] } });
    }
  });

  it('refuses them in what fills a sheet, with the status of these routes', async () => {
    const source = { type: 'request_logs', filters: [NOTHING] };
    expect(await me.post(`${V2}/tables/${sheet.tableId}/sheets`, { source }, 422)).toMatchObject({
      detail: [{ loc: ['body', 'source', 'filters'], msg: hint('filter_group') }],
    });
    expect(await me.post(`${sheet.path}/imports/request-logs`, { filters: [NOTHING] }, 400)).toMatchObject({
      message: expect.stringContaining('Did you mean "filter_group"?'),
    });
    const operation = { operation: 'recalculate', row_indices: [0] };
    expect(await me.post(`${sheet.path}/operations`, operation, 400)).toMatchObject({
      message: expect.stringContaining('row_indices'),
    });
  });

  it('refuses them in charts and their series, which would show something else', async () => {
    const series = [
      { key: 'x', label: 'X', metric: 'sum', metricField: 'cost' },
      { key: 'y', label: 'Y', metric: 'percentile', metricField: 'cost', percentil: 99 },
    ];
    for (const [chart, at, nearest] of [
      [{ id: 'a', chartType: 'bar', metric: 'count', groupBy: 'engine' }, ['groupBy'], 'groupByField'],
      [{ id: 'a', chartType: 'bar', series }, ['series', 1, 'percentil'], 'percentile'],
    ] as const) {
      const body = { customCharts: [chart] };
      const answer = await me.post(`${V2}/requests/analytics/custom-analytics`, body, 422);
      expect(answer).toMatchObject({ detail: [{ loc: ['body', 'customCharts', 0, ...at], msg: hint(nearest) }] });
    }
  });

  it('refuses them in charts of traces, which know no 422', async () => {
    const body = { customCharts: [chart], filters: [NOTHING] };
    expect(await me.post(`${V2}/traces/analytics/custom-analytics`, body, 400)).toMatchObject({
      message: 'body.filters: Extra inputs are not permitted. Did you mean "filter_group"?',
    });
  });

  it('still takes `filters` beside `filter_group` where it is known: clients send it', async () => {
    expect(await me.post(SEARCH, { filters: [NOTHING] })).toMatchObject({ items: [] });
  });
});

describe('the query of a list or search', () => {
  it.each<[string, string, string]>([
    ['/requests?user=anna', 'user', 'user_id'],
    [`${V2}/requests?Status=ERROR`, 'Status', 'status'],
    [`${V2}/requests/suggestions?field=engine&prefixes=a`, 'prefixes', 'prefix'],
    [`${TRACES}?filter={}`, 'filter', 'filter_group'],
    ['/prompt-templates?tag=a', 'tag', 'tags'],
    ['/workflows?names=a', 'names', 'name'],
    [`${V2}/tool-registry?sort=name`, 'sort', 'sort_by'],
    [`${V2}/datasets?names=a`, 'names', 'name'],
    [`${V2}/evaluations?states=active`, 'states', 'status'],
    [`${V2}/exports?cursors=a`, 'cursors', 'cursor'],
  ])('refuses keys it does not know: %s', async (path, key, nearest) => {
    const { detail } = (await me.get(path, 422)) as { detail: object[] };
    expect(detail).toEqual([{ loc: ['query', key], msg: hint(nearest), type: 'extra_forbidden' }]);
  });

  it.each([
    [`${V2}/tables?page=1&limits=5`, 'page, limits (did you mean limit?)'],
    [`SHEET/rows?limit=5&limited=5&caf%C3%A9%22=1`, 'limited (did you mean limit?), caf%C3%A9%22'],
    [`SHEET/rows?a1=&b2=&c3=&d4=&e5=&f6=`, 'a1, b2, c3, d4, e5, and others'],
  ])('tolerates them where clients send some, and says so in a header: %s', async (path, named) => {
    const { status, headers } = await me.request('GET', path.replace('SHEET', sheet.path));
    expect([status, headers.warning]).toEqual([200, `299 - "Unknown query keys are ignored: ${named}"`]);
  });

  it('says nothing of keys it knows, and of none', async () => {
    for (const path of [`${V2}/tables?limit=5`, `${V2}/tables`, `${sheet.path}/rows?limit=5&view=grid`])
      expect((await me.request('GET', path)).headers.warning).toBeUndefined();
  });

  it('refuses a limit beside a page', async () => {
    for (const path of [SEARCH, TRACES]) {
      expect(await me.post(path, { page: 1, limit: 5 }, 422)).toMatchObject({ detail: [{ loc: ['body', 'page'] }] });
    }
    expect(await me.get(`${TRACES}?page=1&limit=5`, 422)).toMatchObject({ detail: [{ loc: ['query', 'page'] }] });
  });
});

describe('a filter group', () => {
  it.each<[object, (string | number)[], string]>([
    [{ filters: [{ ...NOTHING, nestedKey: 'a' }] }, ['filters', 0, 'nestedKey'], 'nested_key'],
    [{ filters: [{ ...NOTHING, values: ['a'] }] }, ['filters', 0, 'values'], 'value'],
    [{ filters: [], logics: 'OR' }, ['logics'], 'logic'],
    [{ filters: [{ filters: [NOTHING], Logic: 'OR' }] }, ['filters', 0, 'Logic'], 'logic'],
  ])('refuses keys it does not know, at any depth: %j', async (group, at, nearest) => {
    for (const [path, name] of [
      [SEARCH, 'filter_group'],
      [`${V2}/requests/analytics`, 'filter_group'],
    ] as const) {
      expect(await me.post(path, { [name]: group }, 422)).toMatchObject({
        detail: [{ loc: ['body', name, ...at], msg: hint(nearest), type: 'extra_forbidden' }],
      });
    }
  });

  it('refuses them in filters of traces, also in a query string', async () => {
    const group = { filters: [{ field: 'trace_id', operator: 'is', value: 'x', negate: true }] };
    const at = ['filter_group', 'filters', 0, 'negate'];
    expect(await me.post(TRACES, { filter_group: group }, 422)).toMatchObject({ detail: [{ loc: ['body', ...at] }] });
    const query = new URLSearchParams({ filter_group: JSON.stringify(group) }).toString();
    expect(await me.get(`${TRACES}?${query}`, 422)).toMatchObject({ detail: [{ loc: ['query', ...at] }] });
  });

  it('refuses them in the list of further filters', async () => {
    const filters = [{ ...NOTHING, not: true }];
    expect(await me.post(SEARCH, { filters }, 422)).toMatchObject({ detail: [{ type: 'extra_forbidden' }] });
  });
});

it('tolerates unknown keys where nothing is selected: clients send extras', async () => {
  await me.post(`${V2}/tables`, { title: 'With extras', colour: 'red' }, 201);
  await me.patch(sheet.path, { title: 'Renamed', expected_row_count: 3, colour: 'red' });
});

describe('a body with very many faults', () => {
  const empty = Array.from({ length: 900_000 }, () => ({}));

  it.each([
    [PUBLISH, promptBody('faulty', { template: { type: 'completion', content: empty } }), 'content'],
    [PUBLISH, promptBody('faulty', { template: { type: 'chat', messages: empty } }), 'messages'],
    ['/library-publish-prompt-template', { prompt_name: 'faulty', prompt_template: { messages: empty } }, 'messages'],
    ['/spans-bulk', { spans: empty }, 'spans'],
  ])('is answered by %s with the first one', async (url, faulty, list) => {
    const { status, body } = await me.request('POST', url, faulty);
    expect(status).toBe(422);
    const { detail } = body as { detail: { loc: unknown[] }[] };
    expect(detail.every(({ loc }) => loc.includes(list) && loc.includes(0))).toBe(true);
  });

  it('names a few of its unknown keys', async () => {
    const keys = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`key${index}`, 0]));
    const body = { customCharts: [{ id: 'a', chartType: 'bar', metric: 'count', ...keys }] };
    const { detail } = (await me.post(`${V2}/requests/analytics/custom-analytics`, body, 422)) as { detail: unknown[] };
    expect(detail).toHaveLength(20);
  });

  it('is answered with the first hundred of them', async () => {
    const content = Array.from({ length: 1000 }, () => ({}));
    const { body } = await me.request(
      'POST',
      PUBLISH,
      promptBody('faulty', { template: { type: 'completion', content } }),
    );
    expect(body).toMatchObject({ detail: { length: 100 }, message: expect.stringContaining('99 more faults') });
  });
});
