import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrivalListeners } from '../../src/arrivals/index.js';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/words/vocabulary.js';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send } from '../support/otlp.js';
import { copyLog, idsOf, idsOfCursors, idsOfPages, REQUESTS, search, searchAfter } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = `${REQUESTS}/search`;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const having = (...filters: object[]) => ({ filter_group: { filters } });

const SORTS = ['request_start_time', 'input_tokens', 'output_tokens', 'cost', 'latency_ms', 'status'] as const;
const SORT_COLUMN = { cost: 'price' } as Record<string, string>;

describe('a sort', () => {
  let me: Client;
  let rows: ({ id: number } & Record<string, unknown>)[];
  let original: number;
  beforeAll(async () => {
    me = await app.stranger();
    original = await logCall(me);
    const columns = fc.record({
      request_start_time: fc.constantFrom(
        '2026-03-01T10:00:00.123456Z',
        '2026-03-01T10:00:00.123457Z',
        '2026-02-01T00:00:00Z',
      ),
      input_tokens: fc.option(fc.integer({ min: 0, max: 3 })),
      output_tokens: fc.option(fc.integer({ min: 0, max: 100 }), { freq: 1 }),
      price: fc.option(fc.constantFrom(0, 0.1, 0.30000000000000004, 1e-9)),
      latency_ms: fc.constantFrom(0, 0.5, 1000.25),
      status: fc.constantFrom('SUCCESS', 'WARNING', 'ERROR'),
    });
    rows = fc.sample(columns, { numRuns: 60, seed: 5 }).map((row, index) => ({ ...row, id: 700_000_000 + index }));
    await copyLog(app, original, rows);
    const { id, ...first } = { ...(await storedRow(original)), id: original };
    rows.push({ ...first, id });
  });

  async function storedRow(id: number): Promise<Record<string, unknown>> {
    const columns = SORTS.map((sort) => SORT_COLUMN[sort] ?? sort).join(', ');
    const [row] = (await app.sql(`SELECT ${columns} FROM request_logs WHERE id = $1`, [id])) as Record<
      string,
      unknown
    >[];
    return { ...row, request_start_time: '2026-05-28T20:26:40.000000Z' };
  }

  /** Missing values last, whatever the direction; equal ones by id in the direction. */
  function expected(sort: string, order: string): number[] {
    const sign = order === 'asc' ? 1 : -1;
    const column = SORT_COLUMN[sort] ?? sort;
    const compare = (a: unknown, b: unknown) => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1);
    const ordered = rows.toSorted((a, b) => {
      const [left, right] = [a[column] ?? null, b[column] ?? null];
      if ((left === null) !== (right === null)) return left === null ? 1 : -1;
      return sign * (compare(left, right) || a.id - b.id);
    });
    return ordered.map(({ id }) => id);
  }

  const cases = SORTS.flatMap((sort_by) => ['asc', 'desc'].map((sort_order) => ({ sort_by, sort_order })));

  it.each(cases)('by $sort_by $sort_order gives every log once and in order, by number and by cursor', async (sort) => {
    const ids = expected(sort.sort_by, sort.sort_order);
    expect(await idsOfPages(me, { ...sort, per_page: 9 })).toEqual(ids);
    expect(await idsOfCursors(me, sort)).toEqual(ids);
    const cheap = having(leaf('latency_ms', 'lt', 1000), leaf('input_tokens', 'neq', 2));
    const kept = rows.filter((row) => Number(row.latency_ms) < 1000 && row.input_tokens !== 2).map(({ id }) => id);
    expect(await idsOfCursors(me, { ...sort, ...cheap })).toEqual(ids.filter((id) => kept.includes(id)));
  });

  it('continues exactly behind a log while others come and go', async () => {
    const before = expected('request_start_time', 'desc');
    let next = 800_000_000;
    const arrive = () => copyLog(app, original, [{ id: next++, request_start_time: '2026-06-01T00:00:00Z' }]);
    expect(await idsOfCursors(me, { limit: 5 }, arrive)).toEqual(before);
    await app.sql('DELETE FROM request_logs WHERE id >= 800000000');
  });

  it('needs its direction, and the direction its sort', async () => {
    const { body } = await me.request('POST', SEARCH, { sort_by: 'cost' });
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'sort_order'] }] });
    expect(await me.post(SEARCH, { sort_order: 'asc' }, 422)).toMatchObject({ detail: [{ loc: ['body', 'sort_by'] }] });
    expect(await me.post(SEARCH, { sort_by: 'id', sort_order: 'asc' }, 422)).toMatchObject({
      detail: [{ loc: ['body', 'sort_by'], type: 'enum' }],
    });
  });
});

