import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  type Cell,
  cellsOf,
  editCell,
  newSheet,
  settled,
  TABLES,
  type TestSheet,
  valuesOf,
  versionOf,
} from '../support/factories.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule from '../support/waiting.extension.js';

let app: TestApp;
let me: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.own({ extensions: [WaitingModule] });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});

const configOf = (source: TestSheet, columnId = source.columnId) => ({
  source_table_id: source.tableId,
  source_sheet_id: source.id,
  source_column_id: columnId,
});
const mirror = (sheet: TestSheet, source: TestSheet, columnId?: string) =>
  addColumn(me, sheet, { title: 'Mirror', type: 'COMPOSITION', config: configOf(source, columnId) });

/** Sweeps until a column has these values. A change that cannot be copied at once is left to a sweep. */
async function shows(sheet: TestSheet, columnId: string, values: unknown[]): Promise<Cell[]> {
  let cells: Cell[] = [];
  await sweepUntil(app, ['composition'], async () => {
    cells = await cellsOf(me, sheet, columnId);
    return JSON.stringify(cells.map((cell) => cell.value)) === JSON.stringify(values);
  });
  return cells;
}

const status = async (sheet: TestSheet, columnId: string, wanted: string[]) =>
  sweepUntil(app, ['composition'], async () => {
    const cells = await cellsOf(me, sheet, columnId);
    return JSON.stringify(cells.map((cell) => cell.status)) === JSON.stringify(wanted);
  });

/** Whether the columns that show this sheet have seen its current version. */
const seen = async (source: TestSheet): Promise<boolean> => {
  const links = await app.sql(
    'SELECT seen_version = (SELECT version FROM sheets WHERE id = $1) AS seen FROM composition_links WHERE source_sheet_id = $1',
    [source.id],
  );
  return JSON.stringify(links) === `[{"seen":true}]`;
};

describe('a column of another sheet', () => {
  it('shows its cells and brings the rows that are missing', async () => {
    const source = await newSheet(me, ['a', 'b', 'c']);
    const sheet = await newSheet(me, ['own']);
    const column = await mirror(sheet, source);
    const cells = await shows(sheet, column.id, ['a', 'b', 'c']);
    expect(cells.map((cell) => cell.status)).toEqual(['completed', 'completed', 'completed']);
    expect(await valuesOf(me, sheet)).toEqual([
      ['own', 'a'],
      [null, 'b'],
      [null, 'c'],
    ]);
  });

  it('follows its source, and what reads it becomes stale where it changed', async () => {
    const source = await newSheet(me, ['a', 'b']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a', 'b']);
    const count = await addCount(me, sheet, 'Length', 'Mirror');
    await settled(me, sheet);
    await status(sheet, count.id, ['completed', 'completed']);
    const [, second] = await cellsOf(me, source, source.columnId);
    await editCell(me, source, second!, { value: 'longer' });
    await shows(sheet, column.id, ['a', 'longer']);
    await status(sheet, count.id, ['completed', 'stale']);
    const [, stale] = await cellsOf(me, sheet, count.id);
    expect(await me.get(`${sheet.path}/cells/${stale!.id}`)).toMatchObject({
      cell: {
        stale_cause: {
          type: 'composition',
          version: await versionOf(me, sheet),
          column_id: column.id,
          source_sheet_id: source.id,
          message: '"Mirror" shows a column of another sheet, and its source changed.',
        },
      },
    });
  });

  it('follows its source without a sweep', async () => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a']);
    const [cell] = await cellsOf(me, source, source.columnId);
    await editCell(me, source, cell!, { value: 'b' });
    await until(async () => (await cellsOf(me, sheet, column.id))[0]!.value === 'b');
  });

  it('makes nothing stale and no version when its source changes elsewhere', async () => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a']);
    const other = await addColumn(me, source, { title: 'Other', type: 'TEXT' });
    const before = await versionOf(me, sheet);
    const [cell] = await cellsOf(me, source, other.id);
    await editCell(me, source, cell!, { value: 'elsewhere' });
    await sweepUntil(app, ['composition'], () => seen(source));
    expect(await versionOf(me, sheet)).toBe(before);
  });

  it('is stale while its source is stale, through a chain of sheets', async () => {
    const first = await newSheet(me, ['ab']);
    const length = await addCount(me, first, 'Length');
    await settled(me, first);
    const second = await newSheet(me);
    const middle = await mirror(second, first, length.id);
    const third = await newSheet(me);
    const last = await mirror(third, second, middle.id);
    await shows(third, last.id, [2]);
    const [text] = await cellsOf(me, first, first.columnId);
    await editCell(me, first, text!, { value: 'abc' });
    await status(third, last.id, ['stale']);
    await me.post(`${first.path}/operations`, { operation: 'recalculate' }, 202);
    await shows(third, last.id, [3]);
    await status(third, last.id, ['completed']);
  });

  it('follows an operation of its source to the end', async () => {
    service.delayMs = null;
    const source = await newSheet(me, ['early', 'late']);
    const answer = await addColumn(me, source, {
      title: 'Answer',
      type: 'ASK',
      config: { source: 'Column A', url: service.url },
    });
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source, answer.id);
    await until(() => Promise.resolve(service.held === 2));
    service.release(['early']);
    await shows(sheet, column.id, ['EARLY', null]);
    await status(sheet, column.id, ['completed', 'stale']);
    service.release(['late']);
    // Both results are in one version of the source.
    await shows(sheet, column.id, ['EARLY', 'LATE']);
    await status(sheet, column.id, ['completed', 'completed']);
    await sweepUntil(app, ['composition'], () => seen(source));
  });

  it('is up to date in rows that are added here', async () => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a']);
    await me.post(`${sheet.path}/rows`, { count: 1, values: [{ [sheet.columnId]: 'own' }] }, 201);
    await status(sheet, column.id, ['completed', 'completed']);
  });

  it('is neither queued nor counted nor edited', async () => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    const [cell] = await shows(sheet, column.id, ['a']);
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({ total_cells: 0 });
    await me
      .patch(`${sheet.path}/cells/${cell!.id}`, { value: 'x' })
      .catch((error: Error) => expect(error.message).toContain('400'));
    expect(await me.post(`${sheet.path}/cells/${cell!.id}/recalculations`)).toMatchObject({ cell_count: 0 });
  });

  it('fails with its last values when the source is deleted', async () => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a']);
    await me.delete(`${source.path}/columns/${source.columnId}`);
    await status(sheet, column.id, ['error']);
    const [cell] = await cellsOf(me, sheet, column.id);
    expect(cell).toMatchObject({ value: 'a', error_message: 'The column that it shows was deleted.' });
  });

  it('keeps a row deleted that was deleted only here', async () => {
    const source = await newSheet(me, ['a', 'b']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a', 'b']);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    await me.post(`${source.path}/rows`, { count: 1, values: [{ [source.columnId]: 'c' }] }, 201);
    await shows(sheet, column.id, ['a', 'c']);
  });
});

