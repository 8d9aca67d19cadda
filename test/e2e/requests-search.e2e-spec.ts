import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { llmSpan, logCall, send } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { idsOf, type LogItem, REQUESTS, search, searchAfter } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = `${REQUESTS}/search`;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const having = (...filters: object[]) => ({ filter_group: { filters } });

describe('an item', () => {
  it('says what a list shows of a call', async () => {
    const me = await app.stranger();
    await publishPrompt(me, 'greeting');
    const more = {
      'promptlayer.tags': '["b", "a"]',
      'promptlayer.metadata.team': 'support',
      'promptlayer.prompt.name': 'greeting',
    };
    const id = await logCall(me, { model: 'gpt-4o', inputTokens: 1000, outputTokens: 100, more });
    await app.sql(
      `INSERT INTO request_scores (workspace_id, log_id, name, score)
       SELECT workspace_id, id, name, score FROM request_logs, (VALUES ('tone', 7), ('default', 90)) AS s(name, score)
        WHERE id = $1`,
      [id],
    );
    const [item] = (await search(me, { include_prompt_name: true })).items;
    expect(item).toEqual({
      id,
      engine: 'gpt-4o',
      provider_type: 'openai',
      input_tokens: 1000,
      output_tokens: 100,
      price: expect.any(Number),
      priced: true,
      request_start_time: expect.stringMatching(/^\d{4}-.*Z$/),
      request_end_time: expect.stringMatching(/^\d{4}-.*Z$/),
      latency: 1,
      tags_array: ['b', 'a'],
      metadata: expect.arrayContaining([{ team: 'support' }]),
      scores: [
        { name: 'default', score: 90 },
        { name: 'tone', score: 7 },
      ],
      prompt_name: 'greeting',
      status: 'SUCCESS',
      error_type: null,
      prompt_id: expect.any(Number),
      prompt_version_number: 1,
      trace_id: expect.any(String),
      span_id: expect.any(String),
      group_id: null,
      origin: 'application',
      environment: null,
    });
    expect(item!.price).toBeGreaterThan(0);
    expect((await search(me)).items[0]).not.toHaveProperty('prompt_name');
  });

  it('without a known price and tokens is 0 and says so, and has no name of a prompt', async () => {
    const me = await app.stranger();
    const id = await logCall(me, { model: 'nobody-knows', provider: 'nobody' });
    await app.sql('UPDATE request_logs SET input_tokens = NULL, output_tokens = NULL, price = NULL WHERE id = $1', [
      id,
    ]);
    const [item] = (await search(me, { include_prompt_name: true })).items;
    expect(item).toMatchObject({ input_tokens: 0, output_tokens: 0, price: 0, priced: false, prompt_name: null });
  });
});

