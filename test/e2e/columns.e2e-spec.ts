import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  type Cell,
  type Column,
  newSheet,
  type Page,
  readAll,
  readRows,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false, extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

const titled = (title: string) => ({ title, type: 'TEXT' });
const contains = (config: object, more: object = {}) => ({ title: 'Contains', type: 'CONTAINS', config, ...more });
const listed = async (sheet: TestSheet) => (await readRows(me, sheet)).columns;

/** A sheet with the text columns A, B and twice C. */
async function sheetOf(): Promise<{ sheet: TestSheet; columns: Column[] }> {
  const sheet = await newSheet(me, ['text']);
  for (const title of ['B', 'C', 'C']) await addColumn(me, sheet, titled(title));
  return { sheet, columns: await listed(sheet) };
}

async function refuse(sheet: TestSheet, body: object, status = 400): Promise<{ error: string; message: string }> {
  const before = [await versionOf(me, sheet), await listed(sheet)];
  const answer = (await me.post(`${sheet.path}/columns`, body, status)) as { error: string; message: string };
  expect([await versionOf(me, sheet), await listed(sheet)]).toEqual(before);
  return answer;
}

describe('adding a column', () => {
  it('puts it after the last one, with a cell for every row, as one new version', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const before = await versionOf(me, sheet);
    const answer = (await me.post(`${sheet.path}/columns`, { ...titled('Notes'), config: null }, 201)) as {
      column: Column;
      cells: Cell[];
      version: number;
    };
    expect(answer.version).toBe(before + 1);
    expect(answer.column).toMatchObject({
      title: 'Notes',
      type: 'TEXT',
      config: {},
      dependencies: [],
      is_output_column: false,
      sheet_id: sheet.id,
    });
    expect(answer.cells).toMatchObject(
      [0, 1].map((row_index) => ({ row_index, status: 'completed', value: null, display_value: null })),
    );
    const { columns, data } = await readRows(me, sheet);
    expect(columns.at(-1)).toEqual(answer.column);
    expect(columns[1]!.position_rank).toBeGreaterThan(columns[0]!.position_rank);
    expect(data.map(({ cells }) => cells[answer.column.id]!.id)).toEqual(answer.cells.map(({ id }) => id));
  });

  it('queues the cells of a computed one, and shows them stale in the answer', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const answer = (await me.post(`${sheet.path}/columns`, contains({ source: 'Column A', value: 'a' }), 201)) as {
      column: Column;
      cells: Cell[];
    };
    expect(answer.column.is_output_column).toBe(true);
    expect(answer.cells.map(({ status }) => status)).toEqual(['stale', 'stale']);
    expect(await me.get(`${sheet.path}/operations`)).toMatchObject({
      total_cells: 2,
      pending_count: 2,
      active_operations: [{ status: 'queued', cell_count: 2, pending_count: 2 }],
    });
  });

  it('takes whether it is an output from the caller', async () => {
    const sheet = await newSheet(me);
    expect(await addColumn(me, sheet, { ...titled('Out'), is_output_column: true })).toMatchObject({
      is_output_column: true,
    });
    expect(
      await addColumn(me, sheet, contains({ source: 'Out', value: 'x' }, { is_output_column: false })),
    ).toMatchObject({ is_output_column: false });
  });

  it('takes the type in any letter case and under its other names, and answers with its own', async () => {
    const sheet = await newSheet(me);
    for (const [given, type] of [
      ['text', 'TEXT'],
      ['Text', 'TEXT'],
      ['contains', 'CONTAINS'],
      ['Yell', 'SHOUT'],
    ]) {
      expect(
        await addColumn(me, sheet, { title: given, type: given, config: { source: 'Column A', value: '' } }),
      ).toMatchObject({ type });
    }
  });

  it('allows a title twice and keeps older config keys working', async () => {
    const sheet = await newSheet(me);
    await addColumn(me, sheet, titled('Column A'));
    expect(
      await addColumn(me, sheet, {
        title: 'N',
        type: 'COUNT',
        config: { source: (await listed(sheet))[0]!.id, count_type: 'words' },
      }),
    ).toMatchObject({ type: 'COUNT' });
  });

  it.each([
    [{ type: 'TEXT' }, ['body', 'title']],
    [{ title: '', type: 'TEXT' }, ['body', 'title']],
    [{ title: ' ', type: 'TEXT' }, ['body', 'title']],
    [{ title: 'x'.repeat(256), type: 'TEXT' }, ['body', 'title']],
    [{ title: 'T', type: '' }, ['body', 'type']],
    [{ title: 'T', type: 5 }, ['body', 'type']],
    [{ title: 'T', type: 'NONSENSE' }, ['body', 'type']],
    [{ title: 'T', type: '__proto__' }, ['body', 'type']],
    [{ title: 5, type: 'TEXT' }, ['body', 'title']],
    [{ title: 'T', type: 'TEXT', config: [] }, ['body', 'config']],
    [{ title: 'T', type: 'TEXT', dependencies: {} }, ['body', 'dependencies']],
    [{ title: 'T', type: 'TEXT', dependencies: [{}] }, ['body', 'dependencies', 0, 'column_id']],
    [{ title: 'T', type: 'TEXT', dependencies: ['x'] }, expect.arrayContaining(['body', 'dependencies'])],
    [{ title: 'T', type: 'TEXT', dependencies: [null] }, expect.arrayContaining(['body', 'dependencies'])],
    [{ title: 'T', type: 'TEXT', is_output_column: 'yes' }, ['body', 'is_output_column']],
  ])('refuses %j with 422 and says where the fault is', async (body, loc) => {
    const sheet = await newSheet(me);
    expect(await refuse(sheet, body, 422)).toMatchObject({ detail: [{ loc }] });
  });

  it.each(['DATASET', 'dataset', 'CONDITION'])(
    'refuses the type %s, which the API knows but no sheet can have, with 400',
    async (type) => {
      expect(await refuse(await newSheet(me), { title: 'T', type })).toMatchObject({
        error: 'column_type_not_creatable',
      });
    },
  );

  it.each([
    ['CONTAINS', {}, /source/],
    ['CONTAINS', { source: 'Column A' }, /value/],
    ['CONTAINS', { source: 5, value: 'x' }, /source/],
    ['CONTAINS', { source: 'Column A', value: 5 }, /value/],
    ['CONTAINS', { source: 'Column A', value: 'x', case_sensitive: 'yes' }, /case_sensitive/],
    ['COUNT', { source: 'Column A' }, /type/],
    ['COUNT', { source: 'Column A', type: 'letters' }, /type/],
    ['COUNT', { source: 'Column A', type: 'words', min_count: -1 }, /min_count/],
    ['COUNT', { source: 'Column A', type: 'words', min_count: 5, max_count: 4 }, /min_count/],
    ['SHOUT', { source: 'Column A', mark: '?' }, /no shout/],
    ['JOIN', { sources: [] }, /sources/],
    ['JOIN', { sources: 'Column A' }, /sources/],
  ])('refuses a config that does not fit %s with 400 and the reason: %j', async (type, config, reason) => {
    const answer = await refuse(await newSheet(me), { title: 'T', type, config });
    expect(answer).toMatchObject({ error: 'column_config_invalid', message: expect.stringMatching(reason) });
  });
});