describe('after its sheet was restored', () => {
  it('shows its source as it is now', async () => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    const column = await mirror(sheet, source);
    await shows(sheet, column.id, ['a']);
    const { version } = (await me.post(`${sheet.path}/versions`, { name: 'a' }, 201)) as { version: { id: string } };
    const [cell] = await cellsOf(me, source, source.columnId);
    await editCell(me, source, cell!, { value: 'b' });
    await shows(sheet, column.id, ['b']);
    await me.delete(`${sheet.path}/columns/${column.id}`);
    await me.post(`${sheet.path}/versions`, { source_version_id: version.id }, 201);
    await shows(sheet, column.id, ['b']);
    await editCell(me, source, cell!, { value: 'c' });
    await shows(sheet, column.id, ['c']);
  });
});

describe('is refused', () => {
  it.each([
    ['an unknown column', (source: TestSheet) => configOf(source, randomUUID())],
    ['an unknown sheet', (source: TestSheet) => ({ ...configOf(source), source_sheet_id: randomUUID() })],
    ['an unknown table', (source: TestSheet) => ({ ...configOf(source), source_table_id: randomUUID() })],
    ['no ids', () => ({ source_table_id: 'x', source_sheet_id: null, source_column_id: 1 })],
    ['no config', () => ({})],
  ])('%s', async (_, config) => {
    const source = await newSheet(me, ['a']);
    const sheet = await newSheet(me);
    await me.post(`${sheet.path}/columns`, { title: 'M', type: 'COMPOSITION', config: config(source) }, 400);
  });

  it('a column of the same sheet, a deleted one and one of another workspace', async () => {
    const source = await newSheet(me, ['a']);
    const create = (sheet: TestSheet) =>
      me.post(`${sheet.path}/columns`, { title: 'M', type: 'COMPOSITION', config: configOf(source) }, 400);
    await create(source);
    const stranger = await app.stranger();
    const theirs = await newSheet(stranger);
    await stranger.post(`${theirs.path}/columns`, { title: 'M', type: 'COMPOSITION', config: configOf(source) }, 400);
    await me.delete(`${TABLES}/${source.tableId}`);
    await create(await newSheet(me));
  });

  it('a circle through two sheets', async () => {
    const [one, two] = [await newSheet(me, ['a']), await newSheet(me)];
    const there = await mirror(two, one);
    const length = await addCount(me, two, 'Length', 'Mirror');
    const back = await mirror(one, two, length.id);
    const loop = await addCount(me, one, 'Loop', 'Mirror');
    await me.patch(`${two.path}/columns/${there.id}`, { config: configOf(one, loop.id) }).then(
      () => expect.fail('The circle was accepted.'),
      (error: Error) => expect(error.message).toContain('cycle_detected'),
    );
    expect(back.type).toBe('COMPOSITION');
  });

  it('a version that would close a circle', async () => {
    const [one, two] = [await newSheet(me, ['a']), await newSheet(me, ['b'])];
    const length = await addCount(me, two, 'Length');
    await mirror(one, two, length.id);
    const loop = await addCount(me, one, 'Loop', 'Mirror');
    const { version } = (await me.post(`${one.path}/versions`, { name: 'old' }, 201)) as { version: { id: string } };
    await me.patch(`${one.path}/columns/${loop.id}`, { config: { source: 'Column A', type: 'chars' } });
    await mirror(two, one, loop.id);
    await me.patch(`${two.path}/columns/${length.id}`, { config: { source: 'Mirror', type: 'chars' } });
    expect(await me.post(`${one.path}/versions`, { source_version_id: version.id }, 400)).toMatchObject({
      error: 'cycle_detected',
    });
  });
});
