import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedCall } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { idsOf, type LogPage, REQUESTS, search } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
/** Ids of logs by when their calls began. */
const logs = new Map<string, number>();

/** A call of each began here, one with microseconds in the middle. */
const STARTS = ['2026-05-04T10:00:00.122999Z', '2026-05-04T10:00:00.123456Z', '2026-05-04T10:00:00.124Z'] as const;
const [EARLIER, START, LATER] = STARTS;
const END = '2026-05-04T10:00:01.000001Z';
/** The middle time as clients write it: as returned, without microseconds, with nanoseconds, and since the epoch. */
const FORMS = [
  START,
  '2026-05-04T10:00:00.123Z',
  '2026-05-04T12:00:00.123456+02:00',
  '2026-05-04T10:00:00.123456400Z',
  1_777_888_800.123,
  1_777_888_800_123,
  1_777_888_800_123.456,
  1_777_888_800_123_456,
  '1777888800123',
];

beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = await app.stranger();
  for (const start of STARTS) {
    const times = { request_start_time: start, request_end_time: END };
    logs.set(start, ((await me.post('/log-request', loggedCall(times), 201)) as { id: number }).id);
  }
});
afterAll(() => app.stop());

const where = async (field: string, operator: string, value: unknown) =>
  idsOf(await search(me, { filter_group: { filters: [{ field, operator, value }] } }));
const listed = async (query: string) => idsOf((await me.get(`/requests?${query}`)) as LogPage);
const idsAt = (...starts: string[]) => starts.map((start) => logs.get(start));

describe('the times of request logs', () => {
  it('are shown with their microseconds, where there are any', async () => {
    const { items } = await search(me);
    expect(items.map(({ request_start_time }) => request_start_time)).toEqual([LATER, START, EARLIER]);
    expect(items[0]).toMatchObject({ request_end_time: END });
    for (const start of STARTS) {
      const times = { request_start_time: start, request_end_time: END };
      expect(await me.get(`${REQUESTS}/${logs.get(start)}`)).toMatchObject(times);
    }
  });

  it('find the logs they are of, in every form', async () => {
    await every(FORMS, async (form) => {
      const found = await Promise.all([
        where('request_start_time', 'is', form),
        where('request_start_time', 'between', [form, form]),
        where('request_start_time', 'before', form),
        where('request_start_time', 'after', form),
      ]);
      expect([form, ...found]).toEqual([form, idsAt(START), idsAt(START), idsAt(EARLIER), idsAt(LATER)]);
    });
    for (const operator of ['is', 'before', 'after']) {
      const found = await where('request_end_time', operator, END);
      expect([operator, found]).toEqual([operator, operator === 'is' ? idsAt(LATER, START, EARLIER) : []]);
    }
  });

  it('bound the list of logs, in every form', async () => {
    await every(FORMS, async (form) => {
      const time = encodeURIComponent(form);
      const found = await Promise.all([
        listed(`start_time=${time}`),
        listed(`end_time=${time}`),
        listed(`start_time=${time}&end_time=${time}`),
      ]);
      expect([form, ...found]).toEqual([form, idsAt(LATER, START), idsAt(START, EARLIER), idsAt(START)]);
    });
  });
});
