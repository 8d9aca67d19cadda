import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  readRows,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestColumnTypesModule, WeatherColumnType } from '../support/plugins.js';
import { TestSourceTypesModule } from '../support/source-types.js';
import { TestApp } from '../support/test-app.js';
import { gridOf, nameVersion, restore } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule, TestSourceTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

interface Changed {
  column: Column;
  affected_column_ids: string[];
}
interface Refusal {
  error: string;
  message: string;
}

const change = async (sheet: TestSheet, { id }: { id: string }, body: object) =>
  (await me.patch(`${sheet.path}/columns/${id}`, body)) as Changed;
const text = (sheet: TestSheet, title: string) => addColumn(me, sheet, { title, type: 'TEXT' });
const shout = (sheet: TestSheet, title: string, source: string) =>
  addColumn(me, sheet, { title, type: 'SHOUT', config: { source } });
const write = async (sheet: TestSheet, { id }: { id: string }, value: unknown, row = 0) => {
  const cells = await cellsOf(me, sheet, id);
  return editCell(me, sheet, cells[row]!, { value });
};
const cellAt = async (sheet: TestSheet, { id }: { id: string }, row = 0) => (await cellsOf(me, sheet, id))[row]!;
const recalculate = async (sheet: TestSheet, columns: { id: string }[], statuses: string[] = ['STALE']) => {
  const body = { operation: 'recalculate', column_ids: columns.map(({ id }) => id), statuses };
  await me.request('POST', `${sheet.path}/operations`, body);
  await settled(me, sheet);
};
const statusOf = async (sheet: TestSheet, column: { id: string }) => (await cellAt(sheet, column)).status;

const form = async (sheet: TestSheet, fields: object, more: object = {}) => {
  const column = await addColumn(me, sheet, { title: 'Form', type: 'FORM', config: { fields }, ...more });
  await settled(me, sheet);
  return column;
};
const refuseForm = async (sheet: TestSheet, config: object, more: object = {}) => {
  const before = await versionOf(me, sheet);
  const body = { title: 'Form', type: 'FORM', config, ...more };
  const answer = (await me.post(`${sheet.path}/columns`, body, 400)) as Refusal;
  expect(await versionOf(me, sheet)).toBe(before);
  return answer;
};
const forVariable = (variable: string, { id }: { id: string }) => ({
  column_id: id,
  reference_type: 'value',
  config_key: 'fields',
  config_meta: { variable_name: variable },
});

/** Text "Column A" with a first row of `x`, and a second text column with `y` in it. */
async function twoTexts() {
  const sheet = await newSheet(me, ['x']);
  const a = { id: sheet.columnId };
  const b = await text(sheet, 'B');
  await write(sheet, b, 'y');
  return { sheet, a, b };
}

