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
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { type SentStatement, sentWhile } from '../support/sent-statements.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ env: { TABLES_RECALC_CONFIRM_THRESHOLD: '3' } });
  me = app.client;
});
afterAll(() => app.stop());

/** The reads of queued cells. What an earlier request has notified changes feeds, perhaps only now. */
const readingTasks = (sent: SentStatement[]): number =>
  sent.filter(({ text }) => /^\s*SELECT\b.*FROM computation_tasks/s.test(text)).length;

interface Queued {
  operation_id: string;
  cell_count: number;
  status_url: string;
}

/** A sheet with a text column and its length, computed. */
async function computedSheet(client: Client, texts: string[]) {
  const sheet = await newSheet(client, texts);
  const column = await addCount(client, sheet, 'Length');
  await settled(client, sheet);
  return { sheet, column };
}

async function editText(sheet: TestSheet, row: number, value: string): Promise<void> {
  const cells = await cellsOf(me, sheet, sheet.columnId);
  await editCell(me, sheet, cells[row]!, { value });
}

const states = (cells: Cell[]) => cells.map(({ status, value }) => [status, value]);
const recalculate = (sheet: TestSheet, body: object = {}, status = 202) =>
  me.post(`${sheet.path}/operations`, { operation: 'recalculate', ...body }, status);

describe('a recalculation', () => {
  it('brings stale cells up to date, and them only', async () => {
    const { sheet, column } = await computedSheet(me, ['a', 'b', 'c']);
    const before = await cellsOf(me, sheet, column.id);
    await editText(sheet, 1, 'bbb');
    expect(states(await cellsOf(me, sheet, column.id))).toEqual([
      ['completed', 1],
      ['stale', 1],
      ['completed', 1],
    ]);
    const queued = (await recalculate(sheet)) as Queued;
    expect(queued.cell_count).toBe(1);
    await settled(me, sheet);
    const after = await cellsOf(me, sheet, column.id);
    expect(states(after)).toEqual([
      ['completed', 1],
      ['completed', 3],
      ['completed', 1],
    ]);
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(await me.get(queued.status_url)).toMatchObject({
      operation: { status: 'completed', completed_count: 1, pending_count: 0, failed_count: 0 },
    });
  });

  it('is not needed where nothing is stale', async () => {
    const { sheet } = await computedSheet(me, ['a']);
    expect(await recalculate(sheet, {}, 200)).toEqual({
      success: true,
      cell_count: 0,
      virtual_cell_count: 0,
      cells: [],
    });
  });

  it('creates no version when all cells are up to date', async () => {
    const { sheet } = await computedSheet(me, ['a', 'b']);
    const version = await versionOf(me, sheet);
    expect(await recalculate(sheet, { statuses: [] })).toMatchObject({ cell_count: 2 });
    await settled(me, sheet);
    expect(await versionOf(me, sheet)).toBe(version);
  });

  it('can be limited to columns, rows and states', async () => {
    const { sheet, column } = await computedSheet(me, ['a', 'b', 'c']);
    await addColumn(me, sheet, { title: 'Has b', type: 'CONTAINS', config: { source: 'Column A', value: 'b' } });
    await settled(me, sheet);
    for (const row of [0, 1]) await editText(sheet, row, 'xyz');
    const selection = { column_ids: [column.id], row_ids: [1, 2, 99], statuses: ['stale'] };
    expect(await recalculate(sheet, selection)).toMatchObject({ cell_count: 1 });
    await settled(me, sheet);
    expect(states(await cellsOf(me, sheet, column.id))).toEqual([
      ['stale', 1],
      ['completed', 3],
      ['completed', 1],
    ]);
  });

  it('takes the stale cells along that its cells read, in the same rows', async () => {
    const { sheet } = await computedSheet(me, ['a', 'b']);
    const last = await addColumn(me, sheet, {
      title: 'Digits',
      type: 'COUNT',
      config: { source: 'Length', type: 'chars' },
    });
    await settled(me, sheet);
    await editText(sheet, 0, 'twelve chars');
    expect(await recalculate(sheet, { column_ids: [last.id], row_ids: [0] })).toMatchObject({ cell_count: 2 });
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, last.id))[0]).toMatchObject({ status: 'completed', value: 2 });
  });

  it('needs a confirmation for many cells, and continues with the returned token', async () => {
    const { sheet } = await computedSheet(me, ['a', 'b', 'c', 'd']);
    const request = { statuses: ['COMPLETED'] };
    const asked = (await recalculate(sheet, request, 200)) as { confirmation_token: string };
    expect(asked).toMatchObject({ success: false, requires_confirmation: true, affected_cell_count: 4 });
    const other = { statuses: ['COMPLETED', 'FAILED'], confirmation_token: asked.confirmation_token };
    expect(await recalculate(sheet, other, 200)).toMatchObject({ requires_confirmation: true });
    const confirmed = { ...request, confirmation_token: asked.confirmation_token };
    expect(await recalculate(sheet, confirmed)).toMatchObject({ cell_count: 4 });
  });

  it('is rejected for columns that are not computed, unknown columns and unknown states', async () => {
    const { sheet } = await computedSheet(me, ['a']);
    await recalculate(sheet, { column_ids: [sheet.columnId] }, 400);
    await recalculate(sheet, { column_ids: [randomUUID()] }, 404);
    await recalculate(sheet, { statuses: ['DONE'] }, 400);
    await recalculate(sheet, { row_ids: [-1] }, 400);
    await recalculate(sheet, { forced: true }, 400);
    await me.post(`${sheet.path}/operations`, { operation: 'delete' }, 400);
  });
});

