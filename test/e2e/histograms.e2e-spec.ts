import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import type { Client } from '../support/client.js';
import { atDepth } from '../support/depth.js';
import { at, type JsonSpan, llmSpan, send, sendFrom, spanId, traceId } from '../support/otlp.js';
import { REQUESTS } from '../support/request-logs.js';
import { untilAddedUp, untilSearchable, sweeperOf } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
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
  app = await TestApp.own();
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

/** Applications and environments, and those that say nothing. */
function randomResource({ pick }: Dice): Record<string, string> {
  const origin = pick([null, null, 'sheet', 'evaluation', 'somebody']);
  const environment = pick([null, 'production', 'staging']);
  return {
    ...(origin && { 'tracesheet.origin': origin }),
    ...(environment && { 'deployment.environment.name': environment }),
  };
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
  [leaf('origin', 'is', 'application')],
  [leaf('origin', 'is_not', 'application')],
  [leaf('origin', 'in', ['sheet', 'trial'])],
  [leaf('origin', 'is', 'application'), leaf('engine', 'is', 'gpt-4o')],
  [leaf('origin', 'is', 'application'), leaf('environment', 'is', 'production')],
  [leaf('environment', 'in', ['production', 'staging'])],
  [leaf('origin', 'is', 'nobody')],
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
  [leaf('trace_origin', 'is', 'application')],
  [leaf('trace_origin', 'not_in', ['application', 'sheet'])],
  [leaf('trace_origin', 'is', 'application'), leaf('trace_status', 'is', 'ERROR')],
  [leaf('trace_origin', 'is_not', 'sheet'), leaf('trace_environment', 'is', 'staging')],
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

describe('histograms of request logs and traces', () => {
  it.each(atDepth([1], [1, 2, 3]))(
    'agree with the lists of the searches after writes, changes and deletions (%i)',
    async (seed) => {
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
        await sendFrom(me, randomResource(random), [...added, ...again, ...inside]);
        await sendFrom(other, randomResource(random), [randomCall(random)]);
        if (roll(3) === 0) await deleteSome(me, random);
        if (roll(3) === 0) await track(me, pick(USERS));
        // Half of the sums are made while the questions are answered.
        const sweeping = roll(2) === 0 ? untilAddedUp(app) : null;
        if (roll(2) === 0) await sweeping;
        for (let question = 0; question < 3; question++) {
          await check(me, LOGS, random);
          await check(me, ALL_TRACES, random);
        }
        await sweeping;
      }
      await untilSearchable(app);
      await untilAddedUp(app);
      for (const filter of LOG_FILTERS) await check(me, { ...LOGS, filters: [filter] }, random);
      for (const filter of TRACE_FILTERS) await check(me, { ...ALL_TRACES, filters: [filter] }, random);
    },
  );

  /** Deletes logs like retention does. */
  async function deleteSome(client: Client, { roll }: Dice): Promise<void> {
    const { items } = (await client.post(`${REQUESTS}/search`, { per_page: 25 })) as { items: { id: number }[] };
    await app.sql('DELETE FROM request_logs WHERE id = ANY($1)', [items.slice(0, roll(5)).map(({ id }) => id)]);
  }

  async function track(client: Client, user: string): Promise<void> {
    const { items } = (await client.post(`${REQUESTS}/search`, { per_page: 25 })) as { items: { id: number }[] };
    const last = items.at(-1);
    if (last) await client.post('/rest/track-metadata', { request_id: last.id, metadata: { user_id: user } });
  }

  it('miss nothing while many write the same hours and several workers add them up', async () => {
    const me = await app.stranger();
    const other = await createApp({ config: app.config, works: true });
    await other.init();
    const random = dice(99);
    const calls = Array.from({ length: 200 }, () => randomCall(random));
    const portions = Array.from({ length: 40 }, (_, index) => calls.slice(index * 5, index * 5 + 5));
    const write = async (portion: JsonSpan[]) => {
      await send(me, portion);
      await send(me, [...portion.slice(0, 2).map((call) => randomCall(random, call)), ...portion.slice(3)]);
    };
    const seen: number[] = [];
    let isWriting = true;
    const meanwhile = async (what: () => Promise<unknown>) => {
      while (isWriting) await what();
    };
    const writing = Promise.all(portions.map(write)).finally(() => (isWriting = false));
    const sweeping = [app, sweeperOf(other)].flatMap((worker) =>
      ['trace-hours', 'request-hours'].map((name) => meanwhile(() => worker.sweep(name))),
    );
    const reading = meanwhile(async () => {
      const { buckets } = await histogramOf(me, REQUESTS, { buckets: 1 });
      seen.push(...buckets.map(({ count }) => count));
    });
    await Promise.all([writing, reading, ...sweeping]);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    await untilSearchable(app);
    await untilAddedUp(app);
    for (const filters of LOG_FILTERS) await check(me, { ...LOGS, filters: [filters] }, random);
    for (const filters of TRACE_FILTERS) await check(me, { ...ALL_TRACES, filters: [filters] }, random);
    const everything = await histogramOf(me, REQUESTS, { buckets: 1 });
    expect(everything.buckets[0]!.count).toBe(calls.length);
    await other.close();
  });

  it('are read from the sums of hours that have not changed, and from the rows of those that have', async () => {
    const me = await app.stranger();
    const call = () => llmSpan({}, { traceId: traceId(), ...at(0) });
    await send(me, [call(), call()]);
    await untilSearchable(app);
    await untilAddedUp(app);
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
    expect(await ofDay(REQUESTS, { filters: [leaf('origin', 'is', 'application')] })).toBe(102);
    const both = [leaf('engine', 'is', 'gpt-4o-mini'), leaf('origin', 'is_not', 'sheet')];
    expect(await ofDay(REQUESTS, { filters: both })).toBe(102);
    expect(await ofDay(TRACES, { filter_group: { filters: [leaf('trace_origin', 'is', 'application')] } })).toBe(102);
    expect(await ofDay(REQUESTS, { filters: [leaf('origin', 'is', 'sheet')] })).toBe(0);
    expect(await ofDay(REQUESTS, { filters: [leaf('input_tokens', 'gt', 0)] })).toBe(2);
    expect(await ofDay(REQUESTS, { q: 'hello' })).toBe(2);
    await send(me, [call()]);
    expect(await ofDay()).toBe(3);
    expect(await ofDay(TRACES)).toBe(3);
  });

  it('are the same while everything that is there has still to be added up, as after an upgrade', async () => {
    const me = await app.stranger();
    const random = dice(7);
    await send(
      me,
      Array.from({ length: 20 }, () => randomCall(random)),
    );
    await untilSearchable(app);
    await untilAddedUp(app);
    const [{ id }] = (await app.sql('SELECT max(workspace_id) AS id FROM request_logs')) as [{ id: number }];
    for (const name of ['request', 'trace']) {
      await app.inTransaction(async (sql) => {
        await sql(`DELETE FROM ${name}_hours WHERE workspace_id = $1`, [id]);
        await sql(`DELETE FROM ${name}_hour_changes WHERE workspace_id = $1`, [id]);
        await sql(`INSERT INTO ${name}_hour_changes (workspace_id, hour) VALUES ($1, '-infinity')`, [id]);
      });
    }
    for (let round = 0; round < 2; round++) {
      for (const filters of LOG_FILTERS) await check(me, { ...LOGS, filters: [filters] }, random);
      for (const filters of TRACE_FILTERS) await check(me, { ...ALL_TRACES, filters: [filters] }, random);
      await untilAddedUp(app);
    }
    const hours = `SELECT (SELECT count(*) FROM request_hours WHERE workspace_id = $1 AND facet = '') AS logs,
      (SELECT count(*) FROM trace_hours WHERE workspace_id = $1 AND facet = '') AS traces`;
    const [added] = (await app.sql(hours, [id])) as [{ logs: string; traces: string }];
    expect(Number(added.logs)).toBeGreaterThan(5);
    expect(Number(added.traces)).toBeGreaterThan(5);
  });

  it('count values of which an hour has too many to add each of them up', async () => {
    const me = await app.stranger();
    const calls = Array.from({ length: 260 }, (_, index) =>
      llmSpan({ more: { 'promptlayer.metadata.user_id': `u${index}` } }, { traceId: traceId(), ...at(index) }),
    );
    // One that is called more often has sums of its own.
    const often = llmSpan({ more: { 'promptlayer.metadata.user_id': 'u7' } }, { traceId: traceId(), ...at(3) });
    await send(me, [...calls, often]);
    await untilSearchable(app);
    await untilAddedUp(app);
    const counted = async (path: string, user: string) => {
      const asked = { start_time: '2026-05-28', end_time: '2026-05-29' };
      const filter_group = { filters: [leaf('user_id', 'is', user)] };
      const { buckets } = await histogramOf(me, path, { ...asked, filter_group });
      return buckets.reduce((sum, { count }) => sum + count, 0);
    };
    for (const path of [REQUESTS, TRACES]) {
      expect(await counted(path, 'u7')).toBe(2);
      expect(await counted(path, 'u0')).toBe(1);
      expect(await counted(path, 'u259')).toBe(1);
      expect(await counted(path, 'nobody')).toBe(0);
    }
  });

  it('add costs up exactly', async () => {
    const me = await app.stranger();
    const calls = Array.from({ length: 10 }, () =>
      llmSpan({ more: { 'gen_ai.usage.cost': '0.1' } }, { traceId: traceId(), ...at(0) }),
    );
    await send(me, calls);
    await untilSearchable(app);
    for (let round = 0; round < 2; round++) {
      for (const path of [REQUESTS, TRACES]) {
        const { buckets } = await histogramOf(me, path, { start_time: '2026-05-28', end_time: '2026-05-29' });
        expect(Math.max(...buckets.map(({ cost }) => cost))).toBe(1);
      }
      await untilAddedUp(app);
    }
  });
});