describe('a reference to another column', () => {
  it('may be its title, its id in any case, or a dependency given for the place, which wins', async () => {
    const { sheet, columns } = await sheetOf();
    const [a, b] = columns as [Column, Column];
    const byTitle = await addColumn(me, sheet, contains({ source: 'B', value: 'x' }));
    const byId = await addColumn(me, sheet, contains({ source: b.id.toUpperCase(), value: 'x' }));
    const dependencies = [{ column_id: b.id, reference_type: 'anything', config_key: 'source' }];
    const byDependency = await addColumn(me, sheet, contains({ source: 'Column A', value: 'x' }, { dependencies }));
    for (const { dependencies: edges } of [byTitle, byId, byDependency]) {
      expect(edges).toEqual([{ column_id: b.id, reference_type: 'value', config_key: 'source', config_meta: null }]);
    }
    expect(a.id).not.toBe(b.id);
  });

  it('fills each slot of a list separately', async () => {
    const { sheet, columns } = await sheetOf();
    const [a, b, c] = columns as [Column, Column, Column];
    const dependencies = [{ column_id: c.id, config_key: 'sources', config_meta: { position: 1 } }];
    const joined = await addColumn(me, sheet, {
      title: 'J',
      type: 'JOIN',
      config: { sources: ['Column A', 'C', 'B', 'Column A'] },
      dependencies,
    });
    expect(joined.dependencies.map(({ column_id: id, config_key }) => [id, config_key])).toEqual(
      [a, c, b, a].map(({ id }) => [id, 'sources']),
    );
  });

  it('is refused with 400 when no column or several have the title', async () => {
    const { sheet } = await sheetOf();
    expect(await refuse(sheet, contains({ source: 'Nobody', value: 'x' }))).toMatchObject({
      error: 'column_reference_unknown',
    });
    expect(await refuse(sheet, contains({ source: 'b', value: 'x' }))).toMatchObject({
      error: 'column_reference_unknown',
    });
    expect(await refuse(sheet, contains({ source: 'C', value: 'x' }))).toMatchObject({
      error: 'column_reference_ambiguous',
      message: expect.stringContaining('"C"'),
    });
    expect(await refuse(sheet, contains({ source: randomUUID(), value: 'x' }))).toMatchObject({
      error: 'column_reference_unknown',
    });
  });

  it('is refused with 400 when it is a dependency on a column of another sheet', async () => {
    const [{ sheet }, { columns }] = [await sheetOf(), await sheetOf()];
    for (const id of [columns[0]!.id, randomUUID()]) {
      const body = { ...titled('T'), dependencies: [{ column_id: id }] };
      expect(await refuse(sheet, body)).toMatchObject({ error: 'column_reference_unknown' });
    }
  });

  it('reads nothing when it is empty', async () => {
    const sheet = await newSheet(me);
    expect(await addColumn(me, sheet, contains({ source: '', value: 'x' }))).toMatchObject({ dependencies: [] });
    expect(await addColumn(me, sheet, contains({ source: 'Column A', value_source: '', value: 'x' }))).toMatchObject({
      dependencies: [{ config_key: 'source' }],
    });
  });

  it('may be null where nothing is read', async () => {
    const sheet = await newSheet(me);
    expect(await addColumn(me, sheet, contains({ source: null, value: 'x' }))).toMatchObject({ dependencies: [] });
  });

  it('is kept as an order when it is a dependency without a slot', async () => {
    const { sheet, columns } = await sheetOf();
    const column = await addColumn(me, sheet, {
      ...titled('T'),
      dependencies: [{ column_id: columns[1]!.id.toUpperCase(), config_key: null }],
    });
    expect(column.dependencies).toEqual([
      { column_id: columns[1]!.id, reference_type: 'value', config_key: null, config_meta: null },
    ]);
  });

  it('with a title that looks like an id means the title when no column has the id', async () => {
    const sheet = await newSheet(me);
    const title = randomUUID();
    const named = await addColumn(me, sheet, titled(title));
    expect(await addColumn(me, sheet, contains({ source: title, value: 'x' }))).toMatchObject({
      dependencies: [{ column_id: named.id }],
    });
  });
});

