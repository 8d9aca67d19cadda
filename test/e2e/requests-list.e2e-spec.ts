import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { llmSpan, logCall, send } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { idsOf, type LogPage, type LogSlice, REQUESTS, search } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
/** Ids of logs by their name. */
let logs: Record<'ada' | 'bob' | 'failed' | 'prompted', number>;
let promptId: number;

beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = await app.stranger();
  promptId = (await publishPrompt(me, 'greeting')).id;
  const at = (day: string) => `${BigInt(Date.parse(`${day}T12:00:00Z`)) * 1_000_000n}`;
  const call = (day: string, more: Record<string, string>, fields: object = {}) =>
    logCall(me, { more }, { startTimeUnixNano: at(day), endTimeUnixNano: at(day), ...fields });
  const meta = (key: string, value: string) => ({ [`promptlayer.metadata.${key}`]: value });
  logs = {
    ada: await call('2026-03-01', { 'user.id': 'ada', 'promptlayer.tags': '["a", "b, c"]', ...meta('n', '1') }),
    bob: await call('2026-03-02', { 'user.id': 'bob', 'promptlayer.tags': '["a"]', ...meta('ok', 'true') }),
    failed: await call('2026-03-03', { 'user.id': 'ada' }, { status: { code: 2, message: 'No' } }),
    prompted: await call('2026-03-04', { 'promptlayer.prompt.name': 'greeting', ...meta('n', '1') }),
  };
});
afterAll(() => app.stop());

