import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  readRows,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

interface Changed {
  column: Column;
  requires_recalculation: boolean;
  affected_column_ids: string[];
  version: number;
}

const url = (sheet: TestSheet, id: string) => `${sheet.path}/columns/${id}`;
const change = async (sheet: TestSheet, id: string, body: object) => (await me.patch(url(sheet, id), body)) as Changed;
const refuse = async (sheet: TestSheet, id: string, body: object, status = 400) => {
  const before = [await versionOf(me, sheet), (await readRows(me, sheet)).columns];
  const answer = (await me.patch(url(sheet, id), body, status)) as { error: string; message: string };
  expect([await versionOf(me, sheet), (await readRows(me, sheet)).columns]).toEqual(before);
  return answer;
};
const states = async (sheet: TestSheet, id: string) =>
  (await cellsOf(me, sheet, id)).map(({ status, value }) => [status, value]);
const recalculate = async (sheet: TestSheet, body: object = {}) => {
  await me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate', ...body });
  await settled(me, sheet);
};

/** Text "Column A", its length, and the length of that. */
async function chain(texts: string[] = ['aaa', 'b']) {
  const sheet = await newSheet(me, texts);
  const length = await addCount(me, sheet, 'Length');
  const digits = await addCount(me, sheet, 'Digits', 'Length');
  await settled(me, sheet);
  return { sheet, length, digits };
}

describe('changing a column', () => {
  it('makes its cells and what follows from them stale, keeps their values, and computes nothing by itself', async () => {
    const { sheet, length, digits } = await chain();
    const before = await versionOf(me, sheet);
    const config = { source: 'Column A', type: 'words' };
    expect(await change(sheet, length.id, { config })).toMatchObject({
      column: { id: length.id, config, dependencies: [{ column_id: sheet.columnId, config_key: 'source' }] },
      requires_recalculation: true,
      affected_column_ids: [length.id, digits.id],
      version: before + 1,
    });
    expect(await states(sheet, length.id)).toEqual([
      ['stale', 3],
      ['stale', 1],
    ]);
    expect(await states(sheet, digits.id)).toEqual([
      ['stale', 1],
      ['stale', 1],
    ]);
    expect(await me.get(`${sheet.path}/operations`)).toMatchObject({ pending_count: 0, active_operations: [] });
    await recalculate(sheet);
    expect(await states(sheet, length.id)).toEqual([
      ['completed', 1],
      ['completed', 1],
    ]);
  });

  it('marks nothing stale when only the title changes, and references keep working', async () => {
    const { sheet, length, digits } = await chain();
    const renamed = await change(sheet, length.id, { title: 'Characters' });
    expect(renamed).toMatchObject({
      column: { title: 'Characters' },
      requires_recalculation: false,
      affected_column_ids: [],
    });
    expect(await states(sheet, digits.id)).toEqual([
      ['completed', 1],
      ['completed', 1],
    ]);
    const edited = await change(sheet, digits.id, { config: { source: 'Characters', type: 'words' } });
    expect(edited.column.dependencies).toMatchObject([{ column_id: length.id }]);
  });

  it('to its current values makes no version, also with other keys in the request', async () => {
    const { sheet, length } = await chain();
    const before = await versionOf(me, sheet);
    const same = [
      {},
      { title: 'Length' },
      { config: { type: 'chars', source: 'Column A' } },
      { type: 'count', is_output_column: true, position: 1, unknown: {} },
      { title: null, config: null, dependencies: null, type: null, is_output_column: null },
    ];
    for (const body of same) {
      expect(await change(sheet, length.id, body)).toMatchObject({
        requires_recalculation: false,
        affected_column_ids: [],
        version: before,
      });
    }
    expect(await versionOf(me, sheet)).toBe(before);
  });

  it('reads the new source after its dependencies change', async () => {
    const { sheet, length } = await chain(['aaa']);
    const other = await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
    const [cell] = await cellsOf(me, sheet, other.id);
    await editCell(me, sheet, cell!, { value: 'twelve chars' });
    await change(sheet, length.id, { dependencies: [{ column_id: other.id, config_key: 'source' }] });
    await recalculate(sheet);
    expect(await states(sheet, length.id)).toEqual([['completed', 12]]);
    const [old] = await cellsOf(me, sheet, sheet.columnId);
    expect(await editCell(me, sheet, old!, { value: 'x' })).toMatchObject({ stale_count: 0 });
    expect(await editCell(me, sheet, cell!, { value: 'y' })).toMatchObject({ stale_count: 2 });
  });

  it('keeps dependencies that only order until others are given', async () => {
    const { sheet, length } = await chain();
    const note = await addColumn(me, sheet, { title: 'Note', type: 'TEXT' });
    const withOrder = await change(sheet, length.id, { dependencies: [{ column_id: note.id }] });
    expect(withOrder.column.dependencies.map((edge) => edge.column_id)).toEqual([sheet.columnId, note.id]);
    const reconfigured = await change(sheet, length.id, { config: { source: 'Column A', type: 'words' } });
    expect(reconfigured.column.dependencies).toHaveLength(2);
    const without = await change(sheet, length.id, { dependencies: [] });
    expect(without.column.dependencies.map((edge) => edge.column_id)).toEqual([sheet.columnId]);
  });

  it('sets whether it is an output without making anything stale', async () => {
    const { sheet, length } = await chain();
    const before = await versionOf(me, sheet);
    expect(await change(sheet, length.id, { is_output_column: false })).toMatchObject({
      column: { is_output_column: false },
      requires_recalculation: false,
      version: before + 1,
    });
  });
});