describe('a map of variables', () => {
  it('takes titles, ids and nothing, and computes with the values of the row', async () => {
    const { sheet, a, b } = await twoTexts();
    const column = await form(sheet, { two: b.id, one: 'Column A', none: null, empty: '' });
    expect(await cellAt(sheet, column)).toMatchObject({ status: 'completed', value: 'empty=&none=&one=x&two=y' });
    expect(column.dependencies).toEqual([forVariable('one', a), forVariable('two', b)]);
  });

  it('means the columns that dependencies name, for their variables', async () => {
    const { sheet, a, b } = await twoTexts();
    await text(sheet, 'B');
    const fields = { one: 'B', two: 'nothing here', three: 'Column A' };
    const column = await form(sheet, fields, { dependencies: [forVariable('one', b), forVariable('two', b)] });
    expect(await cellAt(sheet, column)).toMatchObject({ value: 'one=y&three=x&two=y' });
    expect(column.dependencies).toEqual([forVariable('one', b), forVariable('three', a), forVariable('two', b)]);
  });

  it('keeps values with a special name, and depends on nothing for them', async () => {
    const { sheet, a } = await twoTexts();
    await text(sheet, 'row_number');
    const column = await form(sheet, { one: 'Column A', row: 'row_number' });
    expect(await cellAt(sheet, column)).toMatchObject({ value: 'one=x&row=row_number' });
    expect(column.dependencies).toEqual([forVariable('one', a)]);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', '', ' ', '10', 'x'.repeat(3_000), 'größe "🌍" \\ \u0000'])(
    'may have any variable (case %#)',
    async (variable) => {
      const { sheet, b } = await twoTexts();
      const column = await form(sheet, Object.fromEntries([[variable, 'B']]));
      const stored = variable.replace('\u0000', '\uFFFD');
      expect(column.dependencies).toEqual([forVariable(stored, b)]);
      expect(Object.entries(column.config.fields as object)).toEqual([[stored, 'B']]);
      expect(await cellAt(sheet, column)).toMatchObject({ status: 'completed', value: `${stored}=y` });
      await change(sheet, b, { title: 'Renamed' });
      await write(sheet, b, 'z');
      await recalculate(sheet, [column]);
      expect(await cellAt(sheet, column)).toMatchObject({ status: 'completed', value: `${stored}=z` });
    },
  );

  it('may have a thousand variables and no more', async () => {
    const { sheet } = await twoTexts();
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, 'B']));
    const column = await form(sheet, many(1_000));
    expect(column.dependencies).toHaveLength(1_000);
    expect((await cellAt(sheet, column)).value).toContain('v10=y&v100=y&');
    expect((await refuseForm(sheet, { fields: many(1_001) })).message).toMatch(/at most 1000 items/);
  });

  it.each([
    ['no object', { fields: ['Column A'] }, /valid dictionary/],
    ['a text', { fields: 'Column A' }, /valid dictionary/],
    ['null', { fields: null }, /valid dictionary/],
    ['absent', {}, /fields is required/],
    ['nested', { fields: { one: { two: 'Column A' } } }, /column of "one" should be a title or an id/],
    ['a list of lists', { fields: { one: ['Column A'] } }, /column of "one" should be/],
    ['a number', { fields: { one: 'Column A', two: 5 } }, /column of "two" should be/],
    ['a boolean', { fields: { one: true } }, /column of "one" should be/],
    ['too long a title', { fields: { one: 'x'.repeat(256) } }, /at most 255 characters/],
    ['an unknown column', { fields: { one: 'Nobody' } }, /fields "one" refers to "Nobody", which is no column/],
    ['an ambiguous title', { fields: { one: 'Twin' } }, /fields "one" refers to "Twin", but several columns/],
    ['a prototype', { fields: Object.fromEntries([['__proto__', 'Nobody']]) }, /fields "__proto__" refers to "Nobody"/],
  ])('that is or has %s is refused', async (_, config, message) => {
    const { sheet } = await twoTexts();
    for (const title of ['Twin', 'Twin']) await text(sheet, title);
    expect((await refuseForm(sheet, config)).message).toMatch(message);
  });

  it('refuses dependencies on columns of other sheets', async () => {
    const { sheet } = await twoTexts();
    const foreign = { id: (await newSheet(me)).columnId };
    const answer = await refuseForm(sheet, { fields: { one: 'B' } }, { dependencies: [forVariable('one', foreign)] });
    expect(answer).toMatchObject({ error: 'column_reference_unknown' });
  });

  it('keeps its columns when they are renamed or share a title', async () => {
    const { sheet, a, b } = await twoTexts();
    const column = await form(sheet, { one: 'Column A', two: 'B' });
    expect(await change(sheet, b, { title: 'Column A' })).toMatchObject({ affected_column_ids: [] });
    await write(sheet, b, 'new');
    await recalculate(sheet, [column]);
    expect(await cellAt(sheet, column)).toMatchObject({ status: 'completed', value: 'one=x&two=new' });

    const fields = { one: 'Column A', two: 'B', three: b.id };
    const changed = await change(sheet, column, { config: { fields } });
    expect(changed.column.dependencies).toEqual([
      forVariable('one', a),
      forVariable('three', b),
      forVariable('two', b),
    ]);
  });

  it('is the same in whatever order its variables are sent', async () => {
    const { sheet } = await twoTexts();
    const column = await form(sheet, { bb: 'B', a: 'Column A', c: null });
    const before = await versionOf(me, sheet);
    const changed = await change(sheet, column, { config: { fields: { c: null, a: 'Column A', bb: 'B' } } });
    expect(changed).toMatchObject({ affected_column_ids: [], version: before });
  });

  it('makes cells stale exactly when a column that it names changes', async () => {
    const { sheet, a, b } = await twoTexts();
    const column = await form(sheet, { one: 'B' });
    expect(await write(sheet, a, 'other')).toMatchObject({ stale_count: 0 });
    expect(await statusOf(sheet, column)).toBe('completed');
    expect(await write(sheet, b, 'other')).toMatchObject({ stale_count: 1 });
    expect(await cellAt(sheet, column)).toMatchObject({ status: 'stale', value: 'one=y' });
  });

  it('fails the cell when a column that it names has failed, and takes it when it is computed first', async () => {
    const { sheet, a } = await twoTexts();
    await shout(sheet, 'Shout', 'Column A');
    const column = await form(sheet, { one: 'Shout', two: 'B' });
    expect(await cellAt(sheet, column)).toMatchObject({ value: 'one=X!&two=y' });
    await write(sheet, a, 'fail');
    await recalculate(sheet, [column]);
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'error',
      error_message: '"Shout" failed in this row.',
    });
  });

  it('fails the cell when a column that it names was deleted, with the name of the variable', async () => {
    const { sheet, b } = await twoTexts();
    const column = await form(sheet, { one: 'Column A', two: 'B' });
    await me.delete(`${sheet.path}/columns/${b.id}`);
    expect(await statusOf(sheet, column)).toBe('stale');
    await recalculate(sheet, [column]);
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'error',
      error_message: 'A column that fields "two" refers to was deleted. Choose another one.',
    });
    await change(sheet, column, { config: { fields: { one: 'Column A', two: null } } });
    await recalculate(sheet, [column]);
    expect(await cellAt(sheet, column)).toMatchObject({ status: 'completed', value: 'one=x&two=' });
  });

  it('closes no circle', async () => {
    const { sheet } = await twoTexts();
    const column = await form(sheet, { one: 'Column A' });
    await shout(sheet, 'Shout', 'Form');
    const body = { config: { fields: { one: 'Column A', two: 'Shout' } } };
    const answer = (await me.patch(`${sheet.path}/columns/${column.id}`, body, 400)) as Refusal;
    expect(answer).toMatchObject({ error: 'cycle_detected', message: expect.stringContaining('Form → Shout → Form') });
  });

  it('comes back with a version, with the columns that it named then', async () => {
    const { sheet, b } = await twoTexts();
    const column = await form(sheet, { one: 'B', ['__proto__']: 'Column A', two: null });
    const before = gridOf(await readRows(me, sheet), false);
    const source = await nameVersion(me, sheet, 'Good');
    await change(sheet, b, { title: 'Renamed' });
    await change(sheet, column, { config: { fields: { one: 'Column A' } } });
    await me.delete(`${sheet.path}/columns/${b.id}`);
    await restore(me, sheet, source);
    expect(gridOf(await readRows(me, sheet), false)).toEqual(before);
    await write(sheet, b, 'again');
    await recalculate(sheet, [column]);
    expect((await cellAt(sheet, column)).value).toBe('__proto__=x&one=again&two=');
  });

  it('is described in the list of column types', async () => {
    const { column_types: types } = (await me.get('/api/public/v2/column-types')) as {
      column_types: { type: string; source_keys: string[]; config_schema: { properties: object } }[];
    };
    expect(types.find(({ type }) => type === 'FORM')).toMatchObject({
      source_keys: ['fields'],
      config_schema: {
        required: ['fields'],
        properties: {
          fields: {
            type: 'object',
            maxProperties: 1_000,
            additionalProperties: { type: ['string', 'null'], maxLength: 255 },
          },
        },
      },
    });
  });
});

