import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Page, readAll, TABLES } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Table {
  id: string;
  title: string;
  sheet_count: number;
  folder_id: number | null;
  sheet_row_counts: Record<string, number>;
}
interface Sheet {
  id: string;
  title: string;
  index: number;
  row_count: number;
  version_count: number;
}
interface Created {
  table: Table;
  default_sheet?: Sheet;
}

const create = async (client: Client, body?: object) => (await client.post(TABLES, body, 201)) as Created;
const titles = async (client: Client, query = '') =>
  ((await client.get(`${TABLES}${query}`)) as Page<Table>).data.map(({ title }) => title);

describe('creating a table', () => {
  it('gives it a first sheet with one text column and one empty row', async () => {
    const { table, default_sheet: sheet } = await create(me, { title: 'Mine' });
    expect(table).toMatchObject({
      title: 'Mine',
      sheet_count: 1,
      folder_id: null,
      sheet_row_counts: { [sheet!.id]: 1 },
    });
    expect(sheet).toMatchObject({ title: 'Sheet 1', index: 0, row_count: 1, table_id: table.id });
    const rows = await me.get(`${TABLES}/${table.id}/sheets/${sheet!.id}/rows`);
    expect(rows).toMatchObject({
      columns: [{ title: 'Column A', type: 'TEXT', config: {}, is_output_column: false }],
      data: [{ row_index: 0 }],
      row_count: 1,
      version: sheet!.version_count,
    });
  });

  it('leaves the sheet out when it is not wanted', async () => {
    const created = await create(me, { create_default_sheet: false });
    expect(created).not.toHaveProperty('default_sheet');
    expect(created.table).toMatchObject({ sheet_count: 0, sheet_row_counts: {} });
    expect(await me.get(`${TABLES}/${created.table.id}/sheets`)).toMatchObject({ data: [], count: 0, has_more: false });
  });

  it('needs no body, and numbers tables without a title from the highest number in use', async () => {
    const other = await app.stranger();
    const untitled = async (body?: object) => (await create(other, body)).table.title;
    expect(await untitled()).toBe('Untitled Table');
    expect(await untitled({})).toBe('Untitled Table 2');
    await create(other, { title: 'Untitled Table 7' });
    await create(other, { title: 'Untitled Table 7b' });
    expect(await untitled({ title: null })).toBe('Untitled Table 8');
  });

  it('gives tables that are created at once different titles when none is asked for', async () => {
    const other = await app.stranger();
    const created = await Promise.all(Array.from({ length: 5 }, () => create(other)));
    expect(new Set(created.map(({ table }) => table.title)).size).toBe(5);
  });

  it('allows a title twice, and titles of up to 255 characters', async () => {
    await create(me, { title: 'Twice' });
    expect((await create(me, { title: 'Twice' })).table.title).toBe('Twice');
    expect((await create(me, { title: '🎉'.repeat(255) })).table.title).toBe('🎉'.repeat(255));
    await me.post(TABLES, { title: 'x'.repeat(256) }, 422);
  });

  it('replaces characters that cannot be stored', async () => {
    expect((await create(me, { title: 'a\u0000b\uD800' })).table.title).toBe('a\uFFFDb\uFFFD');
  });

  it('refuses a blank title and an unknown folder', async () => {
    expect(await me.post(TABLES, { title: ' \n' }, 422)).toMatchObject({
      detail: [{ loc: ['body', 'title'], type: 'string_too_short' }],
    });
    expect(await me.post(TABLES, { folder_id: 7 }, 404)).toMatchObject({ error: 'folder_not_found' });
  });

  it('ignores fields it does not know', async () => {
    expect((await create(me, { title: 'Known', colour: 'red' })).table).not.toHaveProperty('colour');
  });
});