describe('the list of columns', () => {
  it('is in the order in which they are shown, or the reverse, page by page', async () => {
    const { sheet } = await sheetOf();
    const url = `${sheet.path}/columns?limit=2`;
    const titles = async (query: string) => (await readAll<Column>(me, url + query)).map(({ title }) => title);
    expect(await titles('')).toEqual(['Column A', 'B', 'C', 'C']);
    expect(await titles('&order=desc')).toEqual(['C', 'C', 'B', 'Column A']);
    expect(await me.get(`${sheet.path}/columns`)).toMatchObject({
      count: 4,
      has_more: false,
      pagination: { limit: 100 },
      data: await listed(sheet),
    });
  });

  it('refuses the cursor of another sheet', async () => {
    const [{ sheet: one }, { sheet: two }] = [await sheetOf(), await sheetOf()];
    const { next_cursor: cursor } = (await me.get(`${one.path}/columns?limit=1`)) as Page<Column>;
    expect(await me.get(`${two.path}/columns?cursor=${cursor}`, 400)).toMatchObject({ error: 'cursor_invalid' });
  });

  it('names a chain by the ids it was given for, so that twice the same title later breaks nothing', async () => {
    const sheet = await newSheet(me);
    const first = await addCount(me, sheet, 'N');
    await addCount(me, sheet, 'N', first.id);
    expect((await listed(sheet)).at(-1)!.dependencies).toMatchObject([{ column_id: first.id }]);
  });
});

