import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import {
  addColumn,
  addCount,
  cellsOf,
  editCell,
  newSheet,
  readAll,
  type RowsPage as AnyRowsPage,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { importFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';
import { type Group, type Leaf, matches, type Row, sorted } from './row-filters.oracle.js';
import { VALUES } from './row-filters.samples.js';

let app: TestApp;
let me: Client;
let sheet: TestSheet;
let rows: Row[];

type RowsPage = AnyRowsPage & {
  matching_row_count?: number;
  filters: object;
  pagination: { next_cursor: string | null; prev_cursor: string | null };
};

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  sheet = await newSheet(me, VALUES);
  const other = await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
  await addColumn(me, sheet, { title: 'Number', type: 'PARSE_VALUE', config: { source: 'Column A', type: 'number' } });
  await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  const cells = await cellsOf(me, sheet, other.id);
  for (const index of [0, 3, 20, 21, 33])
    await editCell(me, sheet, cells[index]!, { value: index % 2 ? 'odd' : index });
  // Cells that read a changed cell are stale, failed or not.
  const first = await cellsOf(me, sheet, sheet.columnId);
  for (const index of [1, 14]) await editCell(me, sheet, first[index]!, { value: `${VALUES[index] as string}!` });
  await me.delete(`${sheet.path}/rows`, 200, { row_indices: [2, 30] });
  rows = toRows((await me.get(`${sheet.path}/rows`)) as RowsPage);
});
afterAll(() => app.stop());

function toRows({ data, columns }: AnyRowsPage): Row[] {
  return data.map(({ row_index, cells }) => ({
    row_index,
    cells: Object.fromEntries(columns.map(({ id, title }) => [title, cells[id]!])),
  }));
}

const search = async (body: object, status = 200) =>
  (await me.post(`${sheet.path}/rows/search`, body, status)) as RowsPage;
const indexesOf = ({ data }: { data: { row_index: number }[] }) => data.map((row) => row.row_index);
const found = async (filter: object) => indexesOf(await search({ filter }));
const expected = (filter: Group) => rows.filter((row) => matches(row, filter)).map((row) => row.row_index);
const where = (...filters: (Leaf | Group)[]): Group => ({ filters });

const CELLS = ['Column A', 'Other', 'Number', 'Length'];
const wanted = fc.constantFrom<unknown>(
  'refund',
  'Refund',
  'a%b',
  '%',
  '_',
  '\\',
  '5',
  '1',
  'x y',
  '"b":"x y"',
  '{"a":1',
  ', b: ',
  '[1,2]',
  'true',
  'é',
  'odd',
  5,
  1,
  0,
  1e-7,
  1e21,
  true,
  false,
);
const number = fc.constantFrom(5, 0, -12.5, 0.1, 100, 1e21, 7, 300, -1);
const leafOn = (field: string, nested_key?: string) => {
  const named = (operators: string[], value: fc.Arbitrary<unknown>) =>
    fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value }).map((leaf) => ({
      ...leaf,
      ...(nested_key !== undefined && { nested_key }),
    }));
  return {
    texts: named(['is', 'is_not', 'contains', 'not_contains', 'starts_with', 'ends_with'], wanted),
    lists: named(['in', 'not_in'], fc.array(wanted, { maxLength: 3 })),
    numbers: named(['eq', 'neq', 'gt', 'gte', 'lt', 'lte'], number),
    ranges: named(['between'], fc.tuple(number, number)),
    bare: named(['is_empty', 'is_not_empty', 'is_null', 'is_not_null', 'is_true', 'is_false'], fc.constant(undefined)),
    presence: named(['is_empty', 'is_not_empty'], fc.constant(undefined)),
    states: named(['is', 'is_not'], fc.constantFrom('stale', 'error', 'completed', 'queued')),
  };
};
const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  ...CELLS.flatMap((field) => {
    const { texts, lists, numbers, ranges, bare } = leafOn(field);
    return [texts, lists, numbers, ranges, bare];
  }),
  ...[undefined, ...CELLS].flatMap((key) => {
    const { texts, presence } = leafOn('cell_error', key);
    return [leafOn('cell_status', key).states, texts, presence];
  }),
  leafOn('row_index').numbers,
);
const { group } = fc.letrec<{ group: Group }>((tie) => ({
  group: fc.record({
    logic: fc.constantFrom('AND' as const, 'OR' as const),
    filters: fc.array(fc.oneof({ maxDepth: 2 }, leaf, tie('group')), { maxLength: 3 }),
  }),
}));

