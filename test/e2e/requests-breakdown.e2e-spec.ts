import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishPrompt } from '../support/prompts.js';
import { untilAddedUp } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';

const BREAKDOWN = '/api/public/v2/requests/breakdown';
const HOUR_MS = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

interface Group {
  value: string;
  label: string;
  request_count: number;
  error_count: number;
  total_cost_usd: number;
  latency_p50_ms: number | null;
}

const message = (role: string, content: string) => ({
  type: 'chat',
  messages: [{ role, content: [{ type: 'text', text: content }] }],
});

/** Logs a call of a second that began so many hours ago. */
async function log(hours: number, body: object = {}, client = app.client): Promise<void> {
  const start = Date.now() - hours * HOUR_MS;
  const call = {
    provider: 'openai',
    model: 'gpt-4o',
    input: message('user', 'Where is my parcel?'),
    output: message('assistant', 'On its way.'),
    request_start_time: new Date(start).toISOString(),
    request_end_time: new Date(start + 1000).toISOString(),
    price: 0.5,
  };
  await client.post('/log-request', { ...call, ...body }, 201);
}

async function groupsBy(query: string, client = app.client): Promise<Group[]> {
  return ((await client.get(`${BREAKDOWN}?by=${query}`)) as { data: Group[] }).data;
}

const countsOf = (groups: Group[]) =>
  Object.fromEntries(groups.map(({ label, request_count: count }) => [label, count]));

describe('a breakdown of request logs', () => {
  let promptId: number;
  beforeAll(async () => {
    promptId = (await publishPrompt(app.client, 'greeting')).id;
    const named = { prompt_name: 'greeting', prompt_version_number: 1 };
    await log(50, { ...named, metadata: { user_id: 'ada', environment: 'production' }, tags: ['a', 'b'] });
    await log(3, { ...named, metadata: { user_id: 'ada' }, tags: ['a'], status: 'ERROR' });
    await log(3, { model: 'claude', provider: 'anthropic', metadata: { user_id: `long ${'x'.repeat(300)}` } });
    await log(0, { model: 'claude', provider: 'anthropic', metadata: { user_id: 'bob' } });
    await log(0, { model: 'claude', provider: 'anthropic', price: 0 });
  });

  const expected: [string, Record<string, number>][] = [
    ['model', { claude: 3, 'gpt-4o': 2 }],
    ['provider', { anthropic: 3, openai: 2 }],
    ['user', { ada: 2, bob: 1 }],
    ['tag', { a: 2, b: 1 }],
    ['prompt', { greeting: 2 }],
    ['prompt_version', { 'greeting v1': 2 }],
    ['environment', { production: 1 }],
    ['model&days=1', { claude: 3, 'gpt-4o': 1 }],
    ['model&limit=1', { claude: 3 }],
    ['model&origin=server', {}],
    ['model&origin=application&limit=100', { claude: 3, 'gpt-4o': 2 }],
  ];

  it.each(expected)('by %s', async (query, counts) => {
    expect(countsOf(await groupsBy(query))).toEqual(counts);
  });

  it('is the same once the hours are added up', async () => {
    const before = await Promise.all(expected.map(([query]) => groupsBy(query)));
    await untilAddedUp(app);
    expect(await Promise.all(expected.map(([query]) => groupsBy(query)))).toEqual(before);
  });

  it('adds up failures, costs and latencies, and gives ids of prompts', async () => {
    const [claude, gpt] = await groupsBy('model');
    expect(gpt).toMatchObject({ value: 'gpt-4o', error_count: 1, total_cost_usd: 1 });
    expect(claude!.total_cost_usd).toBe(1);
    expect(Math.abs(gpt!.latency_p50_ms! - 1000)).toBeLessThan(25);
    expect((await groupsBy('prompt'))[0]).toMatchObject({ value: String(promptId), label: 'greeting' });
  });

  it('counts a call once in a group that it names twice', async () => {
    const client = await app.stranger();
    await log(0, { metadata: { user_id: '["eve","bob","eve"]' } }, client);
    expect(await groupsBy('user', client)).toMatchObject([
      { value: '["eve","bob","eve"]', request_count: 1 },
      { value: 'bob', request_count: 1 },
      { value: 'eve', request_count: 1, total_cost_usd: 0.5 },
    ]);
  });

  it('says since when it counts', async () => {
    const { since } = (await app.client.get(`${BREAKDOWN}?by=model&days=1`)) as { since: string };
    const age = Date.now() - Date.parse(since);
    expect(Date.parse(since) % HOUR_MS).toBe(0);
    expect(age).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(age).toBeLessThan(25 * HOUR_MS);
  });

  it('has nothing of another workspace', async () => {
    expect(await groupsBy('model', await app.stranger())).toEqual([]);
  });

  it.each([
    '?by=',
    '?by=color',
    '?by=model&days=0',
    '?by=model&days=1e9',
    '?by=model&limit=101',
    '?by=model&origin=x',
    '?by=model&x=1',
  ])('refuses "%s"', async (query) => {
    expect((await app.client.request('GET', `${BREAKDOWN}${query}`)).status).toBe(422);
  });
});