const list = async (query: string, path = '/requests') => (await me.get(`${path}${query}`)) as LogPage;
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe('the list of request logs', () => {
  it('is the answer of a search without filters, on both paths, with the names of prompts', async () => {
    const found = await search(me, { include_prompt_name: true });
    expect(await list('')).toEqual(found);
    expect(await list('', REQUESTS)).toEqual(found);
    expect(found.items.map(({ prompt_name }) => prompt_name)).toEqual(['greeting', null, null, null]);
  });

  const cases: [string, (keyof typeof logs)[]][] = [
    ['?user_id=ada', ['failed', 'ada']],
    ['?user_id=Ada', []],
    ['?user_id=ada&status=ERROR', ['failed']],
    ['?status=SUCCESS', ['prompted', 'bob', 'ada']],
    ['?tags=a', ['bob', 'ada']],
    ['?tags=a&tags=nobody', []],
    ['?tags=a,nobody', []],
    ['?tags=b, c', ['ada']],
    ['?tags=a,b, c', []],
    ['?tags=a&tags=b, c', ['ada']],
    ['?tags=a,a', ['bob', 'ada']],
    ['?tags=a,', ['bob', 'ada']],
    ['?tags=,', []],
    ['?tags=', ['prompted', 'failed', 'bob', 'ada']],
    [`?metadata=${json({ n: 1 })}`, ['prompted', 'ada']],
    [`?metadata=${json({ n: '1', user_id: 'ada' })}`, ['ada']],
    [`?metadata=${json({ ok: true })}`, ['bob']],
    [`?metadata=${json({ ok: false })}`, []],
    [`?metadata=${json({})}`, ['prompted', 'failed', 'bob', 'ada']],
    ['?start_time=2026-03-03', ['prompted', 'failed']],
    ['?end_time=2026-03-02', ['bob', 'ada']],
    ['?end_time=2026-03-02T12:00:00Z', ['bob', 'ada']],
    ['?end_time=2026-03-02T11:59:59Z', ['ada']],
    ['?start_time=2026-03-02&end_time=2026-03-03', ['failed', 'bob']],
    ['?start_time=2026-03-03&end_time=2026-03-02', []],
    ['?prompt_id=greeting', ['prompted']],
    ['?prompt_id=nobody', []],
    ['?sort_by=request_start_time&sort_order=asc', ['ada', 'bob', 'failed', 'prompted']],
    ['?per_page=3&page=2', ['ada']],
    ['?per_page=3&page=9', []],
  ];

  it.each(cases)('%s gives %j', async (query, names) => {
    expect(idsOf(await list(query))).toEqual(names.map((name) => logs[name]));
  });

  it('finds small numbers, whatever way they were kept', async () => {
    const client = await app.stranger();
    const id = await logCall(client, { more: { 'promptlayer.metadata.rate': '5e-7' } });
    await logCall(client, { more: { 'promptlayer.metadata.rate': '5' } });
    const found = (await client.get(`/requests?metadata=${json({ rate: 5e-7 })}`)) as LogPage;
    expect(idsOf(found)).toEqual([id]);
  });

  it('finds the calls of a prompt by its id', async () => {
    expect(idsOf(await list(`?prompt_id=${promptId}`))).toEqual([logs.prompted]);
    expect(idsOf(await list(`?prompt_id=${promptId + 1}`))).toEqual([]);
  });

  it('also pages by cursor', async () => {
    const first = (await me.get('/requests?limit=3')) as LogSlice;
    expect(first).toMatchObject({ limit: 3, has_more: true });
    const next = (await me.get(`/requests?limit=3&cursor=${first.next_cursor}`)) as LogSlice;
    expect([...idsOf(first), ...idsOf(next)]).toEqual([logs.prompted, logs.failed, logs.bob, logs.ada]);
    expect(next.next_cursor).toBeNull();
    expect(await me.get(`/requests?cursor=${first.next_cursor}&status=ERROR`, 400)).toMatchObject({
      error: 'cursor_invalid',
    });
  });

  it('shows nothing of another workspace', async () => {
    const stranger = await app.stranger();
    expect(await stranger.get('/requests?user_id=ada')).toMatchObject({ items: [], total: 0 });
    await app.clientWith(null).get('/requests', 401);
    await app.clientWith(null).get(REQUESTS, 401);
  });

  it('refuses what means nothing', async () => {
    const refused = [
      'per_page=26',
      'per_page=0',
      'page=0',
      'page=x',
      'page=99999999999999999999',
      'sort_by=cost',
      'sort_order=asc',
      'sort_by=id&sort_order=asc',
      'status=success',
      'metadata=x',
      'metadata=[]',
      'metadata=null',
      `metadata=${json({ a: null })}`,
      `metadata=${json({ a: { b: 1 } })}`,
      `metadata=${json({ '': 1 })}`,
      `metadata=${json(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, index])))}`,
      `tags=${Array(21).fill('a').join(',')}`,
      'start_time=yesterday',
      'start_time=2026-02-30',
      'end_time=2026-13-01',
      'end_time=10000-01-01',
      'limit=101',
      'limit=5&page=1',
      'user_id=a&user_id=b',
      'user=anna',
    ];
    await every(refused, async (query) => {
      const { status, body } = await me.request('GET', `/requests?${query}`);
      expect([query, status]).toEqual([query, 422]);
      expect((body as { detail: { loc: string[] }[] }).detail[0]!.loc[0]).toBe('query');
    });
  });

  it('finds nothing for values that cannot occur', async () => {
    const odd = ['%00', '%ED%A0%80', 'x'.repeat(3000), "'%3B--", '%F0%9F%99%82', '__proto__'];
    await every(odd, async (value) => {
      for (const name of ['user_id', 'tags', 'prompt_id']) {
        const { status } = await me.request('GET', `/requests?${name}=${value}`);
        expect([name, value, [200, 400].includes(status)]).toEqual([name, value, true]);
      }
    });
    expect((await list(`?metadata=${json({ __proto__x: 1, ['__proto__']: 'x', '\0': '\ud800' })}`)).items).toEqual([]);
  });

  it('shows a log as soon as its ingestion was answered', async () => {
    const user = await app.stranger();
    await send(user, [llmSpan()]);
    expect(((await user.get('/requests')) as LogPage).total).toBe(1);
  });
});
