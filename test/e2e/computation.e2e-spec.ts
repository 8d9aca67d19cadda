import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, cellsOf, editCell, newSheet, settled, type TestSheet } from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

const shout = (client: Client, sheet: TestSheet, source = 'Column A') =>
  addColumn(client, sheet, { title: 'Shout', type: 'SHOUT', config: { source } });

describe('a new computed column', () => {
  it('fills in by itself', async () => {
    const sheet = await newSheet(me, ['ab', 'c']);
    const column = await shout(me, sheet);
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'completed', value: 'AB!', display_value: 'AB!', error: null },
      { status: 'completed', value: 'C!', display_value: 'C!', error: null },
    ]);
  });

  it('is computed to nothing in rows in which every text cell is blank', async () => {
    const sheet = await newSheet(me, ['', 'a', '  ']);
    await me.post(`${sheet.path}/rows`, {}, 201);
    const column = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const cells = await cellsOf(me, sheet, column.id);
    expect(cells.map(({ status, value }) => [status, value])).toEqual([
      ['completed', null],
      ['completed', 1],
      ['completed', 2],
      ['completed', null],
    ]);
    expect(await me.get(`${sheet.path}/operations`)).toMatchObject({
      active_operations: [],
      pending_count: 0,
      status_counts: { STALE: 0, COMPLETED: 4 },
    });
  });

  it('becomes nothing again in a row that is emptied, and is computed in one that is filled', async () => {
    const sheet = await newSheet(me, ['abc', '']);
    const length = await addCount(me, sheet, 'Length');
    const digits = await addCount(me, sheet, 'Digits', 'Length');
    await settled(me, sheet);
    const [filled, blank] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, filled!, { value: '' });
    await editCell(me, sheet, blank!, { value: 'ab' });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    for (const [column, value] of [
      [length, 2],
      [digits, 1],
    ] as const) {
      expect(await cellsOf(me, sheet, column.id)).toMatchObject([
        { status: 'completed', value: null },
        { status: 'completed', value },
      ]);
    }
  });

  it('is computed in blank rows where it reads nothing', async () => {
    const sheet = await newSheet(me, ['']);
    const column = await addColumn(me, sheet, {
      title: 'Constant',
      type: 'VARIABLE',
      config: { value: { type: 'string', value: 'en' } },
    });
    const length = await addCount(me, sheet, 'Length', 'Constant');
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([{ status: 'completed', value: 'en' }]);
    expect(await cellsOf(me, sheet, length.id)).toMatchObject([{ status: 'completed', value: null }]);
  });

  it('waits for its sources, through a chain that is created at once', async () => {
    const sheet = await newSheet(
      me,
      Array.from({ length: 50 }, (_, index) => 'x'.repeat(index + 1)),
    );
    await addCount(me, sheet, 'One');
    await addColumn(me, sheet, { title: 'Two', type: 'SHOUT', config: { source: 'One' } });
    const last = await addColumn(me, sheet, {
      title: 'Three',
      type: 'JOIN',
      config: { sources: ['Two', 'Column A', 'One'] },
    });
    await settled(me, sheet);
    const cells = await cellsOf(me, sheet, last.id);
    expect(cells.map(({ value }) => value)).toEqual(
      cells.map((_, index) => `${index + 1}!+${'x'.repeat(index + 1)}+${index + 1}`),
    );
  });

  it('reads edits made during its computation', async () => {
    const sheet = await newSheet(me, ['old']);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    const created = shout(me, sheet);
    const edited = editCell(me, sheet, cell!, { value: 'new' });
    const column = await created;
    await edited;
    await settled(me, sheet);
    const [computed] = await cellsOf(me, sheet, column.id);
    expect([computed!.status, computed!.value]).toEqual(
      expect.toBeOneOf([
        ['completed', 'NEW!'],
        ['stale', 'OLD!'],
        ['stale', null],
      ]),
    );
  });

  it('brings stale cells that it reads up to date in the same rows', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'abc' });
    const column = await shout(me, sheet, 'Length');
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, length.id)).toMatchObject([{ status: 'completed', value: 3 }, { value: 1 }]);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([{ value: '3!' }, { value: '1!' }]);
  });
});

