import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { at, type JsonSpan, llmSpan, send, spanId, traceId } from '../support/otlp.js';
import { REQUESTS } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import {
  type Counted,
  differences,
  expectedBuckets,
  histogramOf,
  listLogs,
  listTraces,
  TRACES,
} from './histograms.oracle.js';

const HOUR_MS = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: { SWEEP_INTERVAL_MS: '100' } });
});
afterAll(() => app.stop());

/** Numbers that look random and are the same in every run (Park and Miller). */
function dice(seed: number) {
  let state = seed;
  const roll = (sides: number) => (state = (state * 48_271) % 2_147_483_647) % sides;
  return { roll, pick: <T>(items: readonly T[]): T => items[roll(items.length)]! };
}
type Dice = ReturnType<typeof dice>;

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'nobody-knows'];
const USERS = ['ann', 'bob', 'Zoë'];
const TAGS = ['beta', 'night'];
const HOURS = 30;

/** A call somewhere in the last hours; `known` is sent again, with the same ids. */
function randomCall({ roll, pick }: Dice, known?: JsonSpan): JsonSpan {
  const start = Date.now() - roll(HOURS * 3600) * 1000 - roll(1000);
  const length = [0, 1, 20, 900, 61_000][roll(5)]!;
  const model = pick(MODELS);
  const more = {
    'promptlayer.metadata.user_id': pick(USERS),
    'promptlayer.tags': JSON.stringify(TAGS.filter(() => roll(2) === 0)),
  };
  return llmSpan(
    { model, provider: model === 'gpt-4o' ? 'azure' : 'openai', inputTokens: roll(900), outputTokens: roll(90), more },
    {
      traceId: known?.traceId ?? traceId(),
      spanId: known?.spanId ?? spanId(),
      startTimeUnixNano: `${start}${String(roll(1_000_000)).padStart(6, '0')}`,
      endTimeUnixNano: `${start + 1 + length}000000`,
      status: roll(4) === 0 ? { code: 2, message: 'it broke' } : { code: 1 },
    },
  );
}

const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });

/** Filters that hourly sums answer, and some that they do not. */
const LOG_FILTERS = [
  [],
  [leaf('engine', 'is', 'gpt-4o')],
  [leaf('engine', 'in', ['gpt-4o', 'nobody-knows', 'never-called'])],
  [leaf('provider_type', 'is', 'openai')],
  [leaf('status', 'is', 'ERROR')],
  [leaf('user_id', 'is', 'Zoë')],
  [leaf('tags', 'contains', 'beta')],
  [leaf('tags', 'in', ['beta', 'night'])],
  [leaf('engine', 'is_not', 'gpt-4o')],
  [leaf('engine', 'is', 'gpt-4o'), leaf('status', 'is', 'ERROR')],
  [leaf('prompt_name', 'is', 'no such prompt')],
  [leaf('input_tokens', 'gt', 400)],
];
const TRACE_FILTERS = [
  [],
  [leaf('trace_models_used', 'contains', 'gpt-4o')],
  [leaf('span_model', 'is', 'nobody-knows')],
  [leaf('span_provider', 'is', 'azure')],
  [leaf('trace_status', 'is', 'ERROR')],
  [leaf('trace_status', 'in', ['StatusCode.OK', 'unset'])],
  [leaf('user_id', 'is', 'ann')],
  [leaf('trace_tags', 'contains', 'night')],
  [leaf('trace_tags', 'in', TAGS)],
  [leaf('trace_span_count', 'gt', 1)],
];

interface Kind {
  path: string;
  list: (client: Client, body: object) => Promise<Counted[]>;
  filters: object[][];
  time: string;
}
const LOGS: Kind = { path: REQUESTS, list: listLogs, filters: LOG_FILTERS, time: 'request_start_time' };
const ALL_TRACES: Kind = { path: TRACES, list: listTraces, filters: TRACE_FILTERS, time: 'trace_start' };

/** A range with ends anywhere, at whole hours, or open. */
function randomTime({ roll, pick }: Dice): { start_time?: string; end_time?: string } {
  const moment = (hoursAgo: number) => {
    const ms = Date.now() - hoursAgo * HOUR_MS;
    return new Date(pick([ms, Math.floor(ms / HOUR_MS) * HOUR_MS])).toISOString();
  };
  const [from, to] = [4 + roll(HOURS), roll(3)];
  return { ...(roll(3) > 0 && { start_time: moment(from) }), ...(roll(3) > 0 && { end_time: moment(to) }) };
}

