import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/text-search/words/vocabulary.js';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send } from '../support/otlp.js';
import { copyLog } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  client = await app.stranger();
});
afterAll(() => app.stop());

/** The time of every search is up as soon as it has looked at its first candidates. Statements keep their limits. */
async function outOfTime<T>(work: () => Promise<T>): Promise<T> {
  const config = app.config as { statementTimeoutMs: number };
  const { statementTimeoutMs } = config;
  config.statementTimeoutMs = -1;
  return work().finally(() => (config.statementTimeoutMs = statementTimeoutMs));
}

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

/** What all pages hold, and how many of them were partial. */
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

/** To the index all values are the same; every second one is what is asked for. */
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
      await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary)).drain();
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