describe('a change of a column is refused', () => {
  it('when columns would depend on each other, naming them', async () => {
    const { sheet, length, digits } = await chain();
    for (const [source, path] of [
      ['Digits', 'Length → Digits → Length'],
      ['Length', 'Length → Length'],
    ]) {
      const answer = await refuse(sheet, length.id, { config: { source, type: 'chars' } });
      expect(answer).toMatchObject({ error: 'cycle_detected', message: expect.stringContaining(path!) });
    }
    const dependencies = [{ column_id: digits.id }];
    expect(await refuse(sheet, length.id, { dependencies })).toMatchObject({ error: 'cycle_detected' });
    // Text computes nothing, but it may be computed later.
    expect(await refuse(sheet, sheet.columnId, { dependencies })).toMatchObject({ error: 'cycle_detected' });
  });

  it('when the config does not fit, or names no column or several', async () => {
    const { sheet, length } = await chain();
    await addColumn(me, sheet, { title: 'Twin', type: 'TEXT' });
    await addColumn(me, sheet, { title: 'Twin', type: 'TEXT' });
    for (const [body, error] of [
      [{ config: { source: 'Column A' } }, 'column_config_invalid'],
      [{ type: 'CONTAINS' }, 'column_config_invalid'],
      [{ type: 'DATASET' }, 'column_type_not_creatable'],
      [{ config: { source: 'Nobody', type: 'chars' } }, 'column_reference_unknown'],
      [{ config: { source: 'Twin', type: 'chars' } }, 'column_reference_ambiguous'],
      [{ dependencies: [{ column_id: randomUUID() }] }, 'column_reference_unknown'],
    ] as const) {
      expect(await refuse(sheet, length.id, body)).toMatchObject({ error });
    }
  });

  it.each([
    { title: '' },
    { title: ' ' },
    { title: 5 },
    { title: 'x'.repeat(256) },
    { config: [] },
    { dependencies: {} },
    { dependencies: [{}] },
    { type: 'NONSENSE' },
    { type: '__proto__' },
    { is_output_column: 'yes' },
  ])('when it is malformed: %j', async (body) => {
    const { sheet, length } = await chain();
    await refuse(sheet, length.id, body, 422);
  });

  it('for a column of another sheet and one that was deleted', async () => {
    const [one, two] = [await chain(), await chain()];
    await me.delete(url(two.sheet, two.digits.id));
    for (const id of [one.length.id, two.digits.id, randomUUID()]) {
      expect(await refuse(two.sheet, id, { title: 'Mine' }, 404)).toMatchObject({ error: 'column_not_found' });
      expect(await me.delete(url(two.sheet, id), 404)).toMatchObject({ error: 'column_not_found' });
    }
  });
});

