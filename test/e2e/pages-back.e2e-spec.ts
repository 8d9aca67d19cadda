import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, editCell, newSheet, readRows, TABLES } from '../support/factories.js';
import { publishPrompt } from '../support/prompts.js';
import { createSheet, newTable } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface ListPage {
  data: object[];
  pagination: { next_cursor: string | null; prev_cursor: string | null; has_more: boolean };
}

interface List {
  /** With a question mark. */
  url: string;
  /** Adds an item, anywhere. */
  add: (number: number) => Promise<unknown>;
}

const lists: Record<string, () => Promise<List>> = {
  versions: async () => {
    const sheet = await newSheet(me, ['0']);
    const [cell] = Object.values((await readRows(me, sheet)).data[0]!.cells);
    return { url: `${sheet.path}/versions?`, add: (number) => editCell(me, sheet, cell!, { value: `v${number}` }) };
  },
  'versions from the first': async () => {
    const { url, add } = await lists.versions!();
    return { url: `${url}order=asc&`, add };
  },
  rows: async () => {
    const sheet = await newSheet(me, ['0']);
    return { url: `${sheet.path}/rows?`, add: () => me.post(`${sheet.path}/rows`, {}, 201) };
  },
  'rows from the last': async () => {
    const { url, add } = await lists.rows!();
    return { url: `${url}order=desc&`, add };
  },
  columns: async () => {
    const sheet = await newSheet(me, ['0']);
    const add = (number: number) => addColumn(me, sheet, { title: `c${number}`, type: 'TEXT' });
    return { url: `${sheet.path}/columns?`, add };
  },
  'sheets, into which others are put': async () => {
    const { sheets } = await newTable(me);
    return { url: `${sheets}?`, add: () => createSheet(me, sheets, { index: 0 }) };
  },
  tables: async () => {
    await newTable(me);
    return { url: `${TABLES}?`, add: () => newTable(me) };
  },
  'tables from the first': async () => ({ ...(await lists.tables!()), url: `${TABLES}?order=asc&` }),
  exports: async () => ({
    url: '/api/public/v2/exports?',
    add: () => me.post('/api/public/v2/exports', { source: 'requests', format: 'csv' }, 202),
  }),
  events: async () => {
    const [{ id: workspace }] = (await app.sql('SELECT id FROM workspaces')) as [{ id: number }];
    const add = (number: number) => publishPrompt(me, `Event ${number}`);
    return { url: `/api/admin/v1/workspaces/${workspace}/events?`, add };
  },
};

const page = async (url: string, cursor: string | null = null): Promise<ListPage> =>
  (await me.get(`${url}limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)) as ListPage;

/** What tells the items of a page apart, whatever else changes about them. */
const keys = ({ data }: ListPage): unknown[] =>
  data.map((item) => {
    const { id, row_index } = item as { id?: unknown; row_index?: unknown };
    return id ?? row_index;
  });

describe('a list', () => {
  it.each(Object.keys(lists))('of %s leads back page by page, to the same items while others come', async (name) => {
    const { url, add } = await lists[name]!();
    for (let number = 0; number < 7; number++) await add(number);
    const first = await page(url);
    expect(first.pagination.prev_cursor).toBeNull();
    const second = await page(url, first.pagination.next_cursor);
    const third = await page(url, second.pagination.next_cursor);
    expect(new Set([first, second, third].flatMap(keys)).size).toBe(6);

    for (let number = 7; number < 10; number++) await add(number);
    const back = await page(url, third.pagination.prev_cursor);
    expect([keys(back), back.pagination.has_more]).toEqual([keys(second), true]);
    const start = await page(url, back.pagination.prev_cursor);
    expect(keys(start)).toEqual(keys(first));
    // And forward again, from every page that was gone back to.
    expect(keys(await page(url, start.pagination.next_cursor))).toEqual(keys(second));
    expect(keys(await page(url, back.pagination.next_cursor))).toEqual(keys(third));
    // Items that came before the first page are a page of their own.
    if (start.pagination.prev_cursor !== null) {
      const before = await page(url, start.pagination.prev_cursor);
      expect(keys(before).filter((key) => [first, second, third].flatMap(keys).includes(key))).toEqual([]);
    }
  });

  it('that is read from its end to its beginning has every item once', async () => {
    const { url, add } = await lists.rows!();
    for (let number = 0; number < 8; number++) await add(number);
    let at = await page(url);
    while (at.pagination.next_cursor !== null) at = await page(url, at.pagination.next_cursor);
    const seen = [...keys(at)];
    while (at.pagination.prev_cursor !== null) {
      at = await page(url, at.pagination.prev_cursor);
      seen.unshift(...keys(at));
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuses a cursor of another list, or one that was tampered with', async () => {
    const { url, add } = await lists.versions!();
    for (let number = 0; number < 5; number++) await add(number);
    const second = await page(url, (await page(url)).pagination.next_cursor);
    const cursor = second.pagination.prev_cursor!;
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const tampered = Buffer.from(JSON.stringify([...parts.slice(0, 4), 'after'])).toString('base64url');
    for (const wrong of [`order=asc&cursor=${cursor}`, `cursor=${tampered}`]) {
      expect((await me.request('GET', `${url}${wrong}`)).body).toMatchObject({ error: 'cursor_invalid' });
    }
  });
});