describe('the range of a histogram', () => {
  const START = '2026-05-28T20:26:40Z';
  let me: Client;
  beforeAll(async () => {
    me = await app.stranger();
    await send(me, [llmSpan({}, at(0)), llmSpan({}, at(3600)), llmSpan({}, at(7200))]);
  });

  const bodyOf = (start: string, end: string, more: object = {}) => ({ start_time: start, end_time: end, ...more });
  const ms = (offset: number) => new Date(Date.parse(START) + offset).toISOString();

  it.each([
    ['a millisecond', bodyOf(START, ms(1)), { count: 1, buckets: 1, seconds: 1 }],
    [
      'seconds since the epoch',
      { start_time: 1_780_000_000, end_time: 1_780_000_001 },
      { count: 1, buckets: 1, seconds: 1 },
    ],
    ['the millisecond before', bodyOf(ms(-1), START), { count: 0, buckets: 1, seconds: 1 }],
    ['a hundred years', bodyOf('1970-01-01', '2069-12-31'), { count: 3, buckets: 74, seconds: 500 * 86_400 }],
    ['the future', bodyOf('2090-01-01', '2090-01-02'), { count: 0, buckets: 48, seconds: 3600 }],
    ['one bucket', bodyOf(START, ms(7_200_001), { buckets: 1 }), { count: 3, buckets: 1, seconds: 6 * 3600 }],
    ['three hours in minutes', bodyOf(ms(-1000), ms(10_000_000)), { count: 3, buckets: 34, seconds: 300 }],
    ['whatever there is', {}, { count: 3, buckets: 25, seconds: 300 }],
    [
      'a day of the filters',
      { filter_group: { filters: [leaf('TIME', 'is', '2026-05-28')] } },
      { count: 3, buckets: 24, seconds: 3600 },
    ],
    [
      'a day of both',
      { ...bodyOf('2026-05-28', '2026-05-28'), filter_group: { filters: [leaf('TIME', 'after', START)] } },
      { count: 2, buckets: 43, seconds: 300 },
    ],
  ])('may be %s', async (_, body, { count, buckets, seconds }) => {
    for (const [path, time] of [
      [REQUESTS, LOGS.time],
      [TRACES, ALL_TRACES.time],
    ] as const) {
      const asked = JSON.parse(JSON.stringify(body).replaceAll('TIME', time)) as object;
      const found = await histogramOf(me, path, asked);
      expect({
        count: found.buckets.reduce((sum, bucket) => sum + bucket.count, 0),
        buckets: found.buckets.length,
        seconds: found.bucket_seconds,
      }).toEqual({ count, buckets, seconds });
      expect(found.counted_from).toBe(found.start_time);
    }
  });

  it('is nothing where nothing is left of it', async () => {
    const nothing = { start_time: null, end_time: null, bucket_seconds: null, partial: false, buckets: [] };
    const contradiction = { filter_group: { filters: [leaf('request_start_time', 'before', '2020-01-01')] } };
    expect(await histogramOf(me, REQUESTS, { ...contradiction, start_time: START })).toMatchObject(nothing);
    expect(await histogramOf(await app.stranger(), TRACES)).toMatchObject(nothing);
  });

  it.each([
    ['ends before it begins', bodyOf(ms(1), START), 422],
    ['ends where it begins', bodyOf(START, START), 422],
    ['begins at no time', { start_time: 'yesterday' }, 422],
    ['ends at no time', { end_time: {} }, 422],
    ['has no buckets', { buckets: 0 }, 422],
    ['has too many buckets', { buckets: 101 }, 422],
    ['has half a bucket', { buckets: 1.5 }, 422],
    ['has an unknown key', { bucket: 3 }, 422],
    ['has an unknown field', { filter_group: { filters: [leaf('nothing', 'is', 1)] } }, 422],
    ['has an operator that does not fit', { filter_group: { filters: [leaf('user_id', 'gt', 1)] } }, 400],
  ])('is refused when it %s', async (_, body, status) => {
    for (const path of [REQUESTS, TRACES]) await me.post(`${path}/histogram`, body, status);
  });
});