describe('a filter of rows', () => {
  it('selects what a plain walk over all rows selects, whatever it asks for', async () => {
    expect(rows.some(({ cells }) => cells.Number!.status === 'error')).toBe(true);
    expect(rows.some(({ cells }) => cells.Number!.status === 'stale')).toBe(true);
    await fc.assert(
      fc.asyncProperty(group, async (filter) => {
        const page = await search({ filter });
        expect([filter, indexesOf(page)]).toEqual([filter, expected(filter)]);
        expect(page.matching_row_count).toBe(expected(filter).length);
      }),
      { numRuns: tries(300) },
    );
  });

  it.each<[string, Leaf[]]>([
    ['a text, in any letter case', [{ field: 'Column A', operator: 'contains', value: 'REFUND' }]],
    ['the JSON of a value as it is shown', [{ field: 'Column A', operator: 'contains', value: '"b":"x y"' }]],
    ['a failed computation', [{ field: 'cell_status', operator: 'is', value: 'error' }]],
    ['a stale cell of one column', [{ field: 'cell_status', nested_key: 'Number', operator: 'is', value: 'stale' }]],
    ['the words of an error', [{ field: 'cell_error', operator: 'contains', value: 'not a number' }]],
    ['no error in any cell', [{ field: 'cell_error', operator: 'is_empty' }]],
    ['a yes in any form', [{ field: 'Column A', operator: 'is_true' }]],
    ['a number in a text', [{ field: 'Column A', operator: 'between', value: [5, 7] }]],
    ['an empty cell', [{ field: 'Other', operator: 'is_empty' }]],
    [
      'several at once',
      [
        { field: 'Other', operator: 'is_not_empty' },
        { field: 'row_index', operator: 'gt', value: 3 },
      ],
    ],
  ])('finds %s', async (_, filters) => {
    const indexes = expected(where(...filters));
    expect(indexes.length).toBeGreaterThan(0);
    expect(indexes.length).toBeLessThan(rows.length);
    expect(await found(where(...filters))).toEqual(indexes);
  });

  it('takes the names of statuses that operations use, and ids in place of titles in any letter case', async () => {
    const errors = await found(where({ field: 'cell_status', operator: 'is', value: 'error' }));
    expect(await found(where({ field: 'cell_status', operator: 'in', value: ['FAILED'] }))).toEqual(errors);
    const byTitle = await found(where({ field: 'Column A', operator: 'contains', value: 'refund' }));
    for (const id of [sheet.columnId, sheet.columnId.toUpperCase()]) {
      expect(await found(where({ field: id, operator: 'contains', value: 'refund' }))).toEqual(byTitle);
    }
  });

  it('gives the same answer in a query string, and the rows themselves as the whole list has them', async () => {
    const filter = where({ field: 'cell_status', operator: 'is', value: 'failed' });
    const url = `${sheet.path}/rows?filter=${encodeURIComponent(JSON.stringify(filter))}&sort=Length&order=desc&limit=4`;
    const page = (await me.get(url)) as RowsPage;
    expect(page).toEqual(await search({ filter, sort: 'Length', order: 'desc', limit: 4 }));
    expect(page).toMatchObject({ row_count: rows.length, filters: { filter }, count: 4, has_more: true });
    const byIndex = new Map(rows.map((row) => [row.row_index, row]));
    for (const row of toRows(page)) expect(row).toEqual(byIndex.get(row.row_index));
  });

  it('without conditions selects every row', async () => {
    expect(await found({ filters: [] })).toEqual(expected(where()));
    expect(indexesOf(await search({ filter: null }))).toEqual(expected(where()));
    expect(await search({})).not.toHaveProperty('matching_row_count');
    expect(indexesOf((await me.get(`${sheet.path}/rows?filter=`)) as RowsPage)).toEqual(expected(where()));
  });

  it('reads rows whose cells hold megabytes only when they are asked for', async () => {
    const large = await newSheet(me, ['small', 'L'.repeat(3_000_000), 'between', 'L'.repeat(3_000_000), 'small']);
    const url = `${large.path}/rows/search`;
    const filter = where({ field: 'Column A', operator: 'starts_with', value: 'LLL' });
    const page = (await me.post(url, { filter })) as RowsPage;
    expect(page.data.map((row) => [row.row_index, String(row.cells[large.columnId]!.value).length])).toEqual([
      [1, 3_000_000],
      [3, 3_000_000],
    ]);
  });
});

