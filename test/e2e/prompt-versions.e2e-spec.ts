import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Counted, listLogs } from './histograms.oracle.js';
import { llmSpan, send, sendFrom, spanId, traceId } from '../support/otlp.js';
import { PROMPTS, publishPrompt } from '../support/prompts.js';
import { untilAddedUp } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { REQUESTS } from '../support/request-logs.js';

interface Version {
  version: number;
  release_labels: string[];
  commit_message: string | null;
  provider: string | null;
  model: string | null;
  calls: Calls;
}
interface Calls {
  count: number;
  failed: number;
  unpriced: number;
  cost: number;
  input_tokens: number;
  output_tokens: number;
  latency_p50_ms: number | null;
  latency_p95_ms: number | null;
  scores: { name: string; count: number; average: number }[] | null;
}
interface Versions {
  data: Version[];
  next_cursor: string | null;
  pagination: { prev_cursor: string | null };
}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const list = async (client: Client, prompt: string | number, query = '') =>
  (await client.get(`${PROMPTS}/${encodeURIComponent(prompt)}/versions${query}`)) as Versions;

interface CallOptions {
  hoursAgo?: number;
  ms?: number;
  fails?: boolean;
  model?: string;
}

/** A call of a version some hours ago. */
function callOf(name: string, version: number, options: CallOptions = {}): object {
  const { hoursAgo = 0, ms = 100, fails = false, model = 'gpt-4o' } = options;
  const start = BigInt(Date.now() - hoursAgo * 3_600_000) * 1_000_000n;
  const more = { 'promptlayer.prompt.name': name, 'promptlayer.prompt.version': String(version) };
  return llmSpan(
    { model, more },
    {
      traceId: traceId(),
      spanId: spanId(),
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(ms) * 1_000_000n),
      status: fails ? { code: 2, message: 'it broke' } : { code: 1 },
    },
  );
}