describe('the total', () => {
  const COPIES = 1100;
  let me: Client;
  beforeAll(async () => {
    me = await app.stranger();
    const id = await logCall(me, { input: 'the great bustard' });
    const copies = Array.from({ length: COPIES }, (_, index) => ({
      id: 600_000_000 + index,
      price: index < 600 ? 1 : null,
      latency_ms: index,
    }));
    await copyLog(app, id, copies);
  });

  it('is exact up to a thousand', async () => {
    const few = having(leaf('latency_ms', 'lt', 900), leaf('pl_id', 'is_not', 0));
    expect(await search(me, few)).toMatchObject({ total: 900, pages: 90, total_is_exact: true });
  });

  it('is exact for words that the index finds, however many logs have them', async () => {
    await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners()).drain();
    for (const page of [1, 45]) {
      const found = await search(me, { q: 'bustard', page, per_page: 25 });
      expect(found).toMatchObject({ total: COPIES + 1, pages: 45, total_is_exact: true, has_next: page === 1 });
      expect(idsOf(found)).toHaveLength(page === 1 ? 25 : 1);
    }
    const beyond = { items: [], total: COPIES + 1, total_is_exact: true };
    expect(await search(me, { q: 'bustard', page: 46, per_page: 25 })).toMatchObject(beyond);
  });

  it('is exact beyond, and so is has_next', async () => {
    const seen = new Set<number>();
    let page = 1;
    for (let next: number | null = 1; next !== null; page = next ?? page) {
      const found = await search(me, { page: next, per_page: 25, sort_by: 'cost', sort_order: 'desc' });
      idsOf(found).forEach((id) => seen.add(id));
      expect(found.has_next).toBe(seen.size < COPIES + 1);
      expect(found).toMatchObject({ total: COPIES + 1, pages: 45, total_is_exact: true });
      next = found.next_num;
    }
    expect(seen.size).toBe(COPIES + 1);
    expect(await search(me, { page, per_page: 25 })).toMatchObject({ total: COPIES + 1, total_is_exact: true });
    expect(await search(me, { page: 5000, sort_by: 'cost', sort_order: 'asc' })).toMatchObject({
      items: [],
      total: COPIES + 1,
      total_is_exact: true,
    });
  });
});

describe('a cursor', () => {
  let me: Client;
  let cursor: string;
  const query = { ...having(leaf('engine', 'is', 'gpt-4o-mini')), sort_by: 'cost', sort_order: 'desc', limit: 2 };
  beforeAll(async () => {
    me = await app.stranger();
    await send(me, [llmSpan(), llmSpan(), llmSpan()]);
    cursor = (await searchAfter(me, query)).next_cursor!;
  });

  it('comes with every page but the last', async () => {
    const { items, ...first } = await searchAfter(me, query);
    expect(items).toHaveLength(2);
    expect(first).toEqual({ success: true, next_cursor: cursor, has_more: true, limit: 2 });
    expect(await searchAfter(me, { ...query, cursor })).toMatchObject({ has_more: false, next_cursor: null });
    expect(await searchAfter(me, { ...query, cursor, limit: undefined, per_page: 5 })).toMatchObject({ limit: 5 });
    expect(await searchAfter(me, { limit: 100 })).toMatchObject({ limit: 100, has_more: false });
  });

  it('is rejected with another query, order or workspace', async () => {
    const stranger = await app.stranger();
    const others = [
      { ...query, sort_order: 'asc' },
      { ...query, sort_by: 'latency_ms' },
      { ...query, q: 'hello' },
      { ...query, filter_group: null },
      { ...query, filters: [leaf('status', 'is', 'SUCCESS')] },
      { cursor },
    ];
    for (const other of others) {
      expect(await me.post(SEARCH, { ...other, cursor }, 400)).toMatchObject({ error: 'cursor_invalid' });
    }
    expect(await stranger.post(SEARCH, { ...query, cursor }, 400)).toMatchObject({ error: 'cursor_invalid' });
  });

  it('that was tampered with is refused and never breaks the server', async () => {
    const read = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const ends: unknown[] = [['x', 1], [1, '1'], [1e308, 1.5], [{}, 1], [1], [1, 1, 1], 'x', null, [true, 1]];
    for (const end of ends) {
      const changed = Buffer.from(JSON.stringify([...read.slice(0, 3), end])).toString('base64url');
      expect(await me.post(SEARCH, { ...query, cursor: changed }, 400)).toMatchObject({ error: 'cursor_invalid' });
    }
    for (const end of [
      [1e308, 9_007_199_254_740_991],
      [-1e308, -1],
      [null, 5],
    ]) {
      const changed = Buffer.from(JSON.stringify([...read.slice(0, 3), end])).toString('base64url');
      await me.post(SEARCH, { ...query, cursor: changed });
    }
    for (const junk of ['x', '', '\0', 'ey', '🙂']) await me.post(SEARCH, { ...query, cursor: junk }, 400);
    await me.post(SEARCH, { ...query, cursor: 'x'.repeat(4001) }, 422);
  });

  it('accepts any whole number where the order is by whole numbers', async () => {
    const tokens = { sort_by: 'input_tokens', sort_order: 'asc', limit: 1 };
    const { next_cursor: next } = await searchAfter(me, tokens);
    const read = JSON.parse(Buffer.from(next!, 'base64url').toString()) as unknown[];
    const huge = Buffer.from(JSON.stringify([...read.slice(0, 3), [2 ** 52, 1]])).toString('base64url');
    expect(await searchAfter(me, { ...tokens, cursor: huge })).toMatchObject({ items: [], has_more: false });
  });

  it('cannot be combined with the number of a page', async () => {
    const detail = [{ loc: ['body', 'page'], type: 'value_error' }];
    expect(await me.post(SEARCH, { ...query, cursor, page: 1 }, 422)).toMatchObject({ detail });
    expect(await me.post(SEARCH, { limit: 5, page: 2 }, 422)).toMatchObject({ detail });
  });
});