describe('pages of selected rows', () => {
  const filter = where({ field: 'row_index', operator: 'neq', value: 5 });

  it.each(['row_index', ...CELLS].flatMap((sort) => (['asc', 'desc'] as const).map((order) => [sort, order] as const)))(
    'by %s, %s, lead forward through all of them and back again',
    async (sort, order) => {
      const selected = rows.filter((row) => matches(row, filter));
      const inOrder =
        sort === 'row_index' ? (order === 'asc' ? selected : selected.toReversed()) : sorted(selected, sort, order);
      const ask = (cursor: string | null) => search({ filter, sort, order, limit: 7, cursor });
      const forward: number[][] = [];
      let page = await ask(null);
      for (; ; page = await ask(page.next_cursor)) {
        forward.push(indexesOf(page));
        if (page.next_cursor === null) break;
      }
      expect(forward.flat()).toEqual(inOrder.map((row) => row.row_index));
      const back: number[][] = [];
      while (page.pagination.prev_cursor !== null) {
        page = await ask(page.pagination.prev_cursor);
        back.unshift(indexesOf(page));
      }
      expect(back).toEqual(forward.slice(0, -1));
    },
  );

  it('lose and double nothing that did not change while rows before and after them were edited, added and deleted', async () => {
    const changing = await newSheet(
      me,
      Array.from({ length: 60 }, (_, index) => index * 10),
    );
    const cells = await cellsOf(me, changing, changing.columnId);
    const body = { filter: where({ field: 'Column A', operator: 'gte', value: 0 }), sort: 'Column A', limit: 9 };
    const seen: number[] = [];
    for (let cursor: string | null = null, turn = 0; ; turn++) {
      const page = (await me.post(`${changing.path}/rows/search`, { ...body, cursor })) as RowsPage;
      seen.push(...indexesOf(page));
      if ((cursor = page.next_cursor) === null) break;
      await editCell(me, changing, cells[turn]!, { value: 9999 - turn });
      await editCell(me, changing, cells[50 + turn]!, { value: 5 });
      await me.delete(`${changing.path}/rows`, 200, { row_indices: [20 + turn] });
      await me.post(`${changing.path}/rows`, { values: [{ 'Column A': 3 }] }, 201);
    }
    const untouched = seen.filter((index) => index >= 28 && index < 50);
    expect(untouched).toEqual(Array.from({ length: 22 }, (_, index) => 28 + index));
  });

  it('refuse the cursor of another filter, sort, order or sheet', async () => {
    const body = { filter, sort: 'Length', order: 'asc', limit: 3 };
    const { next_cursor: cursor } = await search(body);
    await search({ ...body, cursor });
    for (const other of [{ filter: null }, { sort: 'Column A' }, { sort: null }, { order: 'desc' }]) {
      await search({ ...body, ...other, cursor }, 400);
    }
    for (const garbage of ['x', 'W10', Buffer.from('[1]').toString('base64url')]) {
      await search({ ...body, cursor: garbage }, 400);
    }
    const foreign = await newSheet(me, ['x']);
    await addCount(me, foreign, 'Length');
    await me.post(`${foreign.path}/rows/search`, { ...body, cursor }, 400);
  });
});