function sumOf(calls: Counted[]) {
  const sum = (of: (call: Counted) => number) => calls.reduce((total, call) => total + of(call), 0);
  return {
    count: calls.length,
    failed: sum(({ failed }) => Number(failed)),
    unpriced: sum(({ unpriced }) => Number(unpriced)),
    cost: expect.closeTo(
      sum(({ cost }) => cost),
      9,
    ) as number,
    input_tokens: sum(({ inputTokens }) => inputTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
  };
}

/** The figures of every version must match a search for its calls. */
async function expectExact(
  client: Client,
  prompt: { id: number; prompt_name: string },
  origin?: string,
): Promise<Version[]> {
  const { data } = await list(client, prompt.prompt_name, origin ? `?origin=${origin}` : '');
  const wanted = [
    { field: 'prompt_id', operator: 'is', value: String(prompt.id) },
    ...(origin ? [{ field: 'origin', operator: 'is', value: origin }] : []),
  ];
  const found = await listLogs(client, { filter_group: { logic: 'AND', filters: wanted } });
  const total = data.reduce((sum, { calls }) => sum + calls.count, 0);
  expect(total).toBe(found.length);
  for (const { version, calls } of data) {
    const own = await listLogs(client, {
      filter_group: {
        logic: 'AND',
        filters: [...wanted, { field: 'prompt_version_number', operator: 'eq', value: version }],
      },
    });
    expect({ version, ...calls }).toMatchObject({ version, ...sumOf(own) });
  }
  return data;
}

it('counts the calls of each version exactly, from hourly sums and later changes', async () => {
  const me = await app.stranger();
  const prompt = await publishPrompt(me, 'counted/one');
  await publishPrompt(me, 'counted/one', { labels: ['prod', 'beta'] });
  await publishPrompt(me, 'counted/one', { version: { commit_message: 'Shorter' }, model: null });
  const first = (options: CallOptions) => callOf('counted/one', 1, options);
  const second = (options: CallOptions) => callOf('counted/one', 2, options);
  await send(me, [
    first({ hoursAgo: 30, ms: 100 }),
    first({ hoursAgo: 30, ms: 200, fails: true }),
    second({ hoursAgo: 30, ms: 1000, model: 'nobody-knows' }),
    first({ hoursAgo: 3, ms: 300 }),
    second({ ms: 2000 }),
  ]);
  await sendFrom(me, { 'tracesheet.origin': 'sheet' }, [first({ hoursAgo: 30, ms: 250 }), second({ ms: 80 })]);
  for (const origin of [undefined, 'application', 'sheet', 'trial']) await expectExact(me, prompt, origin);
  await untilAddedUp(app);
  for (const origin of ['application', 'sheet', 'trial']) await expectExact(me, prompt, origin);
  const versions = await expectExact(me, prompt);
  expect(versions.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(versions[1]).toMatchObject({ release_labels: ['beta', 'prod'], provider: 'openai', model: 'gpt-4o-mini' });
  expect(versions[0]).toMatchObject({ release_labels: [], commit_message: 'Shorter', provider: null, model: null });
  expect(versions[0]!.calls).toMatchObject({ count: 0, cost: 0, latency_p50_ms: null, scores: [] });
  expect(Math.abs(versions[2]!.calls.latency_p50_ms! / 200 - 1)).toBeLessThan(0.021);
  // An hour that was added up changes again, and one is deleted.
  await send(me, [first({ hoursAgo: 30, ms: 400 })]);
  await expectExact(me, prompt);
  await untilAddedUp(app);
  await app.sql(
    `DELETE FROM request_logs WHERE prompt_id = $1 AND request_start_time < now() - interval '29 hours' AND status = 'ERROR'`,
    [prompt.id],
  );
  expect((await expectExact(me, prompt))[2]!.calls.failed).toBe(0);
});

it('lists the scores of each version by name', async () => {
  const me = await app.stranger();
  await publishPrompt(me, 'scored');
  await publishPrompt(me, 'scored');
  await send(me, [callOf('scored', 1), callOf('scored', 1), callOf('scored', 2)]);
  const { items } = (await me.post(`${REQUESTS}/search`, {})) as {
    items: { id: number; prompt_version_number: number }[];
  };
  const [one, other] = items.filter(({ prompt_version_number: number }) => number === 1);
  const score = (id: number, value: number, name?: string) =>
    me.post('/rest/track-score', { request_id: id, score: value, name });
  await score(one!.id, 40);
  await score(other!.id, 90);
  await score(other!.id, 10, 'tone');
  const { data } = await list(me, 'scored');
  expect(data.map(({ calls }) => calls.scores)).toEqual([
    [],
    [
      { name: 'default', count: 2, average: 65 },
      { name: 'tone', count: 1, average: 10 },
    ],
  ]);
});

it('pages in both orders and both directions', async () => {
  const me = await app.stranger();
  const { id } = await publishPrompt(me, 'many');
  for (let number = 2; number <= 5; number++) await publishPrompt(me, 'many');
  const numbers = ({ data }: Versions) => data.map(({ version }) => version);
  const first = await list(me, id, '?limit=2');
  expect(numbers(first)).toEqual([5, 4]);
  const second = await list(me, id, `?limit=2&cursor=${first.next_cursor}`);
  expect(numbers(second)).toEqual([3, 2]);
  const back = await list(me, id, `?limit=2&cursor=${second.pagination.prev_cursor}`);
  expect(numbers(back)).toEqual([5, 4]);
  expect(numbers(await list(me, 'many', '?order=asc'))).toEqual([1, 2, 3, 4, 5]);
  await me.get(`${PROMPTS}/many/versions?cursor=${first.next_cursor}`, 400);
});

it.each([
  ['an unknown prompt', '/nobody/versions', 404],
  ['no page size', '/mine/versions?limit=0', 422],
  ['too large a page', '/mine/versions?limit=101', 422],
  ['an unknown order', '/mine/versions?order=up', 422],
  ['a cursor that is none', '/mine/versions?cursor=nonsense', 400],
  ['a name that no prompt can have', '/%00/versions', 404],
])('rejects invalid queries: %s', async (_, path, status) => {
  const me = await app.stranger();
  await publishPrompt(me, 'mine');
  await me.get(`${PROMPTS}${path}`, status);
});

it('hides the prompts of other workspaces', async () => {
  const [me, other] = [await app.stranger(), await app.stranger()];
  const { id } = await publishPrompt(me, 'secret');
  await other.get(`${PROMPTS}/secret/versions`, 404);
  await other.get(`${PROMPTS}/${id}/versions`, 404);
});

it('adds the labels to the prompts of a list only when it is asked for them', async () => {
  const me = await app.stranger();
  await publishPrompt(me, 'labelled', { labels: ['prod', 'beta'] });
  await publishPrompt(me, 'plain');
  const listed = async (query: string) =>
    ((await me.get(`${PROMPTS}?sort_by=name&sort_order=asc${query}`)) as { items: Record<string, unknown>[] }).items;
  const labels = (await listed('&include_labels=true')).map(({ release_labels: found }) => found);
  expect(labels).toMatchObject([
    [
      { release_label: 'beta', prompt_version_number: 1 },
      { release_label: 'prod', prompt_version_number: 1 },
    ],
    [],
  ]);
  expect(await listed('')).toEqual([
    expect.not.objectContaining({ release_labels: expect.anything() as unknown }),
    expect.not.objectContaining({ release_labels: expect.anything() as unknown }),
  ]);
});
