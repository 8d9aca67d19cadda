import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrivalListeners } from '../../src/arrivals/index.js';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/words/vocabulary.js';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send, span, text } from '../support/otlp.js';
import { copyLog } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  // Statements that are not kept waiting take less, also on a busy machine.
  app = await TestApp.start({ works: false, env: { STATEMENT_TIMEOUT_MS: '5000' } });
  client = await app.stranger();
});
afterAll(() => app.stop());

/** The time of every search is up as soon as it has looked at its first candidates. Statements keep their limits. */
const outOfTime = <T>(work: () => Promise<T>): Promise<T> => app.withSettings({ statementTimeoutMs: -1 }, work);

interface Found {
  items: { id?: number; trace_id?: string }[];
  next_cursor: string | null;
  has_more: boolean;
  partial?: true;
}

interface Pages {
  found: (string | number)[];
  partial: number;
}

/** Results of all pages, and the number of partial pages. */
async function readAll(path: string, body: object): Promise<Pages> {
  const pages: Pages = { found: [], partial: 0 };
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = (await client.post(path, { ...body, limit: 60, cursor })) as Found;
    pages.found.push(...page.items.map(({ id, trace_id }) => id ?? trace_id!));
    pages.partial += page.partial ? 1 : 0;
    expect(page.has_more).toBe(page.next_cursor !== null);
    cursor = page.next_cursor;
  }
  return pages;
}

const where = (field: string, operator: string, value: unknown) => ({
  filter_group: { filters: [{ field, operator, value }] },
});

/** The index cannot distinguish the values; every second one matches. */
const KINDS = [
  {
    what: 'logs',
    path: '/api/public/v2/requests/search',
    matching: where('function_name', 'is', `${'x'.repeat(200)}-even`),
    missing: where('function_name', 'is', `${'x'.repeat(200)}-other`),
    async store() {
      const original = await logCall(client);
      const name = (index: number) => `${'x'.repeat(200)}-${index % 2 === 0 ? 'even' : 'odd'}`;
      const copies = Array.from({ length: 238 }, (_, index) => ({
        id: 700_000_000 + index,
        function_name: name(index),
      }));
      await copyLog(app, original, copies);
      await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners()).drain();
      // This one waits for the index, and comes last.
      const waiting = { id: 600_000_000, function_name: name(0), request_start_time: '2020-01-01T00:00:00Z' };
      await copyLog(app, original, [waiting]);
    },
  },
  {
    what: 'traces',
    path: '/api/public/v2/traces/search',
    matching: where('span_tokens', 'eq', 1000),
    missing: where('span_tokens', 'eq', 1002),
    async store() {
      const tokens = (index: number) => ({ inputTokens: 900, outputTokens: 100 + (index % 2) });
      const start = (index: number) => ({ startTimeUnixNano: `${1_780_000_000 + index}000000000` });
      const spans = Array.from({ length: 160 }, (_, index) => llmSpan(tokens(index), start(index)));
      await send(client, spans);
    },
  },
];

describe.each(KINDS)('a search of $what that runs out of time', ({ path, matching, missing, store }) => {
  let all: Pages;
  beforeAll(async () => {
    await store();
    all = await readAll(path, matching);
    expect(all.partial).toBe(0);
  });

  it('gives the first matches as a partial page, and the cursor goes on behind them, without a gap', async () => {
    const pages = await outOfTime(() => readAll(path, matching));
    expect(pages.found).toEqual(all.found);
    expect(pages.partial).toBeGreaterThan(1);
  });

  it('gives a numbered page whose total is what was found', async () => {
    const page = (await outOfTime(() => client.post(path, { ...matching, page: 1, per_page: 25 }))) as Found;
    const full = (await client.post(path, { ...matching, page: 1, per_page: 25 })) as Found;
    expect(full).not.toHaveProperty('partial');
    const count = page.items.length;
    expect(page).toMatchObject({ partial: true, total: count, total_is_exact: false });
    expect(page.items).toEqual(full.items.slice(0, count));
  });

  it('is 503 when nothing was found, or nothing of the page that is asked for', async () => {
    const refused = { error: 'reading_timeout' };
    for (const body of [missing, { ...matching, page: 3, per_page: 25 }]) {
      expect(await outOfTime(() => client.post(path, body, 503))).toMatchObject(refused);
      expect(await client.post(path, body)).toMatchObject({ success: true });
    }
  });
});

