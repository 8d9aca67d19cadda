import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkRunner } from '../../src/platform/work/work-runner.js';
import { TraceProjector } from '../../src/traces/search/trace-projector.js';
import { TraceSearchProcessor } from '../../src/traces/search/trace-search.processor.js';
import type { Client } from '../support/client.js';
import { send, span, text, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const SEARCH = '/api/public/v2/traces/search';
/** Enough for some segments, large and small. */
const COMMON = 2600;
const RARE = 30;
const START_MS = 1_780_000_000_000;
const PER_PAGE = 25;

let app: TestApp;
let me: Client;
/** Ids, newest first. The rare ones are older than all others. */
let common: string[];
let rare: string[];

beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  // No span of the common ones is a search that failed, though each has a search and a failure.
  common = await copies({ search: 1, fetch: 2 }, 'Most unlikely so it went, and it goes on', {
    count: COMMON,
    fromMs: START_MS,
  });
  rare = await copies({ search: 2, fetch: 1 }, 'It went on, most unlikely; so it goes', {
    count: RARE,
    fromMs: START_MS - 1_000_000,
  });
  const db = app.app.get(DataSource);
  await new TraceSearchProcessor(app.app.get(WorkRunner), app.app.get(TraceProjector), db).work();
});
afterAll(() => app.stop());

const SENT_AT_ONCE = 1000;

/** Sends traces whose tools end with these statuses and say this, each a millisecond after the one before; gives their ids, newest first. */
async function copies(
  tools: Record<string, number>,
  said: string,
  { count, fromMs }: { count: number; fromMs: number },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => traceId());
  for (let from = 0; from < count; from += SENT_AT_ONCE) {
    const some = ids.slice(from, from + SENT_AT_ONCE);
    const spans = some.flatMap((id, index) =>
      Object.entries(tools).map(([tool, code]) =>
        span({
          traceId: id,
          attributes: [text('tool.name', tool), text('function_output', said)],
          status: { code },
          startTimeUnixNano: `${fromMs + from + index}000000`,
          endTimeUnixNano: `${fromMs + from + index + 1}000000`,
        }),
      ),
    );
    await send(me, spans);
  }
  return ids.toReversed();
}

interface Page {
  items: { trace_id: string }[];
  total: number;
  next_cursor: string | null;
}
const idsOf = ({ items }: Page) => items.map((item) => item.trace_id);
const tool = (value: string) => ({ field: 'span_tool_name', operator: 'is', value });
const status = (value: string) => ({ field: 'span_status', operator: 'is', value });
const ofOneSpan = (...filters: object[]) => ({ logic: 'SPAN_AND', filters });
const failedSearch = ofOneSpan(tool('search'), status('ERROR'));

async function page(body: object): Promise<Page> {
  return (await me.post(SEARCH, { per_page: PER_PAGE, ...body })) as Page;
}

async function allOf(body: object): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: Page = (await me.post(SEARCH, { limit: 100, ...body, cursor })) as Page;
    seen.push(...idsOf(next));
    cursor = next.next_cursor;
  } while (cursor !== null);
  return seen;
}

describe('among many traces', () => {
  it('finds the few in which two common conditions hold for the same span', async () => {
    const first = await page({ filter_group: failedSearch });
    expect(idsOf(first)).toEqual(rare.slice(0, PER_PAGE));
    expect(first.total).toBe(RARE);
    const second = await page({ filter_group: failedSearch, page: 2 });
    expect(idsOf(second)).toEqual(rare.slice(PER_PAGE));
    expect(second.total).toBe(RARE);
    expect(idsOf(await page({ filter_group: failedSearch, page: 3 }))).toEqual([]);
  });

  it.each(['asc', 'desc'])('finds these by cost %s', async (sort_order) => {
    const found = await page({ filter_group: failedSearch, sort_by: 'trace_total_cost_usd', sort_order, per_page: 50 });
    expect(idsOf(found).toSorted()).toEqual(rare.toSorted());
  });

  it('finds none where no span fulfils both', async () => {
    const found = await page({ filter_group: ofOneSpan(tool('search'), status('UNSET')) });
    expect(found).toMatchObject({ items: [], total: 0 });
  });

  it('finds what most of them fulfil, newest first and oldest first', async () => {
    const found = ofOneSpan(tool('search'), status('OK'));
    expect(idsOf(await page({ filter_group: found }))).toEqual(common.slice(0, PER_PAGE));
    expect(idsOf(await page({ filter_group: found, page: 101 }))).toEqual(common.slice(2500, 2525));
    const oldest = await page({ filter_group: found, sort_by: 'trace_start', sort_order: 'asc' });
    expect(idsOf(oldest)).toEqual(common.slice(-PER_PAGE).toReversed());
  });

  it('gives each once, cursor by cursor', async () => {
    const either = { logic: 'AND', filters: [tool('search'), { logic: 'SPAN_OR', filters: [status('ERROR')] }] };
    expect(await allOf({ filter_group: either })).toEqual([...common, ...rare]);
    expect(await allOf({ q: '"most unlikely"' })).toEqual([...common, ...rare]);
    const oldestFirst = { sort_by: 'trace_start', sort_order: 'asc' };
    expect(await allOf({ q: '"likely so it"', ...oldestFirst })).toEqual([]);
    expect(await allOf({ q: '"so it"', ...oldestFirst })).toEqual([...common, ...rare].toReversed());
  });

  it('finds the few in which common words stand beside each other, also from the middle of a word on', async () => {
    const found = await page({ q: '"so it goes"' });
    expect(idsOf(found)).toEqual(rare.slice(0, PER_PAGE));
    expect(idsOf(await page({ q: '"so it goes"', page: 2 }))).toEqual(rare.slice(PER_PAGE));
    expect(await page({ q: '"it goes so"' })).toMatchObject({ items: [], total: 0 });
    const said = (value: string) => ({ field: 'span_output', operator: 'contains', value });
    const inRare = { filter_group: ofOneSpan(tool('search'), said('likely; so it goes')) };
    expect(idsOf(await page(inRare))).toEqual(rare.slice(0, PER_PAGE));
    expect(idsOf(await page({ ...inRare, page: 2 }))).toEqual(rare.slice(PER_PAGE));
    const inCommon = ofOneSpan(status('OK'), tool('search'), said('likely so it we'));
    expect(idsOf(await page({ filter_group: inCommon, page: 3 }))).toEqual(common.slice(50, 75));
    expect(idsOf(await page({ filter_group: ofOneSpan(said('likely so it goes')) }))).toEqual([]);
  });
});