async function check(client: Client, { path, list, filters, time }: Kind, random: Dice): Promise<void> {
  const { roll, pick } = random;
  const filter = pick(filters);
  const asked = randomTime(random);
  const found = await histogramOf(client, path, {
    filter_group: { logic: 'AND', filters: filter },
    ...asked,
    buckets: 1 + roll(100),
  });
  const range = asked.start_time && asked.end_time ? [leaf(time, 'between', [asked.start_time, asked.end_time])] : [];
  if (found.start_time === null) return;
  expect(found.partial).toBe(false);
  const counted = await list(client, { filter_group: { logic: 'AND', filters: [...filter, ...range] } });
  expect({ filter, asked, wrong: differences(found.buckets, expectedBuckets(counted, found)) }).toEqual({
    filter,
    asked,
    wrong: [],
  });
}

/** Waits until all hours that have ended are added up. */
async function addedUp(): Promise<void> {
  const open = `SELECT count(*)::int AS n FROM (SELECT hour FROM request_hour_changes UNION ALL SELECT hour FROM trace_hour_changes) AS changed
    WHERE hour < date_trunc('hour', now(), 'UTC')`;
  await until(async () => ((await app.sql(open)) as { n: number }[])[0]!.n === 0);
}

async function searched(): Promise<void> {
  const waiting = 'SELECT count(*)::int AS n FROM trace_search_queue';
  await until(async () => ((await app.sql(waiting)) as { n: number }[])[0]!.n === 0);
}

describe('histograms of request logs and traces', () => {
  it.each([1, 2, 3])('show what the searches list, whatever was written, changed and deleted (%i)', async (seed) => {
    const random = dice(seed * 1_000_003);
    const { roll, pick } = random;
    const me = await app.stranger();
    const other = await app.stranger();
    const sent: JsonSpan[] = [];
    for (let round = 0; round < 12; round++) {
      const added = Array.from({ length: 1 + roll(12) }, () => randomCall(random));
      const again = sent.length === 0 ? [] : [randomCall(random, pick(sent))];
      // A second call in a trace that is there.
      const inside = sent.length === 0 ? [] : [{ ...randomCall(random), traceId: pick(sent).traceId }];
      sent.push(...added);
      await send(me, [...added, ...again, ...inside]);
      await send(other, [randomCall(random)]);
      if (roll(3) === 0) await deleteSome(me, random);
      if (roll(3) === 0) await track(me, pick(USERS));
      if (roll(2) === 0) await addedUp();
      for (let question = 0; question < 3; question++) {
        await check(me, LOGS, random);
        await check(me, ALL_TRACES, random);
      }
    }
    await searched();
    await addedUp();
    for (const filter of LOG_FILTERS) await check(me, { ...LOGS, filters: [filter] }, random);
    for (const filter of TRACE_FILTERS) await check(me, { ...ALL_TRACES, filters: [filter] }, random);
  });

  /** As retention does. */
  async function deleteSome(client: Client, { roll }: Dice): Promise<void> {
    const { items } = (await client.post(`${REQUESTS}/search`, { per_page: 25 })) as { items: { id: number }[] };
    await app.sql('DELETE FROM request_logs WHERE id = ANY($1)', [items.slice(0, roll(5)).map(({ id }) => id)]);
  }

  async function track(client: Client, user: string): Promise<void> {
    const { items } = (await client.post(`${REQUESTS}/search`, { per_page: 25 })) as { items: { id: number }[] };
    const last = items.at(-1);
    if (last) await client.post('/rest/track-metadata', { request_id: last.id, metadata: { user_id: user } });
  }

  it('are read from the sums of hours that have not changed, and from the rows of those that have', async () => {
    const me = await app.stranger();
    const call = () => llmSpan({}, { traceId: traceId(), ...at(0) });
    await send(me, [call(), call()]);
    await addedUp();
    const total = async () => (await histogramOf(me, REQUESTS, { buckets: 1 })).buckets[0]!.count;
    expect(await total()).toBe(2);
    const day = { start_time: '2026-05-28', end_time: '2026-05-29' };
    const ofDay = async (path = REQUESTS, more = {}) =>
      (await histogramOf(me, path, { ...day, ...more })).buckets.reduce((sum, { count }) => sum + count, 0);
    // Only what is read from the sums can be wrong.
    const [{ id }] = (await app.sql(`SELECT max(workspace_id) AS id FROM request_logs`)) as [{ id: number }];
    await app.sql('UPDATE request_hours SET count = count + 100 WHERE workspace_id = $1', [id]);
    await app.sql('UPDATE trace_hours SET count = count + 100 WHERE workspace_id = $1', [id]);
    expect(await ofDay()).toBe(102);
    expect(await ofDay(TRACES)).toBe(102);
    expect(await ofDay(REQUESTS, { filters: [leaf('engine', 'is', 'gpt-4o-mini')] })).toBe(102);
    expect(await ofDay(REQUESTS, { filters: [leaf('input_tokens', 'gt', 0)] })).toBe(2);
    expect(await ofDay(REQUESTS, { q: 'hello' })).toBe(2);
    await send(me, [call()]);
    expect(await ofDay()).toBe(3);
    expect(await ofDay(TRACES)).toBe(3);
  });
});