describe('a change of the type', () => {
  it('from text to computed makes the texts stale until they are computed', async () => {
    const sheet = await newSheet(me, ['aaa']);
    const column = await addColumn(me, sheet, { title: 'B', type: 'TEXT' });
    const reader = await addCount(me, sheet, 'Reader', 'B');
    const [cell] = await cellsOf(me, sheet, column.id);
    await editCell(me, sheet, cell!, { value: 'typed' });
    await recalculate(sheet);
    expect(
      await change(sheet, column.id, { type: 'COUNT', config: { source: 'Column A', type: 'chars' } }),
    ).toMatchObject({ requires_recalculation: true, affected_column_ids: [column.id, reader.id] });
    expect(await cellsOf(me, sheet, column.id)).toMatchObject([
      { status: 'stale', value: 'typed', last_computed_version: null },
    ]);
    await recalculate(sheet);
    expect(await states(sheet, column.id)).toEqual([['completed', 3]]);
    expect(await states(sheet, reader.id)).toEqual([['completed', 1]]);
  });

  it('from computed to text keeps the values, and cells can be written', async () => {
    const sheet = await newSheet(me, ['aaa', 'fail']);
    const column = await addColumn(me, sheet, { title: 'B', type: 'SHOUT', config: { source: 'Column A' } });
    await settled(me, sheet);
    expect(await change(sheet, column.id, { type: 'TEXT' })).toMatchObject({
      column: { type: 'TEXT', config: {}, dependencies: [] },
      requires_recalculation: false,
      affected_column_ids: [],
    });
    const cells = await cellsOf(me, sheet, column.id);
    expect(cells).toMatchObject([
      { status: 'completed', value: 'AAA!', error: null, last_computed_version: null },
      { status: 'completed', value: null, error: null, error_message: null },
    ]);
    expect(await editCell(me, sheet, cells[0]!, { value: 'mine' })).toMatchObject({ cell: { value: 'mine' } });
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({ total_cells: 0 });
  });

  it('drops what waits to be computed, and counts that right', async () => {
    const idle = await TestApp.own({ works: false });
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b']);
    const [one, two] = [await addCount(client, sheet, 'One'), await addCount(client, sheet, 'Two', 'One')];
    const { active_operations: active } = (await client.get(`${sheet.path}/operations`)) as {
      active_operations: { status_url: string; cell_count: number }[];
    };
    expect(active.map((operation) => operation.cell_count)).toEqual([2, 2]);
    await client.patch(url(sheet, one.id), { type: 'TEXT' });
    expect(await client.get(active[0]!.status_url)).toMatchObject({
      operation: { status: 'completed', cell_count: 0, pending_count: 0 },
    });
    await client.delete(url(sheet, two.id));
    expect(await client.get(active[1]!.status_url)).toMatchObject({
      operation: { status: 'completed', cell_count: 0 },
    });
    expect(await client.get(`${sheet.path}/operations`)).toMatchObject({ active_operations: [], total_cells: 0 });
    await idle.stop();
  });
});