describe('a numbered page of logs that runs out of time', () => {
  it('has no more logs than it may have while one waits for the index', async () => {
    const me = await app.stranger();
    const original = await logCall(me);
    const name = (index: number) => `${'y'.repeat(200)}-${index % 2 === 0 ? 'even' : 'odd'}`;
    const copies = Array.from({ length: 120 }, (_, index) => ({ id: 710_000_000 + index, function_name: name(index) }));
    await copyLog(app, original, copies);
    await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners()).drain();
    // This one waits for the index, and comes first.
    await copyLog(app, original, [{ id: 720_000_000, function_name: name(0) }]);
    const body = { ...where('function_name', 'is', name(0)), page: 1, per_page: 25 };
    const found = (await outOfTime(() => me.post('/api/public/v2/requests/search', body))) as Found;
    const first = Array.from({ length: 24 }, (_, index) => 710_000_118 - 2 * index);
    expect(found).toMatchObject({ partial: true, total: 26, total_is_exact: false, has_next: true });
    expect(found.items.map(({ id }) => id)).toEqual([720_000_000, ...first]);
  });
});

/** The newest 80 have short texts, of which every second one matches, and the 40 older ones have long texts. */
const SHORT = 80;
const LONG = 40;
const wordsOf = (index: number): string => {
  if (index >= SHORT) return `alpha beta ${randomBytes(4000).toString('hex')}`;
  return index % 2 === 0 ? 'alpha beta' : 'alpha, beta';
};
const all = Array.from({ length: SHORT + LONG }, (_, index) => index);

const INTERRUPTED = [
  {
    what: 'logs',
    path: '/api/public/v2/requests/search',
    table: 'request_logs',
    matching: {
      filter_group: {
        filters: [
          { field: 'engine', operator: 'is', value: 'gpt-4o-mini' },
          { field: 'metadata', nested_key: 'k', operator: 'key_contains', value: 'alpha beta' },
        ],
      },
    },
    async store(by: Client): Promise<(number | string)[]> {
      const ids = all.map((index) => 800_000_000 - index);
      const original = await logCall(by);
      await copyLog(
        app,
        original,
        all.map((index) => ({ id: ids[index], metadata: { k: wordsOf(index) } })),
      );
      await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners()).drain();
      return ids;
    },
  },
  {
    what: 'traces',
    path: '/api/public/v2/traces/search',
    table: 'span_search',
    matching: where('span_output', 'contains', 'alpha beta'),
    async store(by: Client): Promise<(number | string)[]> {
      const spans = all.map((index) =>
        span({
          startTimeUnixNano: `${1_790_000_000 - index}000000000`,
          attributes: [text('function_output', wordsOf(index))],
        }),
      );
      await send(by, spans);
      return spans.map(({ traceId }) => traceId as string);
    },
  },
];

/** While `work` runs, readers of long texts in the table wait. Short texts are stored in the rows and can be read. */
async function withoutLongTexts(table: string, work: () => Promise<void>): Promise<void> {
  await app.inTransaction(async (sql) => {
    const [index] = (await sql(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON i.indrelid = c.reltoastrelid
        WHERE c.oid = $1::regclass`,
      [table],
    )) as [{ name: string }];
    await sql(`REINDEX INDEX ${index.name}`);
    await work();
  });
}

describe.each(INTERRUPTED)('a search of $what with a statement that runs out of its time', (kind) => {
  const { path, table, matching, store } = kind;
  let by: Client;
  let wanted: (string | number)[];
  beforeAll(async () => {
    by = await app.stranger();
    wanted = (await store(by)).filter((_, index) => index >= SHORT || index % 2 === 0);
  });
  const ask = (body: object, status = 200) => by.post(path, { ...matching, ...body }, status);
  const idsOf = ({ items }: Found) => items.map(({ id, trace_id }) => id ?? trace_id!);

  it('keeps what it has found: as a partial page with a cursor, or as a page without an exact total', async () => {
    expect(idsOf((await ask({ limit: 100 })) as Found)).toEqual(wanted);
    let pages: Found[] = [];
    await withoutLongTexts(table, async () => {
      pages = (await Promise.all([ask({ limit: 60 }), ask({ page: 1, per_page: 20 })])) as Found[];
    });
    const [page, numbered] = pages as [Found, Found];
    const found = idsOf(page);
    expect(found.length).toBeGreaterThan(20);
    expect(page).toMatchObject({ partial: true, has_more: true });
    expect(numbered).toMatchObject({ total: 21, total_is_exact: false });
    expect(numbered).not.toHaveProperty('partial');
    expect(idsOf(numbered)).toEqual(wanted.slice(0, 20));
    const rest = (await ask({ limit: 60, cursor: page.next_cursor })) as Found;
    expect([...found, ...idsOf(rest)]).toEqual(wanted);
  });
});