describe('the list of tables', () => {
  it('is empty at first and shows the newest first', async () => {
    const other = await app.stranger();
    expect(await other.get(TABLES)).toMatchObject({
      success: true,
      data: [],
      next_cursor: null,
      has_more: false,
      count: 0,
      pagination: { limit: 20, next_cursor: null, prev_cursor: null, has_more: false },
      filters: {},
    });
    for (const title of ['first', 'second', 'third']) await create(other, { title });
    expect(await titles(other)).toEqual(['third', 'second', 'first']);
    expect(await titles(other, '?order=asc')).toEqual(['first', 'second', 'third']);
  });

  it('comes in pages that together hold every table once, in both directions, however fast they were created', async () => {
    const other = await app.stranger();
    await Promise.all(
      Array.from({ length: 23 }, (_, index) => create(other, { title: `t${index}`, create_default_sheet: false })),
    );
    for (const order of ['asc', 'desc']) {
      const all = await readAll<Table>(other, `${TABLES}?limit=4&order=${order}`);
      expect(all.map(({ title }) => title).sort()).toEqual(
        Array.from({ length: 23 }, (_, index) => `t${index}`).sort(),
      );
    }
  });

  it('is not shifted by tables that are created while it is read', async () => {
    const other = await app.stranger();
    for (const title of ['a', 'b', 'c']) await create(other, { title });
    const page = (await other.get(`${TABLES}?limit=2`)) as Page<Table>;
    await create(other, { title: 'd' });
    expect(await titles(other, `?limit=2&cursor=${page.next_cursor}`)).toEqual(['a']);
  });

  it('finds titles that contain a name, whatever the case, and takes wildcards literally', async () => {
    const other = await app.stranger();
    for (const title of ['100% done', '100 done', 'under_score', 'underXscore', 'ÉCOLE', 'back\\slash'])
      await create(other, { title });
    expect(await titles(other, '?name=DONE')).toEqual(['100 done', '100% done']);
    expect(await titles(other, '?name=100%25')).toEqual(['100% done']);
    expect(await titles(other, '?name=r_s')).toEqual(['under_score']);
    expect(await titles(other, '?name=%C3%A9cole')).toEqual(['ÉCOLE']);
    expect(await titles(other, '?name=k%5Cs')).toEqual(['back\\slash']);
    expect(await titles(other, '?name=nothing')).toEqual([]);
    expect(await other.get(`${TABLES}?name=done`)).toMatchObject({ filters: { name: 'done' } });
  });

  it('refuses a cursor of other filters or another order, and takes one with another limit', async () => {
    const other = await app.stranger();
    for (const title of ['ab', 'abc', 'abcd']) await create(other, { title });
    const { next_cursor: cursor } = (await other.get(`${TABLES}?name=ab&limit=1`)) as Page<Table>;
    for (const query of ['', 'name=abc', 'name=ab&order=asc', 'name=ab&folder_id=1']) {
      expect(await other.get(`${TABLES}?${query}&cursor=${cursor}`, 400)).toMatchObject({ error: 'cursor_invalid' });
    }
    expect(await titles(other, `?name=ab&limit=5&cursor=${cursor}`)).toEqual(['abc', 'ab']);
  });

  it('knows no table of a folder while there are no folders', async () => {
    expect(await titles(me, '?folder_id=1')).toEqual([]);
  });
});

describe('one table', () => {
  it('is found under its id in any case', async () => {
    const { table } = await create(me, { title: 'Found' });
    expect(await me.get(`${TABLES}/${table.id.toUpperCase()}`)).toEqual({ success: true, table });
  });

  it('is 404 when it does not exist and 422 when the id cannot be one', async () => {
    expect(await me.get(`${TABLES}/${randomUUID()}`, 404)).toMatchObject({ success: false, error: 'table_not_found' });
    await me.get(`${TABLES}/nonsense`, 422);
  });
});

describe('the sheets of a table', () => {
  it('are listed by their position and read one by one', async () => {
    const { table, default_sheet: sheet } = await create(me, {});
    const path = `${TABLES}/${table.id}/sheets`;
    expect(await me.get(path)).toMatchObject({ data: [sheet], count: 1, has_more: false });
    expect(await me.get(`${path}/${sheet!.id}`)).toEqual({ success: true, sheet });
  });

  it('are 404 below another table', async () => {
    const [one, two] = [await create(me, {}), await create(me, {})];
    const url = `${TABLES}/${one.table.id}/sheets/${two.default_sheet!.id}`;
    for (const part of ['', '/rows', '/columns', '/operations', '/status-counts']) {
      expect(await me.get(`${url}${part}`, 404)).toMatchObject({ error: 'sheet_not_found' });
    }
  });

  it('are at version 0 when they were just created: the first change makes version 1', async () => {
    const { default_sheet: sheet } = await create(me, {});
    expect(sheet!.version_count).toBe(0);
  });
});