describe('deleting a column', () => {
  it('makes what read it stale, which keeps its config and loses the dependency', async () => {
    const { sheet, length, digits } = await chain();
    const before = await versionOf(me, sheet);
    expect(await me.delete(url(sheet, length.id))).toEqual({
      success: true,
      message: expect.any(String),
      stale_count: 2,
      version: before + 1,
    });
    const { columns, data } = await readRows(me, sheet);
    expect(columns.map(({ id }) => id)).toEqual([sheet.columnId, digits.id]);
    expect(columns[1]).toMatchObject({ config: { source: 'Length', type: 'chars' }, dependencies: [] });
    expect(Object.keys(data[0]!.cells)).toEqual([sheet.columnId, digits.id]);
    expect(await states(sheet, digits.id)).toEqual([
      ['stale', 1],
      ['stale', 1],
    ]);
    const [gone] = await app.sql('SELECT key FROM sheet_columns WHERE id = $1', [length.id]);
    expect(gone).toBeDefined();
  });

  it('takes its cells with it, and leaves a line in the audit trail', async () => {
    const { sheet, length } = await chain();
    const [cell] = await cellsOf(me, sheet, length.id);
    await me.delete(url(sheet, length.id));
    await me.get(`${sheet.path}/cells/${cell!.id}`, 404);
    const entries = await app.sql('SELECT action, details FROM audit_entries WHERE entity_id = $1', [length.id]);
    expect(entries).toEqual([{ action: 'column.delete', details: { name: 'Length' } }]);
  });

  it('is allowed for the last one; rows can then not be added', async () => {
    const sheet = await newSheet(me, ['a']);
    await me.delete(url(sheet, sheet.columnId));
    expect(await readRows(me, sheet)).toMatchObject({ columns: [], row_count: 1, data: [{ row_index: 0, cells: {} }] });
    expect(await me.post(`${sheet.path}/rows`, {}, 400)).toMatchObject({ error: 'sheet_without_columns' });
  });

  it('happens once when it is asked for twice at once', async () => {
    const { sheet, length } = await chain();
    const before = await versionOf(me, sheet);
    const answers = await Promise.all([1, 2, 3].map(() => me.request('DELETE', url(sheet, length.id))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(await versionOf(me, sheet)).toBe(before + 1);
  });
});

describe('the history of a column', () => {
  it('contains its values before every change, and its last state after deletion', async () => {
    const { sheet, length, digits } = await chain();
    const created = await versionOf(me, sheet);
    await change(sheet, length.id, { title: 'Words', config: { source: 'Column A', type: 'words' } });
    await me.delete(url(sheet, length.id));
    const edge = { configKey: 'source', configMeta: null };
    const rows = await app.sql(
      `SELECT column_id, version_to, title, config ->> 'type' AS type, edges FROM column_history WHERE sheet_id = $1 ORDER BY version_to, title`,
      [sheet.id],
    );
    expect(rows).toEqual([
      // Its config named the other one by its old title.
      {
        column_id: digits.id,
        version_to: created + 1,
        title: 'Digits',
        type: 'chars',
        edges: [{ ...edge, sourceId: length.id }],
      },
      {
        column_id: length.id,
        version_to: created + 1,
        title: 'Length',
        type: 'chars',
        edges: [{ ...edge, sourceId: sheet.columnId }],
      },
      {
        column_id: digits.id,
        version_to: created + 2,
        title: 'Digits',
        type: 'chars',
        edges: [{ ...edge, sourceId: length.id }],
      },
      {
        column_id: length.id,
        version_to: created + 2,
        title: 'Words',
        type: 'words',
        edges: [{ ...edge, sourceId: sheet.columnId }],
      },
    ]);
  });
});

describe('a change while the column is computed', () => {
  it('never leaves a value of the old config that counts as up to date', async () => {
    const texts = Array.from({ length: 60 }, (_, index) => `${'x'.repeat(index)} y`);
    const sheet = await newSheet(me, texts);
    const length = await addCount(me, sheet, 'Length');
    for (let round = 0; round < 8; round++) {
      await me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate', statuses: [] });
      await Promise.all([
        change(sheet, length.id, { config: { source: 'Column A', type: round % 2 ? 'chars' : 'words' } }),
        change(sheet, length.id, { title: `Length ${round}` }),
      ]);
      await settled(me, sheet);
      for (const cell of await cellsOf(me, sheet, length.id)) {
        const text = texts[cell.row_index]!;
        const value = round % 2 ? text.length : text.trim().split(/\s+/).length;
        if (cell.status !== 'stale') expect([cell.status, cell.value]).toEqual(['completed', value]);
      }
    }
    await recalculate(sheet);
    expect((await states(sheet, length.id)).map(([status]) => status)).not.toContain('stale');
  });

  it('keeps two changes that come at once, one after the other', async () => {
    const { sheet, length } = await chain();
    const before = await versionOf(me, sheet);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => change(sheet, length.id, { title: `Title ${index}` })),
    );
    expect(answers.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
      answers.map((_, index) => before + 1 + index),
    );
  });

  it('gives queued cells the order of the new dependencies', async () => {
    const idle = await TestApp.start({ works: false, extensions: [TestColumnTypesModule] });
    const client = idle.client;
    const sheet = await newSheet(client, ['aaa']);
    const one = await addCount(client, sheet, 'One');
    const two = await addCount(client, sheet, 'Two');
    await client.patch(url(sheet, one.id), { config: { source: 'Two', type: 'chars' } });
    const ranks = await idle.sql(
      `SELECT c.title, t.rank FROM computation_tasks t JOIN sheet_columns c ON c.key = t.column_key ORDER BY c.title`,
    );
    expect(ranks).toEqual([
      { title: 'One', rank: 2 },
      { title: 'Two', rank: 1 },
    ]);
    expect(two.id).not.toBe(one.id);
    await idle.stop();
  });
});