describe('recalculating cells by id', () => {
  it('computes a cell again, whatever its state', async () => {
    const { sheet, column } = await computedSheet(me, ['a']);
    const [cell] = await cellsOf(me, sheet, column.id);
    const { execution_id } = (await me.post(`${sheet.path}/cells/${cell!.id}/recalculations`, {}, 202)) as {
      execution_id: string;
    };
    await settled(me, sheet);
    expect(await me.get(`${sheet.path}/operations/${execution_id}`)).toMatchObject({
      operation: { completed_count: 1 },
    });
  });

  it('has nothing to do for text cells', async () => {
    const { sheet } = await computedSheet(me, ['a']);
    const [text] = await cellsOf(me, sheet, sheet.columnId);
    expect(await me.post(`${sheet.path}/cells/${text!.id}/recalculations`, undefined, 200)).toMatchObject({
      cell_count: 0,
    });
  });

  it('counts the requested and the queued cells', async () => {
    const { sheet, column } = await computedSheet(me, ['a', 'b']);
    const [text] = await cellsOf(me, sheet, sheet.columnId);
    const cells = await cellsOf(me, sheet, column.id);
    const body = { cell_ids: [text!.id, ...cells.map((cell) => cell.id), cells[0]!.id], column_ids: ['ignored'] };
    expect(await me.post(`${sheet.path}/cells/recalculations`, body, 202)).toMatchObject({
      cell_count: 2,
      selected_cell_count: 3,
    });
  });

  it('takes the cells where columns and rows meet, and leaves out rows that do not exist', async () => {
    const { sheet, column } = await computedSheet(me, ['a', 'b', 'c', 'd']);
    const digits = await addCount(me, sheet, 'Digits', 'Length');
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    await settled(me, sheet);
    for (const row of [0, 1, 2]) await editText(sheet, row, 'longer than before');
    const url = `${sheet.path}/cells/recalculations`;
    // A text column has cells too, but nothing to compute.
    const places = {
      column_ids: [column.id, digits.id.toUpperCase(), digits.id, sheet.columnId],
      row_indices: [3, 0, 1, 0, 4, 2 ** 31, 2 ** 40],
    };
    expect(await me.post(url, places, 202)).toMatchObject({ cell_count: 4, selected_cell_count: 6 });
    await settled(me, sheet);
    for (const { id } of [column, digits]) {
      const statuses = (await cellsOf(me, sheet, id)).map(({ status }) => status);
      expect(statuses).toEqual(['completed', 'stale', 'completed']);
    }
  });

  it('accepts cells by id and by row and column together, each once', async () => {
    const { sheet, column } = await computedSheet(me, ['a', 'b', 'c']);
    const [text] = await cellsOf(me, sheet, sheet.columnId);
    const [first, second] = await cellsOf(me, sheet, column.id);
    const body = { cell_ids: [text!.id, first!.id, second!.id], column_ids: [column.id], row_indices: [1, 2] };
    expect(await me.post(`${sheet.path}/cells/recalculations`, body, 202)).toMatchObject({
      cell_count: 3,
      selected_cell_count: 4,
    });
  });

  it('has nothing to do where no row of the places exists', async () => {
    const { sheet, column } = await computedSheet(me, ['a']);
    const body = { cell_ids: [], column_ids: [column.id], row_indices: [7] };
    expect(await me.post(`${sheet.path}/cells/recalculations`, body, 200)).toMatchObject({ cell_count: 0 });
  });

  it('refuses places that name no cell, and columns of other sheets', async () => {
    const { sheet, column } = await computedSheet(me, ['a']);
    const other = await computedSheet(me, ['b']);
    const url = `${sheet.path}/cells/recalculations`;
    for (const body of [
      {},
      { cell_ids: null },
      { column_ids: [column.id] },
      { row_indices: [0] },
      { cell_ids: [], column_ids: [column.id], row_indices: [] },
      { cell_ids: [], column_ids: [], row_indices: [0] },
    ]) {
      expect(await me.post(url, body, 400)).toMatchObject({ error: 'cell_ids_missing' });
    }
    for (const id of [other.column.id, randomUUID(), 'Length']) {
      expect(await me.post(url, { column_ids: [column.id, id], row_indices: [0] }, 404)).toMatchObject({
        error: 'column_not_found',
      });
    }
    for (const places of [
      { row_indices: [-1] },
      { row_indices: ['0'] },
      { row_indices: [0.5] },
      { row_indices: [null] },
      { row_indices: [2 ** 60] },
      { row_indices: [10n ** 30n] },
      { row_indices: 0 },
      { column_ids: [0] },
      { column_ids: [null] },
    ]) {
      await me.post(url, { column_ids: [column.id], row_indices: [0], ...places }, 422);
    }
  });

  it('refuses an empty list and cells of other sheets', async () => {
    const { sheet } = await computedSheet(me, ['a']);
    const other = await computedSheet(me, ['b']);
    const [foreign] = await cellsOf(me, other.sheet, other.column.id);
    await me.post(`${sheet.path}/cells/recalculations`, { cell_ids: [] }, 400);
    await me.post(`${sheet.path}/cells/recalculations`, { cell_ids: [foreign!.id] }, 404);
    await me.post(`${sheet.path}/cells/recalculations`, { cell_ids: [randomUUID()] }, 404);
  });
});

