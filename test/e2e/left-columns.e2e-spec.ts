import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, readRows, settled, type TestSheet } from '../support/factories.js';
import { TestColumnTypesModule, WeatherColumnType } from '../support/plugins.js';
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

describe('a column that reads everything to its left', () => {
  const everything = async (sheet: TestSheet, more: object = {}) => {
    const column = await addColumn(me, sheet, { title: 'All', type: 'EVERYTHING', ...more });
    await settled(me, sheet);
    return column;
  };

  it.each(['EVERYTHING', 'EVERYTHING_TOGETHER', 'EVERYTHING_LATER'])(
    'gets the titles and values of the row (%s)',
    async (type) => {
      const { sheet } = await user.twoTexts();
      await user.shout(sheet, 'Shout', 'B');
      const column = await everything(sheet, { type });
      await user.text(sheet, 'Right of it');
      expect(await user.cellAt(sheet, column)).toMatchObject({
        status: 'completed',
        value: { 'Column A': 'x', B: 'y', Shout: 'Y!' },
      });
      expect(column.dependencies).toEqual([]);
    },
  );

  it('gets them in the order in which they are shown, under names that differ', async () => {
    const { sheet } = await user.twoTexts();
    for (const title of ['B', '__proto__', 'B (2)']) await user.text(sheet, title);
    const column = await everything(sheet, { config: { listed: true } });
    expect(JSON.parse((await user.cellAt(sheet, column)).value as string)).toEqual([
      ['Column A', 'x'],
      ['B', 'y'],
      ['B (2)', null],
      ['__proto__', null],
      ['B (2) (2)', null],
    ]);
    expect(Object.keys((await user.cellAt(sheet, await everything(sheet))).value as object)).toContain('__proto__');
  });

  it('also gets the columns that its dependencies name, at any position', async () => {
    const { sheet, b } = await user.twoTexts();
    const column = await everything(sheet);
    const right = await user.text(sheet, 'Right');
    await user.write(sheet, right, 'r');
    expect(await user.statusOf(sheet, column)).toBe('completed');
    await user.change(sheet, column, { dependencies: [{ column_id: right.id }] });
    await user.recalculate(sheet, [column]);
    expect((await user.cellAt(sheet, column)).value).toEqual({ 'Column A': 'x', B: 'y', Right: 'r' });
    await user.write(sheet, right, 's');
    expect(await user.statusOf(sheet, column)).toBe('stale');
    expect(await user.write(sheet, b, 'z')).toMatchObject({ stale_count: 0 });
  });

  it('is stale after an edit to its left, with what follows from it, and after no other', async () => {
    const { sheet, b } = await user.twoTexts();
    const column = await everything(sheet);
    const follower = await user.shout(sheet, 'Shout', 'All');
    const right = await user.text(sheet, 'Right');
    await settled(me, sheet);
    expect(await user.write(sheet, right, 'r')).toMatchObject({ stale_count: 0 });
    expect(await user.write(sheet, b, 'z')).toMatchObject({ stale_count: 2 });
    expect([await user.statusOf(sheet, column), await user.statusOf(sheet, follower)]).toEqual(['stale', 'stale']);
  });

  it('is stale when a column to its left is renamed, gets another type or is deleted', async () => {
    const { sheet, a, b } = await user.twoTexts();
    const column = await everything(sheet);
    const right = await user.text(sheet, 'Right');
    expect((await user.change(sheet, right, { title: 'Still right' })).affected_column_ids).toEqual([]);
    expect((await user.change(sheet, b, { title: 'Bee' })).affected_column_ids).toEqual([column.id]);
    await user.recalculate(sheet, [column]);
    expect((await user.cellAt(sheet, column)).value).toEqual({ 'Column A': 'x', Bee: 'y' });
    const retyped = await user.change(sheet, b, { type: 'SHOUT', config: { source: a.id } });
    expect(retyped.affected_column_ids).toEqual([b.id, column.id]);
    await user.recalculate(sheet, [b, column]);
    expect((await user.cellAt(sheet, column)).value).toEqual({ 'Column A': 'x', Bee: 'X!' });
    await me.delete(`${sheet.path}/columns/${b.id}`);
    expect(await user.statusOf(sheet, column)).toBe('stale');
    await user.recalculate(sheet, [column]);
    expect((await user.cellAt(sheet, column)).value).toEqual({ 'Column A': 'x' });
  });

  it('comes back with a version as it was, and is stale where it was stale', async () => {
    const { sheet, b } = await user.twoTexts();
    const column = await everything(sheet);
    const before = gridOf(await readRows(me, sheet), false);
    const source = await nameVersion(me, sheet, 'Good');
    await me.delete(`${sheet.path}/columns/${b.id}`);
    await user.recalculate(sheet, [column]);
    expect((await user.cellAt(sheet, column)).value).toEqual({ 'Column A': 'x' });
    await restore(me, sheet, source);
    expect(gridOf(await readRows(me, sheet), false)).toEqual(before);
    await user.write(sheet, b, 'again');
    expect(await user.statusOf(sheet, column)).toBe('stale');
  });

  it('gets null for what failed or was not computed, and does not pull it into its own computation', async () => {
    const { sheet, a } = await user.twoTexts();
    const failing = await user.shout(sheet, 'Shout', 'Column A');
    const column = await everything(sheet);
    await user.write(sheet, a, 'fail');
    await user.recalculate(sheet, [column]);
    expect(await user.statusOf(sheet, failing)).toBe('stale');
    expect(await user.cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'fail', B: 'y', Shout: 'X!' },
    });
    await user.recalculate(sheet, [failing]);
    expect([await user.statusOf(sheet, failing), await user.statusOf(sheet, column)]).toEqual(['error', 'stale']);
    await user.recalculate(sheet, [column]);
    expect(await user.cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'fail', B: 'y', Shout: null },
    });
    await me.post(`${sheet.path}/rows`, { values: [{ [a.id]: 'new' }] }, 201);
    await user.recalculate(sheet, [column]);
    expect((await user.cellAt(sheet, column, 1)).value).toEqual({ 'Column A': 'new', B: null, Shout: null });
    expect((await user.cellAt(sheet, failing, 1)).status).toBe('stale');
  });

  it('fails with a column that it names, and pulls that one in when it is stale', async () => {
    const { sheet, a } = await user.twoTexts();
    const named = await user.shout(sheet, 'Shout', 'Column A');
    const column = await everything(sheet, { config: { also: 'Shout' } });
    await user.write(sheet, a, 'new');
    await user.recalculate(sheet, [column]);
    expect(await user.statusOf(sheet, named)).toBe('completed');
    expect((await user.cellAt(sheet, column)).value).toEqual({ 'Column A': 'new', B: 'y', Shout: 'NEW!' });
    await user.write(sheet, a, 'fail');
    await user.recalculate(sheet, [column]);
    expect(await user.cellAt(sheet, column)).toMatchObject({
      status: 'error',
      error_message: '"Shout" failed in this row.',
    });
  });

  it('pulls nothing in that is only to its left, whatever else is recalculated with it', async () => {
    const { sheet, a } = await user.twoTexts();
    const first = await user.shout(sheet, 'Shout', 'Column A');
    const second = await user.shout(sheet, 'Louder', 'Shout');
    const column = await everything(sheet);
    await user.write(sheet, a, 'new');
    await user.recalculate(sheet, [column]);
    await user.recalculate(sheet, [second, column], ['COMPLETED']);
    expect(await Promise.all([first, second, column].map((each) => user.statusOf(sheet, each)))).toEqual([
      'stale',
      'stale',
      'completed',
    ]);
  });

  it('stays up to date when a stale column to its left is computed with the same value, and only then', async () => {
    const sheet = await newSheet(me, ['Rome']);
    WeatherColumnType.today = 'sunny';
    const weather = await addColumn(me, sheet, { title: 'Weather', type: 'WEATHER', config: { city: 'Column A' } });
    const column = await everything(sheet, { config: { listed: true } });
    const follower = await user.shout(sheet, 'Shout', 'All');
    await settled(me, sheet);
    await user.write(sheet, { id: sheet.columnId }, 'Oslo');
    await user.write(sheet, { id: sheet.columnId }, 'Rome');
    await user.recalculate(sheet, [follower]);
    const states = async () => Promise.all([weather, column, follower].map((each) => user.statusOf(sheet, each)));
    expect(await states()).toEqual(['stale', 'completed', 'completed']);
    await user.recalculate(sheet, [weather]);
    expect(await states()).toEqual(['completed', 'completed', 'completed']);

    await user.write(sheet, { id: sheet.columnId }, 'Oslo');
    await user.recalculate(sheet, [follower]);
    expect(await states()).toEqual(['stale', 'completed', 'completed']);
    await user.recalculate(sheet, [weather]);
    expect(await states()).toEqual(['completed', 'stale', 'stale']);
  });

  it('is computed after the columns to its left when both are computed at once', async () => {
    const { sheet, a } = await user.twoTexts();
    const first = await user.shout(sheet, 'Shout', 'Column A');
    const second = await user.shout(sheet, 'Louder', 'Shout');
    const column = await everything(sheet);
    await user.write(sheet, a, 'new');
    await user.recalculate(sheet, [column, second, first]);
    expect(await user.cellAt(sheet, column)).toMatchObject({
      status: 'completed',
      value: { 'Column A': 'new', B: 'y', Shout: 'NEW!', Louder: 'NEW!!' },
    });
  });

  it('leaves out columns that depend on it, so that no circle arises', async () => {
    const { sheet, a, b } = await user.twoTexts();
    const first = await everything(sheet, { title: 'First' });
    const second = await everything(sheet, { title: 'Second' });
    expect((await user.cellAt(sheet, second)).value).toEqual({
      'Column A': 'x',
      B: 'y',
      First: { 'Column A': 'x', B: 'y' },
    });
    // Now B follows the second one, and the first one follows B: the second one can have neither.
    const changed = await user.change(sheet, b, { type: 'COUNT', config: { source: 'Second', type: 'chars' } });
    expect(new Set(changed.affected_column_ids)).toEqual(new Set([b.id, first.id, second.id]));
    await user.recalculate(sheet, [first, second, b]);
    expect((await user.cellAt(sheet, second)).value).toEqual({ 'Column A': 'x' });
    expect((await user.cellAt(sheet, first)).value).toMatchObject({
      'Column A': 'x',
      B: (await user.cellAt(sheet, b)).value,
    });
    // B reads Column A again, so First and Second can read it as well.
    const back = await user.change(sheet, b, { config: { source: a.id, type: 'chars' } });
    expect(new Set(back.affected_column_ids)).toEqual(new Set([b.id, first.id, second.id]));
    await user.recalculate(sheet, [first, second, b]);
    expect((await user.cellAt(sheet, second)).value).toEqual({
      'Column A': 'x',
      B: 1,
      First: { 'Column A': 'x', B: 1 },
    });
  });

  it('refuses circles that configs close', async () => {
    const { sheet } = await user.twoTexts();
    const column = await everything(sheet);
    await user.shout(sheet, 'Shout', 'All');
    const body = { config: { also: 'Shout' } };
    expect(await me.patch(`${sheet.path}/columns/${column.id}`, body, 400)).toMatchObject({ error: 'cycle_detected' });
  });

  it('skips blank rows when it is added', async () => {
    const sheet = await newSheet(me, ['x', '']);
    const column = await everything(sheet);
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual([{ 'Column A': 'x' }, null]);
  });
});