describe('a cell that cannot be computed', () => {
  it('says why, and the other rows are computed all the same', async () => {
    const sheet = await newSheet(me, ['fail', 'fine', 'crash']);
    const column = await shout(me, sheet);
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      {
        status: 'error',
        value: null,
        error: 'computation_failed',
        error_message: 'This row is too quiet.',
        last_computed_version: expect.anything(),
      },
      { status: 'completed', value: 'FINE!' },
      {
        status: 'error',
        value: null,
        error: 'computation_failed',
        error_message: expect.stringContaining('a bug in the plugin'),
      },
    ]);
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({
      total_cells: 3,
      status_counts: { COMPLETED: 1, FAILED: 2 },
    });
  });

  it('fails the cells that read it, naming the column', async () => {
    const sheet = await newSheet(me, ['fail', 'fine']);
    await shout(me, sheet);
    const length = await addCount(me, sheet, 'Length', 'Shout');
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, length.id)).toMatchObject([
      { status: 'error', value: null, error_message: expect.stringContaining('Shout') },
      { status: 'completed', value: 5 },
    ]);
  });

  it.each([
    ['throws nothing at all', 'throwNothing'],
    ['says why in text that cannot be stored', 'failUnsafe'],
    ['gives back an object that contains itself', 'circular'],
  ])('because its plugin %s is that one cell, not its neighbours', async (_, text) => {
    const sheet = await newSheet(me, [text, 'fine']);
    const column = await shout(me, sheet);
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'error', error: 'computation_failed' },
      { status: 'completed', value: 'FINE!' },
    ]);
  });

  it.each([
    ['nothing', 'nothing', null],
    ['a number that is none', 'nan', null],
    ['an integer that JavaScript numbers cannot hold', 'bigint', 2 ** 53],
    ['text that cannot be stored', 'unsafe', 'a\uFFFDb\uFFFDc'],
  ])('is none because its plugin gives back %s', async (_, text, value) => {
    const sheet = await newSheet(me, [text, 'fine']);
    const column = await shout(me, sheet);
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'completed', value },
      { status: 'completed', value: 'FINE!' },
    ]);
  });
});

describe('an operation', () => {
  it('is found under the id that its cells carry, finished, with every cell counted', async () => {
    const sheet = await newSheet(me, ['fail', 'fine', 'fine']);
    const column = await shout(me, sheet);
    await settled(me, sheet);
    const id = (await cellsOf(me, sheet, column.id))[0]!.execution_id!;
    expect(await me.get(`${sheet.path}/operations/${id}`)).toEqual({
      success: true,
      operation: {
        operation_id: id,
        operation: 'recalculate',
        status: 'completed',
        status_counts: { STALE: 0, QUEUED: 0, DISPATCHED: 0, RUNNING: 0, COMPLETED: 2, FAILED: 1 },
        cell_count: 3,
        completed_count: 2,
        failed_count: 1,
        reused_count: 0,
        pending_count: 0,
        cost: 0,
        reserved_cost: 0,
        status_url: `${sheet.path}/operations/${id}`,
      },
    });
    expect(await me.get(`${sheet.path}/operations`)).toMatchObject({
      total_cells: 3,
      active_operations: [],
      status_counts: { COMPLETED: 2, FAILED: 1 },
    });
  });

  it('is 404 when it does not exist or belongs to another sheet', async () => {
    const [sheet, other] = [await newSheet(me, ['a']), await newSheet(me)];
    const column = await shout(me, sheet);
    await settled(me, sheet);
    const id = (await cellsOf(me, sheet, column.id))[0]!.execution_id!;
    for (const url of [`${sheet.path}/operations/${randomUUID()}`, `${other.path}/operations/${id}`]) {
      expect(await me.get(url, 404)).toMatchObject({ error: 'operation_not_found' });
    }
  });

  it('is one version of the sheet, however many cells it computes', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const { version } = (await me.post(
      `${sheet.path}/columns`,
      { title: 'N', type: 'COUNT', config: { source: 'Column A', type: 'chars' } },
      201,
    )) as { version: number };
    await settled(me, sheet);
    expect(await me.get(sheet.path)).toMatchObject({ sheet: { version_count: version + 1 } });
  });
});

describe('CONTAINS and COUNT', () => {
  it.each([
    ['CONTAINS', { value: 'REFUND' }, 'a refund please', true],
    ['CONTAINS', { value: 'REFUND', case_sensitive: true }, 'a refund please', false],
    ['CONTAINS', { value: '' }, 'x', true],
    ['COUNT', { type: 'chars' }, 'a🎉b', 3],
    ['COUNT', { type: 'words' }, '  two\nwords ', 2],
    ['COUNT', { type: 'sentences' }, 'One. Two! Three', 3],
    ['COUNT', { type: 'paragraphs' }, 'a\n\nb\r\n \r\nc', 3],
    ['COUNT', { type: 'words', max_count: 2 }, 'one two three', false],
    ['COUNT', { type: 'words', min_count: 3 }, 'one two three', true],
  ])('%s with %j of %j is %j', async (type, config, text, value) => {
    const sheet = await newSheet(me, [text]);
    const column = await addColumn(me, sheet, { title: 'T', type, config: { source: 'Column A', ...config } });
    await settled(me, sheet);
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([{ status: 'completed', value }]);
  });

  it('take the text to look for from another column of the same row', async () => {
    const sheet = await newSheet(me, ['apple pie', 'cherry pie']);
    const needle = await addColumn(me, sheet, { title: 'Needle', type: 'TEXT' });
    for (const cell of await cellsOf(me, sheet, needle.id)) await editCell(me, sheet, cell, { value: 'apple' });
    const column = await addColumn(me, sheet, {
      title: 'T',
      type: 'CONTAINS',
      config: { source: 'Column A', value_source: 'Needle', value: 'pie' },
    });
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual([true, false]);
  });
});