describe('the operations of a sheet', () => {
  it('are listed with their own cells, with the same statements for any number of them', async () => {
    const idle = await TestApp.start({ works: false });
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b', 'c']);
    await addCount(client, sheet, 'Length');
    const list = () =>
      client.get(`${sheet.path}/operations`) as Promise<{ pending_count: number; active_operations: Queued[] }>;
    const one = await sentWhile(idle, list);
    await addCount(client, sheet, 'Length of length', 'Length');
    await client.post(`${sheet.path}/rows`, { count: 1 }, 201);
    await client.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    const three = await sentWhile(idle, list);
    const { pending_count, active_operations } = await list();
    expect(pending_count).toBe(8);
    expect(active_operations.map(({ cell_count }) => cell_count)).toEqual([3, 3, 2]);
    expect(active_operations).toMatchObject([{ pending_count: 3 }, { pending_count: 3 }, { pending_count: 2 }]);
    expect(readingTasks(one)).toBeGreaterThan(0);
    expect(readingTasks(three)).toBe(readingTasks(one));
    await idle.stop();
  });
});

describe('cancelling', () => {
  it('gives cells that were not started the state they had', async () => {
    const idle = await TestApp.start({ works: false });
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b']);
    const column = await addCount(client, sheet, 'Length');
    const { active_operations } = (await client.get(`${sheet.path}/operations`)) as { active_operations: Queued[] };
    const url = `${sheet.path}/operations/${active_operations[0]!.operation_id}`;
    expect((await cellsOf(client, sheet, column.id)).map((cell) => cell.status)).toEqual(['queued', 'queued']);
    expect(await client.delete(url)).toMatchObject({ cancelled_cell_count: 2, not_started_reset_count: 2 });
    expect((await cellsOf(client, sheet, column.id)).map((cell) => cell.status)).toEqual(['stale', 'stale']);
    expect(await client.get(url)).toMatchObject({
      operation: { status: 'cancelled', pending_count: 0, cell_count: 0 },
    });
    expect(await client.delete(url)).toMatchObject({ cancelled_cell_count: 0, execution_ids: [] });
    await idle.stop();
  });

  it('changes nothing for an unknown operation', async () => {
    const { sheet } = await computedSheet(me, ['a']);
    expect(await me.delete(`${sheet.path}/operations/${randomUUID()}`)).toMatchObject({ cancelled_cell_count: 0 });
  });
});
