import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, editCell, newSheet, readRows, TABLES } from '../support/factories.js';
import { at, send, span, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { createSheet, newTable } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
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
  /** Body of the search, for lists that answer a search. */
  search?: object;
  /** Adds an item, anywhere. */
  add: (number: number) => Promise<unknown>;
}

const FIRST_ITEMS = 7;

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
  'operations of all sheets': async () => {
    const sheet = await newSheet(me, ['0']);
    return { url: '/api/public/v2/sheet-operations?', add: (number) => addCount(me, sheet, `c${number}`) };
  },
  'operations that have not ended, from the first': async () => {
    const { add } = await lists['operations of all sheets']!();
    return { url: '/api/public/v2/sheet-operations?status=active&order=asc&', add };
  },
  'imports into all sheets': async () => ({
    url: '/api/public/v2/sheet-imports?',
    add: async () => {
      const { path } = await newSheet(me);
      await me.post(`${path}/imports/request-logs`, { filter_group: { filters: [] } }, 202);
    },
  }),
  'the cells that differ between two versions': async () => {
    const sheet = await newSheet(
      me,
      Array.from({ length: 10 }, (_, row) => `${row}`),
    );
    const { id } = await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    const { data } = (await me.get(`${sheet.path}/versions`)) as { data: { id: string }[] };
    const add = async (number: number) => {
      const row = (await readRows(me, sheet)).data[number]!;
      await editCell(me, sheet, row.cells[number % 2 === 0 ? sheet.columnId : id]!, { value: 'edited' });
    };
    return { url: `${sheet.path}/versions/${data[0]!.id}/diff?`, add };
  },
  'traces that are searched': () => Promise.resolve(tracesBy('trace_start', 'desc')),
  'traces from the first': () => Promise.resolve(tracesBy('trace_start', 'asc')),
  'traces by duration, which some do not have': () => Promise.resolve(tracesBy('trace_duration_ms', 'desc')),
  'traces by duration from the shortest': () => Promise.resolve(tracesBy('trace_duration_ms', 'asc')),
  events: async () => {
    const [{ id: workspace }] = (await app.sql('SELECT id FROM workspaces')) as [{ id: number }];
    const add = (number: number) => publishPrompt(me, `Event ${number}`);
    return { url: `/api/admin/v1/workspaces/${workspace}/events?`, add };
  },
};

let searches = 0;
/**
 * Traces of one name. Some are of the same length, some have not ended; those that come when the first pages have been read
 * are at an end of the order.
 */
function tracesBy(sort_by: string, sort_order: 'asc' | 'desc'): List {
  const name = `pages back ${++searches}`;
  const add = (number: number) => {
    const isLate = number >= FIRST_ITEMS;
    const place = !isLate ? '8' : sort_order === 'desc' ? 'f' : '0';
    const { startTimeUnixNano } = at(number);
    const { endTimeUnixNano } = isLate || number % 3 === 0 ? { endTimeUnixNano: '0' } : at(2 * Math.floor(number / 2));
    return send(me, [span({ traceId: place + traceId().slice(1), name, startTimeUnixNano, endTimeUnixNano })]);
  };
  const filter_group = { filters: [{ field: 'trace_name', operator: 'is', value: name }] };
  return { url: '/api/public/v2/traces/search', search: { filter_group, sort_by, sort_order }, add };
}

async function page({ url, search }: Omit<List, 'add'>, cursor: string | null = null): Promise<ListPage> {
  if (search) {
    const answer = (await me.post(url, { ...search, limit: 2, cursor })) as { items: object[] } & ListPage;
    return { data: answer.items, pagination: answer.pagination };
  }
  const query = `limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
  return (await me.get(url + query)) as ListPage;
}

/** Keys of the items on a page. They stay the same when items change. */
const keys = ({ data }: ListPage): unknown[] =>
  data.map((item) => {
    const { id, cell_id, trace_id, row_index, operation_id } = item as Record<string, unknown>;
    return id ?? cell_id ?? trace_id ?? row_index ?? operation_id;
  });

describe('a list', () => {
  it.each(Object.keys(lists))('goes back page by page to the same items while others are added: %s', async (name) => {
    const { add, ...list } = await lists[name]!();
    for (let number = 0; number < FIRST_ITEMS; number++) await add(number);
    const first = await page(list);
    expect(first.pagination.prev_cursor).toBeNull();
    const second = await page(list, first.pagination.next_cursor);
    const third = await page(list, second.pagination.next_cursor);
    expect(new Set([first, second, third].flatMap(keys)).size).toBe(6);

    for (let number = FIRST_ITEMS; number < FIRST_ITEMS + 3; number++) await add(number);
    const back = await page(list, third.pagination.prev_cursor);
    expect([keys(back), back.pagination.has_more]).toEqual([keys(second), true]);
    const start = await page(list, back.pagination.prev_cursor);
    expect(keys(start)).toEqual(keys(first));
    // And forward again, from every page that was gone back to.
    expect(keys(await page(list, start.pagination.next_cursor))).toEqual(keys(second));
    expect(keys(await page(list, back.pagination.next_cursor))).toEqual(keys(third));
    // Items that came before the first page are a page of their own.
    if (start.pagination.prev_cursor !== null) {
      const before = await page(list, start.pagination.prev_cursor);
      expect(keys(before).filter((key) => [first, second, third].flatMap(keys).includes(key))).toEqual([]);
    }
  });

  it('that is read from its end to its beginning has every item once', async () => {
    const { add, ...list } = await lists.rows!();
    for (let number = 0; number < 8; number++) await add(number);
    let current = await page(list);
    while (current.pagination.next_cursor !== null) current = await page(list, current.pagination.next_cursor);
    const seen = [...keys(current)];
    while (current.pagination.prev_cursor !== null) {
      current = await page(list, current.pagination.prev_cursor);
      seen.unshift(...keys(current));
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuses a cursor of another list, or one that was tampered with', async () => {
    const { url, add } = await lists.versions!();
    for (let number = 0; number < 5; number++) await add(number);
    const second = await page({ url }, (await page({ url })).pagination.next_cursor);
    const cursor = second.pagination.prev_cursor!;
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const tampered = Buffer.from(JSON.stringify([...parts.slice(0, 4), 'after'])).toString('base64url');
    for (const wrong of [`order=asc&cursor=${cursor}`, `cursor=${tampered}`]) {
      expect((await me.request('GET', `${url}${wrong}`)).body).toMatchObject({ error: 'cursor_invalid' });
    }
  });
});
