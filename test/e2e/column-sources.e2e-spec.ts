import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, newSheet, readRows, settled, type TestSheet, versionOf } from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestSourceTypesModule } from '../support/source-types.js';
import { TestApp } from '../support/test-app.js';
import { gridOf, nameVersion, restore } from '../support/versions.js';
import { SheetUser } from './column-sources.fixture.js';

let app: TestApp;
let me: Client;
let user: SheetUser;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule, TestSourceTypesModule] });
  me = app.client;
  user = new SheetUser(me);
});
afterAll(() => app.stop());

interface Refusal {
  error: string;
  message: string;
}

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

describe('a map of variables', () => {
  it('takes titles, ids and nothing, and computes with the values of the row', async () => {
    const { sheet, a, b } = await user.twoTexts();
    const column = await form(sheet, { two: b.id, one: 'Column A', none: null, empty: '' });
    expect(await user.cellAt(sheet, column)).toMatchObject({ status: 'completed', value: 'empty=&none=&one=x&two=y' });
    expect(column.dependencies).toEqual([forVariable('one', a), forVariable('two', b)]);
  });

  it('means the columns that dependencies name, for their variables', async () => {
    const { sheet, a, b } = await user.twoTexts();
    await user.text(sheet, 'B');
    const fields = { one: 'B', two: 'nothing here', three: 'Column A' };
    const column = await form(sheet, fields, { dependencies: [forVariable('one', b), forVariable('two', b)] });
    expect(await user.cellAt(sheet, column)).toMatchObject({ value: 'one=y&three=x&two=y' });
    expect(column.dependencies).toEqual([forVariable('one', b), forVariable('three', a), forVariable('two', b)]);
  });

  it('keeps values with a special name, and depends on nothing for them', async () => {
    const { sheet, a } = await user.twoTexts();
    await user.text(sheet, 'row_number');
    const column = await form(sheet, { one: 'Column A', row: 'row_number' });
    expect(await user.cellAt(sheet, column)).toMatchObject({ value: 'one=x&row=row_number' });
    expect(column.dependencies).toEqual([forVariable('one', a)]);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', '', ' ', '10', 'x'.repeat(3_000), 'größe "🌍" \\ \u0000'])(
    'may have any variable (case %#)',
    async (variable) => {
      const { sheet, b } = await user.twoTexts();
      const column = await form(sheet, Object.fromEntries([[variable, 'B']]));
      const stored = variable.replace('\u0000', '\uFFFD');
      expect(column.dependencies).toEqual([forVariable(stored, b)]);
      expect(Object.entries(column.config.fields as object)).toEqual([[stored, 'B']]);
      expect(await user.cellAt(sheet, column)).toMatchObject({ status: 'completed', value: `${stored}=y` });
      await user.change(sheet, b, { title: 'Renamed' });
      await user.write(sheet, b, 'z');
      await user.recalculate(sheet, [column]);
      expect(await user.cellAt(sheet, column)).toMatchObject({ status: 'completed', value: `${stored}=z` });
    },
  );

  it('may have a thousand variables and no more', async () => {
    const { sheet } = await user.twoTexts();
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, 'B']));
    const column = await form(sheet, many(1_000));
    expect(column.dependencies).toHaveLength(1_000);
    expect((await user.cellAt(sheet, column)).value).toContain('v10=y&v100=y&');
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
    ['an unknown column', { fields: { one: 'Nobody' } }, /fields "one" refers to "Nobody", which is not a column/],
    ['an ambiguous title', { fields: { one: 'Twin' } }, /fields "one" refers to "Twin", but several columns/],
    ['a prototype', { fields: Object.fromEntries([['__proto__', 'Nobody']]) }, /fields "__proto__" refers to "Nobody"/],
  ])('that is or has %s is refused', async (_, config, message) => {
    const { sheet } = await user.twoTexts();
    for (const title of ['Twin', 'Twin']) await user.text(sheet, title);
    expect((await refuseForm(sheet, config)).message).toMatch(message);
  });

  it('refuses dependencies on columns of other sheets', async () => {
    const { sheet } = await user.twoTexts();
    const foreign = { id: (await newSheet(me)).columnId };
    const answer = await refuseForm(sheet, { fields: { one: 'B' } }, { dependencies: [forVariable('one', foreign)] });
    expect(answer).toMatchObject({ error: 'column_reference_unknown' });
  });

  it('keeps its columns when they are renamed or share a title', async () => {
    const { sheet, a, b } = await user.twoTexts();
    const column = await form(sheet, { one: 'Column A', two: 'B' });
    expect(await user.change(sheet, b, { title: 'Column A' })).toMatchObject({ affected_column_ids: [] });
    await user.write(sheet, b, 'new');
    await user.recalculate(sheet, [column]);
    expect(await user.cellAt(sheet, column)).toMatchObject({ status: 'completed', value: 'one=x&two=new' });

    const fields = { one: 'Column A', two: 'Column A', three: b.id };
    const changed = await user.change(sheet, column, { config: { fields } });
    expect(changed.column.dependencies).toEqual([
      forVariable('one', a),
      forVariable('three', b),
      forVariable('two', b),
    ]);
  });

  it('is the same in whatever order its variables are sent', async () => {
    const { sheet } = await user.twoTexts();
    const column = await form(sheet, { bb: 'B', a: 'Column A', c: null });
    const before = await versionOf(me, sheet);
    const changed = await user.change(sheet, column, { config: { fields: { c: null, a: 'Column A', bb: 'B' } } });
    expect(changed).toMatchObject({ affected_column_ids: [], version: before });
  });

  it('makes cells stale exactly when a column that it names changes', async () => {
    const { sheet, a, b } = await user.twoTexts();
    const column = await form(sheet, { one: 'B' });
    expect(await user.write(sheet, a, 'other')).toMatchObject({ stale_count: 0 });
    expect(await user.statusOf(sheet, column)).toBe('completed');
    expect(await user.write(sheet, b, 'other')).toMatchObject({ stale_count: 1 });
    expect(await user.cellAt(sheet, column)).toMatchObject({ status: 'stale', value: 'one=y' });
  });

  it('fails the cell when a column that it names has failed, and takes it when it is computed first', async () => {
    const { sheet, a } = await user.twoTexts();
    await user.shout(sheet, 'Shout', 'Column A');
    const column = await form(sheet, { one: 'Shout', two: 'B' });
    expect(await user.cellAt(sheet, column)).toMatchObject({ value: 'one=X!&two=y' });
    await user.write(sheet, a, 'fail');
    await user.recalculate(sheet, [column]);
    expect(await user.cellAt(sheet, column)).toMatchObject({
      status: 'error',
      error_message: '"Shout" failed in this row.',
    });
  });

  it('fails the cell when a column that it names was deleted, with the name of the variable', async () => {
    const { sheet, b } = await user.twoTexts();
    const column = await form(sheet, { one: 'Column A', two: 'B' });
    await me.delete(`${sheet.path}/columns/${b.id}`);
    expect(await user.statusOf(sheet, column)).toBe('stale');
    await user.recalculate(sheet, [column]);
    expect(await user.cellAt(sheet, column)).toMatchObject({
      status: 'error',
      error_message: 'A column that fields "two" refers to was deleted. Choose another one.',
    });
    await user.change(sheet, column, { config: { fields: { one: 'Column A', two: null } } });
    await user.recalculate(sheet, [column]);
    expect(await user.cellAt(sheet, column)).toMatchObject({ status: 'completed', value: 'one=x&two=' });
  });

  it('closes no circle', async () => {
    const { sheet } = await user.twoTexts();
    const column = await form(sheet, { one: 'Column A' });
    await user.shout(sheet, 'Shout', 'Form');
    const body = { config: { fields: { one: 'Column A', two: 'Shout' } } };
    const answer = (await me.patch(`${sheet.path}/columns/${column.id}`, body, 400)) as Refusal;
    expect(answer).toMatchObject({ error: 'cycle_detected', message: expect.stringContaining('Form → Shout → Form') });
  });

  it('comes back with a version, with the columns that it named then', async () => {
    const { sheet, b } = await user.twoTexts();
    const column = await form(sheet, { one: 'B', ['__proto__']: 'Column A', two: null });
    const before = gridOf(await readRows(me, sheet), false);
    const source = await nameVersion(me, sheet, 'Good');
    await user.change(sheet, b, { title: 'Renamed' });
    await user.change(sheet, column, { config: { fields: { one: 'Column A' } } });
    await me.delete(`${sheet.path}/columns/${b.id}`);
    await restore(me, sheet, source);
    expect(gridOf(await readRows(me, sheet), false)).toEqual(before);
    await user.write(sheet, b, 'again');
    await user.recalculate(sheet, [column]);
    expect((await user.cellAt(sheet, column)).value).toBe('__proto__=x&one=again&two=');
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