describe('the column types', () => {
  it('are listed with their sources and results, including those of extensions', async () => {
    const { column_types: types } = (await me.get('/api/public/v2/column-types')) as {
      column_types: { type: string }[];
    };
    expect(types).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'TEXT', kind: 'input', computed: false, source_keys: [] }),
        expect.objectContaining({
          type: 'CONTAINS',
          kind: 'deterministic',
          output: 'boolean',
          computed: true,
          source_keys: ['source', 'value_source'],
        }),
        expect.objectContaining({ type: 'SHOUT', aliases: ['yell'] }),
        expect.objectContaining({ type: 'JOIN', source_keys: ['sources'] }),
      ]),
    );
  });
});

it('says which column types there are and what their configs look like', async () => {
  const { column_types: types } = (await app.client.get('/api/public/v2/column-types')) as {
    column_types: { type: string }[];
  };
  expect(types.map(({ type }) => type)).toEqual(expect.arrayContaining(['CONTAINS', 'COUNT', 'SHOUT', 'TEXT']));
  expect(types.find(({ type }) => type === 'COUNT')).toMatchObject({
    computed: true,
    source_keys: ['source'],
    config_schema: {
      type: 'object',
      required: ['source', 'type'],
      properties: { source: { type: ['string', 'null'] }, min_count: { type: ['integer', 'null'], minimum: 0 } },
    },
  });
});

describe('a column whose type is not given', () => {
  it.each<[string, object, string, object]>([
    ['nothing', {}, 'TEXT', {}],
    ['a type of null', { type: null, config: null, dependencies: null }, 'TEXT', {}],
    ['a type in its config', { config: { type: 'CONTAINS', source: 'Column A', value: 'x' } }, 'CONTAINS', { source: 'Column A', value: 'x' }], // prettier-ignore
    ['another name of one', { config: { type: 'comparison', sources: ['Column A'], target: 'x' } }, 'COMPARE', { sources: ['Column A'], target: 'x' }], // prettier-ignore
    ['the type of text in its config', { config: { type: 'text' } }, 'TEXT', {}],
    ['a config that names no type', { config: { type: 'words', source: 'Column A' } }, 'TEXT', { type: 'words', source: 'Column A' }], // prettier-ignore
    ['a type beside that of its config', { type: 'COUNT', config: { type: 'chars', source: 'Column A' } }, 'COUNT', { type: 'chars', source: 'Column A' }], // prettier-ignore
    ['a type in its config that has one of its own', { config: { type: 'count', source: 'Column A', count_type: 'words' } }, 'COUNT', { source: 'Column A', count_type: 'words' }], // prettier-ignore
  ])('but %s', async (_, body, type, config) => {
    expect(await addColumn(me, await newSheet(me), { title: 'New', ...body })).toMatchObject({ type, config });
  });

  it('reads what its dependencies say', async () => {
    const sheet = await newSheet(me, ['abc']);
    const dependencies = [{ column_id: sheet.columnId, config_key: 'source' }];
    const body = { title: 'New', config: { type: 'COUNT', source: 'whatever', count_type: 'chars' }, dependencies };
    expect((await addColumn(me, sheet, body)).dependencies).toMatchObject(dependencies);
  });

  it('is refused like one whose type is given', async () => {
    const sheet = await newSheet(me);
    for (const [config, error] of [
      [{ type: 'CONTAINS' }, 'column_config_invalid'],
      [{ type: 'dataset' }, 'column_type_not_creatable'],
      [{ type: 'COUNT', source: 'Nobody', count_type: 'chars' }, 'column_reference_unknown'],
    ]) {
      expect(await me.post(`${sheet.path}/columns`, { title: 'New', config }, 400)).toMatchObject({ error });
    }
  });
});