describe('an export with a filter', () => {
  it('holds the rows that match and no others', async () => {
    const filter = where({ field: 'Column A', operator: 'contains', value: 'refund' });
    const file = await me.request(
      'GET',
      `${sheet.path}/export?format=jsonl&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    );
    const lines = file.bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const values = rows.filter((row) => matches(row, filter)).map(({ cells }) => cells['Column A']!.value);
    expect(lines.map((line) => line['Column A'])).toEqual(values);
  });

  it('holds every match of a large sheet, however far apart they are', async () => {
    const large = await newSheet(me);
    await importFile(me, large.path, `n\n${Array.from({ length: 5000 }, (_, row) => row).join('\n')}\n`);
    const filter = where({ field: 'n', operator: 'ends_with', value: '99' });
    const url = `${large.path}/export?format=csv&filter=${encodeURIComponent(JSON.stringify(filter))}`;
    const csv = (await me.request('GET', url)).bytes.toString();
    const wanted = Array.from({ length: 50 }, (_, each) => String(each * 100 + 99));
    expect(csv.trim().split('\r\n').slice(1)).toEqual(wanted);
    const all = await readAll(me, `${large.path}/rows?limit=20&filter=${encodeURIComponent(JSON.stringify(filter))}`);
    expect(all).toHaveLength(50);
  });

  it('is refused as the list of rows refuses it', async () => {
    await me.get(`${sheet.path}/export?filter=x`, 422);
    await me.get(
      `${sheet.path}/export?filter=${encodeURIComponent('{"filters":[{"field":"Nope","operator":"is"}]}')}`,
      422,
    );
    const version = await versionOf(me, sheet);
    await me.get(`${sheet.path}/export?version=${version}&filter=${encodeURIComponent('{"filters":[]}')}`, 400);
  });
});

describe('a filter of rows is refused', () => {
  it.each<[string, unknown, number, string]>([
    ['that is no group', { field: 'Column A' }, 422, 'filters'],
    ['with an unknown key', { filters: [], logics: 'AND' }, 422, 'Did you mean \\"logic\\"'],
    [
      'with an unknown column',
      where({ field: 'Colum A', operator: 'is', value: 1 }),
      422,
      'Did you mean \\"Column A\\"',
    ],
    ['with a name of every object', where({ field: '__proto__', operator: 'is', value: 1 }), 422, 'Unknown field'],
    [
      'with an unknown operator',
      where({ field: 'Column A', operator: 'contain', value: 1 }),
      422,
      'Did you mean \\"contains\\"',
    ],
    [
      'with an operator that does not fit',
      where({ field: 'Column A', operator: 'before', value: 1 }),
      400,
      'It takes: is',
    ],
    ['with a value that does not fit', where({ field: 'Column A', operator: 'gt', value: 'x' }), 400, 'takes a number'],
    [
      'with an unknown status',
      where({ field: 'cell_status', operator: 'is', value: 'faild' }),
      400,
      'Did you mean \\"failed\\"',
    ],
    [
      'with an unknown column as key',
      where({ field: 'cell_status', nested_key: 'Lenght', operator: 'is', value: 'stale' }),
      422,
      'Did you mean \\"Length\\"',
    ],
    [
      'with a key where there is none',
      where({ field: 'Other', nested_key: 'Length', operator: 'is', value: 1 }),
      400,
      'no keys',
    ],
    ['with a part of a status', where({ field: 'cell_status', operator: 'contains', value: 'a' }), 400, 'It takes: is'],
  ])('%s', async (_, filter, status, message) => {
    expect(JSON.stringify(await search({ filter: filter as object }, status))).toContain(message);
  });

  it('when it nests too deep, has too many conditions, or asks for what no text can hold', async () => {
    let deep: object = { filters: [] };
    for (let depth = 0; depth < 12; depth++) deep = { filters: [deep] };
    await search({ filter: deep }, 422);
    const many = Array.from({ length: 101 }, () => ({ field: 'Other', operator: 'is', value: 1 }));
    await search({ filter: { filters: many } }, 422);
    for (const value of ['\u0000', '\ud800', 'x'.repeat(100_000)]) {
      expect(await found(where({ field: 'Other', operator: 'contains', value }))).toEqual([]);
    }
    for (const value of [1e308, -1e308, '9'.repeat(300)]) {
      expect(await found(where({ field: 'Other', operator: 'gt', value }))).toEqual(value === -1e308 ? [0, 20] : []);
    }
    expect(await found(where({ field: 'row_index', operator: 'in', value: ['9223372036854775807', -1] }))).toEqual([]);
  });

  it('together with a version, as a sort by a column is', async () => {
    const version = await versionOf(me, sheet);
    await me.get(`${sheet.path}/rows?version=${version}&filter=${encodeURIComponent('{"filters":[]}')}`, 400);
    await me.get(`${sheet.path}/rows?version=${version}&sort=Length`, 400);
    await me.get(`${sheet.path}/rows?version=${version}&sort=row_index`);
  });

  it.each<[object, string]>([
    [{ sort: 'Lenght' }, 'Did you mean \\"Length\\"'],
    [{ sort: 7 }, 'string'],
    [{ order: 'up' }, 'asc'],
    [{ limit: 0 }, 'limit'],
    [{ filter: [] }, 'filter'],
    [{ filters: [] }, 'Did you mean \\"filter\\"'],
  ])('with %j beside it', async (body, message) => {
    expect(JSON.stringify(await search(body, 422))).toContain(message);
  });

  it('when several columns have the title, until one is named by its id', async () => {
    const twice = await newSheet(me, ['a', 'b']);
    const second = await addColumn(me, twice, { title: 'Column A', type: 'TEXT' });
    const ask = (field: string, status: number) =>
      me.post(`${twice.path}/rows/search`, { filter: where({ field, operator: 'is_empty' }) }, status);
    expect(JSON.stringify(await ask('Column A', 400))).toContain('several columns');
    expect(indexesOf((await ask(second.id, 200)) as RowsPage)).toEqual([0, 1]);
    await me.post(`${twice.path}/rows/search`, { sort: 'Column A' }, 400);
  });

  it('by 404 for a sheet of somebody else, and a column of another sheet is unknown', async () => {
    await (await app.stranger()).post(`${sheet.path}/rows/search`, {}, 404);
    await me.post(`${sheet.path.replace(sheet.id, randomUUID())}/rows/search`, {}, 404);
    const foreign = await newSheet(me, ['x']);
    await search({ filter: where({ field: foreign.columnId, operator: 'is_empty' }) }, 422);
    await search({ sort: foreign.columnId }, 422);
  });
});
