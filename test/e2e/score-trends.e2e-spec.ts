import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const SCORES = '/api/public/v2/requests/scores';
const HOUR_MS = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

interface Sums {
  count: number;
  mean: number;
}
interface Trend {
  since: string;
  bucket_seconds: number;
  buckets: (Sums & { start_time: string })[];
  groups: (Sums & { value: string; label: string })[];
}

const message = (role: string, content: string) => ({
  type: 'chat',
  messages: [{ role, content: [{ type: 'text', text: content }] }],
});

/** Logs a call of so many hours ago. */
async function log(hours: number, more: object): Promise<number> {
  const at = new Date(Date.now() - hours * HOUR_MS).toISOString();
  const call = {
    provider: 'openai',
    model: 'gpt-4o',
    input: message('user', 'Where is my parcel?'),
    output: message('assistant', 'On its way.'),
    request_start_time: at,
    request_end_time: at,
  };
  return ((await app.client.post('/log-request', { ...call, ...more }, 201)) as { id: number }).id;
}

/** Logs a call and scores it. */
async function scored(hours: number, scores: Record<string, number>, more: object = {}): Promise<number> {
  const id = await log(hours, more);
  for (const [name, score] of Object.entries(scores))
    await app.client.post('/rest/track-score', { request_id: id, name, score });
  return id;
}

const trendOf = (query: object, client = app.client) =>
  client.get(`${SCORES}/trend?${new URLSearchParams(query as Record<string, string>)}`) as Promise<Trend>;
const meansOf = ({ groups }: Trend) =>
  Object.fromEntries(groups.map(({ label, count, mean }) => [label, [count, mean]]));

describe('scores of request logs over time', () => {
  beforeAll(async () => {
    await publishPrompt(app.client, 'greeting');
    const named = { prompt_name: 'greeting', prompt_version_number: 1 };
    await scored(0, { good: 100, fast: 10 }, { model: 'a', tags: ['x', 'y'], ...named });
    await scored(0, { good: 50 }, { model: 'a', tags: ['x'], metadata: { environment: 'production' } });
    await scored(30, { good: 0 }, { model: 'b' });
    await scored(24 * 20, { good: 30 }, { model: 'b' });
    await log(0, { model: 'c' });
  });

  it('lists the names of scores', async () => {
    expect(await app.client.get(SCORES)).toEqual({ success: true, names: ['fast', 'good'] });
    expect(await (await app.stranger()).get(SCORES)).toEqual({ success: true, names: [] });
  });

  it('averages a score by time and by group', async () => {
    const trend = await trendOf({ name: 'good' });
    expect(trend.buckets.map(({ count, mean }) => [count, mean])).toEqual([
      [1, 0],
      [2, 75],
    ]);
    expect(meansOf(trend)).toEqual({ a: [2, 75], b: [1, 0] });
    const inBucket = (at: string) => (Date.parse(at) - Date.parse(trend.since)) / 1000 / trend.bucket_seconds;
    for (const { start_time: at } of trend.buckets) expect(inBucket(at) % 1).toBe(0);
    expect(meansOf(await trendOf({ name: 'good', by: 'tag' }))).toEqual({ x: [2, 75], y: [1, 100] });
    expect(meansOf(await trendOf({ name: 'good', by: 'prompt' }))).toEqual({ greeting: [1, 100] });
    expect(meansOf(await trendOf({ name: 'good', by: 'prompt_version' }))).toEqual({ 'greeting v1': [1, 100] });
    expect(meansOf(await trendOf({ name: 'good', days: 90 }))).toEqual({ a: [2, 75], b: [2, 15] });
    expect(meansOf(await trendOf({ name: 'good', limit: 1 }))).toEqual({ a: [2, 75] });
  });

  it('counts a score once in a group that its call names twice', async () => {
    await scored(0, { twice: 40 }, { metadata: { user_id: '["eve","eve"]' } });
    const counts = Object.values(meansOf(await trendOf({ name: 'twice', by: 'user' })));
    expect(counts).toEqual([
      [1, 40],
      [1, 40],
    ]);
  });

  it('shows one group, environment or origin', async () => {
    const one = await trendOf({ name: 'good', value: 'b' });
    expect(one.buckets.map(({ count }) => count)).toEqual([1]);
    expect(Object.keys(meansOf(one))).toEqual(['a', 'b']);
    expect(meansOf(await trendOf({ name: 'good', environment: 'production' }))).toEqual({ a: [1, 50] });
    expect((await trendOf({ name: 'good', origin: 'server' })).buckets).toEqual([]);
    expect(meansOf(await trendOf({ name: 'good', origin: 'application' }))).toEqual({ a: [2, 75], b: [1, 0] });
  });

  it('keeps workspaces apart and refuses what makes no sense', async () => {
    expect((await trendOf({ name: 'good' }, await app.stranger())).groups).toEqual([]);
    expect((await trendOf({ name: 'no such score' })).buckets).toEqual([]);
    expect((await trendOf({ name: 'good', value: 'no such model', by: 'model' })).buckets).toEqual([]);
    for (const query of ['', '?name=', '?name=a&days=0', '?name=a&days=x', '?name=a&by=colour', '?name=a&more=1'])
      await app.client.get(`${SCORES}/trend${query}`, 422);
    for (const name of ['a%00b', '%ED%A0%80', 'x'.repeat(256)]) {
      const { status } = await app.client.request('GET', `${SCORES}/trend?name=${name}`);
      expect([200, 400, 422]).toContain(status);
    }
  });
});