describe('a column that reads everything to its left', () => {
  const everything = async (sheet: TestSheet, more: object = {}) => {
    const column = await addColumn(me, sheet, { title: 'All', type: 'EVERYTHING', ...more });
    await settled(me, sheet);
    return column;
  };

  it.each(['EVERYTHING', 'EVERYTHING_LATER'])('gets the titles and values of the row (%s)', async (type) => {
    const { sheet } = await twoTexts();
    await shout(sheet, 'Shout', 'B');
    const column = await everything(sheet, { type });
    await text(sheet, 'Right of it');
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'x', B: 'y', Shout: 'Y!' },
    });
    expect(column.dependencies).toEqual([]);
  });

  it('gets them in the order in which they are shown, under names that differ', async () => {
    const { sheet } = await twoTexts();
    for (const title of ['B', '__proto__', 'B (2)']) await text(sheet, title);
    const column = await everything(sheet, { config: { listed: true } });
    expect(JSON.parse((await cellAt(sheet, column)).value as string)).toEqual([
      ['Column A', 'x'],
      ['B', 'y'],
      ['B (2)', null],
      ['__proto__', null],
      ['B (2) (2)', null],
    ]);
    expect(Object.keys((await cellAt(sheet, await everything(sheet))).value as object)).toContain('__proto__');
  });

  it('gets what dependencies name besides, wherever it stands', async () => {
    const { sheet, b } = await twoTexts();
    const column = await everything(sheet);
    const right = await text(sheet, 'Right');
    await write(sheet, right, 'r');
    expect(await statusOf(sheet, column)).toBe('completed');
    await change(sheet, column, { dependencies: [{ column_id: right.id }] });
    await recalculate(sheet, [column]);
    expect((await cellAt(sheet, column)).value).toEqual({ 'Column A': 'x', B: 'y', Right: 'r' });
    await write(sheet, right, 's');
    expect(await statusOf(sheet, column)).toBe('stale');
    expect(await write(sheet, b, 'z')).toMatchObject({ stale_count: 0 });
  });

  it('is stale after an edit to its left, with what follows from it, and after no other', async () => {
    const { sheet, b } = await twoTexts();
    const column = await everything(sheet);
    const follower = await shout(sheet, 'Shout', 'All');
    const right = await text(sheet, 'Right');
    await settled(me, sheet);
    expect(await write(sheet, right, 'r')).toMatchObject({ stale_count: 0 });
    expect(await write(sheet, b, 'z')).toMatchObject({ stale_count: 2 });
    expect([await statusOf(sheet, column), await statusOf(sheet, follower)]).toEqual(['stale', 'stale']);
  });

  it('is stale when a column to its left is renamed, gets another type or is deleted', async () => {
    const { sheet, a, b } = await twoTexts();
    const column = await everything(sheet);
    const right = await text(sheet, 'Right');
    expect((await change(sheet, right, { title: 'Still right' })).affected_column_ids).toEqual([]);
    expect((await change(sheet, b, { title: 'Bee' })).affected_column_ids).toEqual([column.id]);
    await recalculate(sheet, [column]);
    expect((await cellAt(sheet, column)).value).toEqual({ 'Column A': 'x', Bee: 'y' });
    const retyped = await change(sheet, b, { type: 'SHOUT', config: { source: a.id } });
    expect(retyped.affected_column_ids).toEqual([b.id, column.id]);
    await recalculate(sheet, [b, column]);
    expect((await cellAt(sheet, column)).value).toEqual({ 'Column A': 'x', Bee: 'X!' });
    await me.delete(`${sheet.path}/columns/${b.id}`);
    expect(await statusOf(sheet, column)).toBe('stale');
    await recalculate(sheet, [column]);
    expect((await cellAt(sheet, column)).value).toEqual({ 'Column A': 'x' });
  });

  it('comes back with a version as it was, and is stale where it was stale', async () => {
    const { sheet, b } = await twoTexts();
    const column = await everything(sheet);
    const before = gridOf(await readRows(me, sheet), false);
    const source = await nameVersion(me, sheet, 'Good');
    await me.delete(`${sheet.path}/columns/${b.id}`);
    await recalculate(sheet, [column]);
    expect((await cellAt(sheet, column)).value).toEqual({ 'Column A': 'x' });
    await restore(me, sheet, source);
    expect(gridOf(await readRows(me, sheet), false)).toEqual(before);
    await write(sheet, b, 'again');
    expect(await statusOf(sheet, column)).toBe('stale');
  });

  it('gets null for what failed or was not computed, and does not pull it into its own computation', async () => {
    const { sheet, a } = await twoTexts();
    const failing = await shout(sheet, 'Shout', 'Column A');
    const column = await everything(sheet);
    await write(sheet, a, 'fail');
    await recalculate(sheet, [column]);
    expect(await statusOf(sheet, failing)).toBe('stale');
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'fail', B: 'y', Shout: 'X!' },
    });
    await recalculate(sheet, [failing]);
    expect([await statusOf(sheet, failing), await statusOf(sheet, column)]).toEqual(['error', 'stale']);
    await recalculate(sheet, [column]);
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'fail', B: 'y', Shout: null },
    });
    await me.post(`${sheet.path}/rows`, { values: [{ [a.id]: 'new' }] }, 201);
    await recalculate(sheet, [column]);
    expect((await cellAt(sheet, column, 1)).value).toEqual({ 'Column A': 'new', B: null, Shout: null });
    expect((await cellAt(sheet, failing, 1)).status).toBe('stale');
  });

  it('fails with a column that it names, and pulls that one in when it is stale', async () => {
    const { sheet, a } = await twoTexts();
    const named = await shout(sheet, 'Shout', 'Column A');
    const column = await everything(sheet, { config: { also: 'Shout' } });
    await write(sheet, a, 'new');
    await recalculate(sheet, [column]);
    expect(await statusOf(sheet, named)).toBe('completed');
    expect((await cellAt(sheet, column)).value).toEqual({ 'Column A': 'new', B: 'y', Shout: 'NEW!' });
    await write(sheet, a, 'fail');
    await recalculate(sheet, [column]);
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'error',
      error_message: '"Shout" failed in this row.',
    });
  });

  it('stays up to date when a stale column to its left is computed with the same value, and only then', async () => {
    const sheet = await newSheet(me, ['Rome']);
    WeatherColumnType.today = 'sunny';
    const weather = await addColumn(me, sheet, { title: 'Weather', type: 'WEATHER', config: { city: 'Column A' } });
    const column = await everything(sheet, { config: { listed: true } });
    const follower = await shout(sheet, 'Shout', 'All');
    await settled(me, sheet);
    await write(sheet, { id: sheet.columnId }, 'Oslo');
    await write(sheet, { id: sheet.columnId }, 'Rome');
    await recalculate(sheet, [follower]);
    const states = async () => Promise.all([weather, column, follower].map((each) => statusOf(sheet, each)));
    expect(await states()).toEqual(['stale', 'completed', 'completed']);
    await recalculate(sheet, [weather]);
    expect(await states()).toEqual(['completed', 'completed', 'completed']);

    await write(sheet, { id: sheet.columnId }, 'Oslo');
    await recalculate(sheet, [follower]);
    expect(await states()).toEqual(['stale', 'completed', 'completed']);
    await recalculate(sheet, [weather]);
    expect(await states()).toEqual(['completed', 'stale', 'stale']);
  });

  it('is computed after what is to its left when both are computed at once', async () => {
    const { sheet, a } = await twoTexts();
    const first = await shout(sheet, 'Shout', 'Column A');
    const second = await shout(sheet, 'Louder', 'Shout');
    const column = await everything(sheet);
    await write(sheet, a, 'new');
    await recalculate(sheet, [column, second, first]);
    expect(await cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'new', B: 'y', Shout: 'NEW!', Louder: 'NEW!!' },
    });
  });

  it('leaves out columns that depend on it, so that no circle arises', async () => {
    const { sheet, a, b } = await twoTexts();
    const first = await everything(sheet, { title: 'First' });
    const second = await everything(sheet, { title: 'Second' });
    expect((await cellAt(sheet, second)).value).toEqual({
      'Column A': 'x',
      B: 'y',
      First: { 'Column A': 'x', B: 'y' },
    });
    // Now B follows the second one, and the first one follows B: the second one can have neither.
    const changed = await change(sheet, b, { type: 'COUNT', config: { source: 'Second', type: 'chars' } });
    expect(new Set(changed.affected_column_ids)).toEqual(new Set([b.id, first.id, second.id]));
    await recalculate(sheet, [first, second, b]);
    expect((await cellAt(sheet, second)).value).toEqual({ 'Column A': 'x' });
    expect((await cellAt(sheet, first)).value).toMatchObject({ 'Column A': 'x', B: (await cellAt(sheet, b)).value });
    // What makes room for them again changes both.
    const back = await change(sheet, b, { config: { source: a.id, type: 'chars' } });
    expect(new Set(back.affected_column_ids)).toEqual(new Set([b.id, first.id, second.id]));
    await recalculate(sheet, [first, second, b]);
    expect((await cellAt(sheet, second)).value).toEqual({ 'Column A': 'x', B: 1, First: { 'Column A': 'x', B: 1 } });
  });

  it('refuses circles that configs close', async () => {
    const { sheet } = await twoTexts();
    const column = await everything(sheet);
    await shout(sheet, 'Shout', 'All');
    const body = { config: { also: 'Shout' } };
    expect(await me.patch(`${sheet.path}/columns/${column.id}`, body, 400)).toMatchObject({ error: 'cycle_detected' });
  });

  it('skips blank rows when it is added', async () => {
    const sheet = await newSheet(me, ['x', '']);
    const column = await everything(sheet);
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual([{ 'Column A': 'x' }, null]);
  });
});