describe('pages by number', () => {
  let me: Client;
  let ids: number[];
  beforeAll(async () => {
    me = await app.stranger();
    const spans = Array.from({ length: 23 }, (_, index) =>
      llmSpan({ model: index % 2 ? 'odd' : 'even' }, { startTimeUnixNano: `17800000000000${index + 10}000` }),
    );
    await send(me, spans);
    ids = idsOf(await search(me, { per_page: 25 }));
    expect(ids).toHaveLength(23);
  });

  it('are the newest ten logs by default', async () => {
    const { items, ...page } = await search(me);
    expect(items.map(({ id }) => id)).toEqual(ids.slice(0, 10));
    expect(page).toEqual({
      success: true,
      page: 1,
      pages: 3,
      per_page: 10,
      total: 23,
      total_is_exact: true,
      has_next: true,
      has_prev: false,
      next_num: 2,
      prev_num: null,
    });
    const times = items.map((item) => item.request_start_time);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('end with a page that has no next one', async () => {
    const page = await search(me, { page: 3, per_page: 10 });
    expect(idsOf(page)).toEqual(ids.slice(20));
    expect(page).toMatchObject({ total: 23, pages: 3, has_next: false, next_num: null, has_prev: true, prev_num: 2 });
    const full = await search(me, { ...having(leaf('engine', 'is', 'odd')), per_page: 11 });
    expect(full).toMatchObject({ total: 11, pages: 1, has_next: false });
  });

  it.each([4, 1_000_000_000])('are empty beyond the end, with the same totals (page %i)', async (page) => {
    for (const sort_by of ['request_start_time', 'cost']) {
      const beyond = await search(me, { page, sort_by, sort_order: 'asc' });
      const place = { items: [], page, pages: 3, total: 23, total_is_exact: true, has_next: false, next_num: null };
      expect(beyond).toMatchObject({ ...place, prev_num: page - 1 });
    }
  });

  it('are empty without matches', async () => {
    const nothing = { items: [], pages: 0, total: 0, total_is_exact: true, has_next: false, has_prev: false };
    expect(await search(me, having(leaf('engine', 'is', 'nobody')))).toMatchObject(nothing);
    expect(await search(await app.stranger())).toMatchObject(nothing);
  });

  it('take null for every field that is left out', async () => {
    const fields = ['filter_group', 'filters', 'q', 'sort_by', 'sort_order', 'page', 'per_page', 'cursor', 'limit'];
    const nothing = Object.fromEntries(
      [...fields, 'include_prompt_name', 'metadata_cost_breakdown_key'].map((field) => [field, null]),
    );
    expect(idsOf(await search(me, nothing))).toEqual(ids.slice(0, 10));
    expect(idsOf(await search(me, { filter_group: { filters: [] }, filters: [], q: '  ' }))).toEqual(ids.slice(0, 10));
  });

  it('hold what both the group and the further filters let through', async () => {
    const odd = { ...having(leaf('engine', 'is', 'odd')), per_page: 25 };
    const all = idsOf(await search(me, odd));
    expect(all).toHaveLength(11);
    const both = await search(me, { ...odd, filters: [leaf('pl_id', 'in', ids.slice(0, 6).map(String))] });
    expect(idsOf(both)).toEqual(all.filter((id) => ids.slice(0, 6).includes(id)));
    const either = [leaf('engine', 'is', 'odd'), leaf('pl_id', 'is', ids[0])];
    expect((await search(me, { filter_group: { logic: 'OR', filters: either } })).total).toBeGreaterThanOrEqual(11);
  });

  it('can be asked for with fifty thousand ids', async () => {
    const many = Array.from({ length: 50_000 }, (_, index) => index + 900_000_000);
    const page = await search(me, having(leaf('pl_id', 'in', [...many, ...ids.slice(0, 5)])));
    expect(idsOf(page)).toEqual(ids.slice(0, 5));
  });

  it('are found by a long integer to the last digit, written as a number or as a text', async () => {
    const me = await app.stranger();
    const id = await logCall(me);
    const json = me.with({ 'content-type': 'application/json' });
    const metadata = `{"order":1234567890123456789,"context":${JSON.stringify('{"id":1234567890123456789}')}}`;
    await json.post('/rest/track-metadata', `{"request_id":${id},"metadata":${metadata}}`);
    const found = async (value: string) => {
      const leaves = ['order', 'context.id'].map(
        (key) => `{"field":"metadata","operator":"key_equals","nested_key":"${key}","value":${value}}`,
      );
      const group = `{"filters":[${leaves.join(',')}]}`;
      const page = (await json.post(SEARCH, `{"filter_group":${group}}`)) as { items: LogItem[] };
      const listed = (await me.get(`/requests?metadata={"order":${value}}`)) as { items: LogItem[] };
      expect(idsOf(listed)).toEqual(idsOf(page));
      const query = new URLSearchParams({ field: 'engine', filter_group: group });
      const { values } = (await me.get(`${REQUESTS}/suggestions?${query.toString()}`)) as { values: string[] };
      return [idsOf(page), values.length];
    };
    expect(await found('1234567890123456789')).toEqual([[id], 1]);
    expect(await found('"1234567890123456789"')).toEqual([[id], 1]);
    expect(await found('1234567890123456788')).toEqual([[], 0]);
  });

  it('are found by words of the input and the output', async () => {
    const talker = await app.stranger();
    const id = await logCall(talker, { input: 'Where is Paris?', output: 'In France.' });
    await logCall(talker, { input: 'Where is Rome?', output: 'In Italy.' });
    expect(idsOf(await search(talker, { q: 'fran PARIS' }))).toEqual([id]);
    expect(await search(talker, { q: 'where' })).toMatchObject({ total: 2 });
    expect(await search(talker, { q: 'where', ...having(leaf('pl_id', 'is', id)) })).toMatchObject({ total: 1 });
    expect(idsOf(await searchAfter(talker, { q: 'where italy', limit: 5 }))).not.toContain(id);
  });

  it('show nothing of another workspace, whatever is asked', async () => {
    const stranger = await app.stranger();
    expect(await search(stranger, having(leaf('pl_id', 'in', ids)))).toMatchObject({ items: [], total: 0 });
    const either = { logic: 'OR', filters: [leaf('engine', 'is', 'odd'), leaf('engine', 'is_not', 'odd')] };
    expect(await search(stranger, { filter_group: either })).toMatchObject({ items: [], total: 0 });
  });
});

describe('a search that means nothing', () => {
  const deep = (depth: number): object => (depth === 0 ? { filters: [] } : { filters: [deep(depth - 1)] });
  const refused: [number, object][] = [
    [422, { per_page: 26 }],
    [422, { per_page: 0 }],
    [422, { per_page: '10' }],
    [422, { page: 0 }],
    [422, { page: -1 }],
    [422, { page: 1.5 }],
    [422, { page: 1e300 }],
    [422, { page: 'one' }],
    [422, { limit: 0 }],
    [422, { limit: 101 }],
    [422, { include_prompt_name: 'True' }],
    [422, { include_prompt_name: 1 }],
    [422, { q: 7 }],
    [422, { q: 'x'.repeat(1001) }],
    [422, { filters: {} }],
    [422, { filters: ['x'] }],
    [422, { filters: [{}] }],
    [422, { filter_group: [] }],
    [422, { filter_group: {} }],
    [422, { filter_group: { filters: null } }],
    [422, { filter_group: { filters: [leaf('nobody', 'is', 1)] } }],
    [422, { filter_group: { filters: [leaf('engine', 'like', 1)] } }],
    [422, { filter_group: { logic: 'XOR', filters: [] } }],
    [422, { filter_group: { filters: [leaf('metadata', 'key_equals', 'x')] } }],
    [422, { filter_group: deep(11) }],
    [422, { filter_group: { filters: Array(101).fill(leaf('engine', 'is', 'x')) } }],
    [400, having(leaf('engine', 'gt', 1))],
    [400, having(leaf('cost', 'contains', 'x'))],
    [400, having(leaf('cost', 'gt', 'True'))],
    [400, having(leaf('request_start_time', 'between', ['2026-01-01']))],
    [400, having(leaf('request_start_time', 'is', '2026-02-30'))],
    [400, having(leaf('pl_id', 'is', '1; DROP TABLE request_logs'))],
    [400, having(leaf('pl_id', 'in', 1))],
    [400, having(leaf('engine', 'is', { a: 1 }))],
    [400, having(leaf('tags', 'gt', 1))],
  ];

  it('is refused', async () => {
    await every(refused, async ([status, body]) => {
      const answer = await app.client.request('POST', SEARCH, body);
      expect([JSON.stringify(body).slice(0, 200), answer.status]).toEqual([JSON.stringify(body).slice(0, 200), status]);
    });
  });

  it('finds nothing when its values cannot occur', async () => {
    const values = ['\0', '\ud800', 'x'.repeat(100_000), '%_\\', "'"];
    for (const value of values) {
      const filters = [
        leaf('engine', 'is', value),
        { ...leaf('metadata', 'key_equals', value), nested_key: value || 'k' },
      ];
      expect(await search(app.client, having(...filters))).toMatchObject({ items: [], total: 0 });
      await app.client.request('POST', SEARCH, { q: value.slice(0, 1000) });
    }
    expect(await search(app.client, having(leaf('pl_id', 'is', '9223372036854775807')))).toMatchObject({ total: 0 });
  });
});

describe('the rate limit', () => {
  let limited: TestApp;
  beforeAll(async () => {
    limited = await TestApp.start({ works: false, env: { SEARCHES_PER_MINUTE: '10', SUGGESTIONS_PER_MINUTE: '3' } });
  });
  afterAll(() => limited.stop());

  const statuses = async (count: number, call: () => Promise<{ status: number }>) => {
    const found: number[] = [];
    for (let index = 0; index < count; index++) found.push((await call()).status);
    return found;
  };

  it('refuses the eleventh search of a key in a minute, refused ones counted', async () => {
    const me = limited.client;
    expect(await statuses(4, () => me.request('POST', SEARCH, {}))).toEqual(Array(4).fill(200));
    expect(await statuses(6, () => me.request('POST', SEARCH, { page: 0 }))).toEqual(Array(6).fill(422));
    const eleventh = await me.request('POST', SEARCH, {});
    expect(eleventh).toMatchObject({ status: 429, body: { success: false, error: 'rate_limited' } });
    expect(eleventh.body).toMatchObject({
      message: expect.stringContaining('This key may make 10 searches a minute (SEARCHES_PER_MINUTE)'),
    });
    expect(Number(eleventh.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('counts every endpoint and every key for itself, and nobody without a key', async () => {
    const suggest = () => limited.client.request('GET', `${REQUESTS}/suggestions?field=tags`);
    expect(await statuses(4, suggest)).toEqual([200, 200, 200, 429]);
    expect((await limited.client.request('GET', REQUESTS)).status).toBe(200);
    const other = await limited.stranger();
    expect((await other.request('POST', SEARCH, {})).status).toBe(200);
    const nobody = limited.clientWith(null);
    expect(await statuses(12, () => nobody.request('POST', SEARCH, {}))).toEqual(Array(12).fill(401));
    const unknown = limited.clientWith(`pl_${'a'.repeat(46)}`);
    expect(await statuses(12, () => unknown.request('POST', SEARCH, {}))).toEqual(Array(12).fill(401));
  });
});

describe('a search while logs are written', () => {
  it('gives a consistent page and total', async () => {
    const me = await app.stranger();
    const writing = Promise.all(Array.from({ length: 20 }, () => send(me, [llmSpan(), llmSpan()])));
    const pages = await Promise.all(Array.from({ length: 10 }, () => search(me, { per_page: 5 })));
    await writing;
    for (const page of pages) {
      const ids = page.items.map(({ id }: LogItem) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(page.has_next).toBe(page.total > 5);
    }
    expect(await search(me)).toMatchObject({ total: 40 });
  });
});
