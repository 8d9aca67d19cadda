import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import { type Column, newSheet, readRows, settled, type TestSheet, versionOf } from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';
import { TestSourceTypesModule } from '../support/source-types.js';
import {
  configOf,
  type Follows,
  isComputed,
  type ModelColumn,
  SheetModel,
  type TypeName,
  TYPES,
  type Value,
} from './sheet-oracle.model.js';

/**
 * Random edits, additions, changes, deletions, recalculations and cancellations. After every step every cell has the
 * value and the state of the model, which computes one cell after the other.
 */
const RUNS = Number(process.env.ORACLE_RUNS ?? tries(12));

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule, TestSourceTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

interface Sut {
  sheet: TestSheet;
  model: SheetModel;
}

/** A change of the sheet and of its model. Numbers pick among what exists then. */
interface Step {
  name: string;
  run(sut: Sut): Promise<void>;
}

/** Failing runs are reported by the names of their steps. */
const named = (step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => step.name });

const texts = fc.constantFrom('', 'a', 'bb', 'a b c', 'fail', 'ten letters');
const pick = fc.nat(1000);
const picks = fc.array(pick, { maxLength: 3 });
const typeNames = fc.constantFrom(...(Object.keys(TYPES) as TypeName[]));
const computedNames = typeNames.filter((name) => name !== 'TEXT');
const columnUrl = ({ sheet }: Sut, id = '') => `${sheet.path}/columns${id && `/${id}`}`;
const oneOf = <T>(items: T[], index: number): T | undefined => items[index % items.length];

const edits = fc.record({ row: pick, column: pick, value: texts }).map((given) => ({
  name: `edit ${JSON.stringify(given)}`,
  async run({ sheet, model }: Sut) {
    const row = oneOf(model.rows, given.row);
    const column = oneOf(
      model.columns.filter((each) => !isComputed(each)),
      given.column,
    );
    if (row === undefined || !column) return;
    const { data } = await readRows(me, sheet);
    const cell = data.find((each) => each.row_index === row)!.cells[column.id]!;
    await me.patch(`${sheet.path}/cells/${cell.id}`, { value: given.value });
    model.edit(column.id, row, given.value);
  },
}));

const manyEdits = fc.array(fc.record({ row: pick, column: pick, value: texts }), { maxLength: 6 }).map((given) => ({
  name: `edit at once ${JSON.stringify(given)}`,
  async run({ sheet, model }: Sut) {
    const inputs = model.columns.filter((each) => !isComputed(each));
    if (model.rows.length === 0 || inputs.length === 0) return;
    const edits = given.map(({ row, column, value }) => ({
      row_index: oneOf(model.rows, row)!,
      column: oneOf(inputs, column)!.id,
      value,
    }));
    const cells = [...new Map(edits.map((edit) => [`${edit.column}:${edit.row_index}`, edit])).values()];
    if (cells.length === 0) return;
    const stale = countStale(model);
    const answer = await me.patch(`${sheet.path}/cells`, { cells });
    for (const { column, row_index, value } of cells) model.edit(column, row_index, value);
    expect(answer).toMatchObject({ stale_count: countStale(model) - stale });
  },
}));

const additions = fc.record({ value: texts }).map(({ value }) => ({
  name: `add a row of ${JSON.stringify(value)}`,
  async run({ sheet, model }: Sut) {
    if (model.columns.length === 0) return;
    const inputs = model.columns.filter((each) => !isComputed(each));
    const values = new Map<string, Value>(inputs.map(({ id }) => [id, value]));
    const answer = (await me.post(`${sheet.path}/rows`, { values: [Object.fromEntries(values)] }, 201)) as {
      row_indices: number[];
    };
    const row = model.rows.length === 0 ? 0 : Math.max(...model.rows) + 1;
    expect(answer.row_indices).toEqual([row]);
    model.addRow(row, values);
  },
}));

const rowDeletions = picks.map((rows) => ({
  name: `delete the rows ${rows.join(', ')}`,
  async run({ sheet, model }: Sut) {
    // One of them may not exist.
    const chosen = rows.map((row) => row % (Math.max(0, ...model.rows) + 2));
    const before = model.rows.length;
    model.deleteRows(chosen);
    const answer = await me.delete(`${sheet.path}/rows`, 200, { row_indices: chosen });
    expect(answer).toMatchObject({ deleted_count: before - model.rows.length, row_count: model.rows.length });
  },
}));

const bodyOf = (type: TypeName, sources: (string | null)[]) => ({ type, config: configOf(type, sources) });

const newColumns = fc.record({ type: typeNames, from: fc.tuple(pick, pick) }).map(({ type, from }) => ({
  name: `add a ${type} of ${from.join(', ')}`,
  async run(sut: Sut) {
    const { model } = sut;
    const sources = TYPES[type].keys.map((_, index) => oneOf(model.columns, from[index]!)?.id ?? null);
    const title = `${type} ${model.columns.length}`;
    const { column } = (await me.post(columnUrl(sut), { title, ...bodyOf(type, sources) }, 201)) as { column: Column };
    model.addColumn({ id: column.id, title, type, sources });
  },
}));

const redefinitions = fc.record({ which: pick, type: typeNames, from: fc.tuple(pick, pick) }).map((given) => ({
  name: `make ${given.which} a ${given.type} of ${given.from.join(', ')}`,
  async run(sut: Sut) {
    const { model } = sut;
    const column = oneOf(model.columns, given.which);
    if (!column) return;
    const sources = TYPES[given.type].keys.map((_, index) => oneOf(model.columns, given.from[index]!)!.id);
    const body = bodyOf(given.type, sources);
    if (model.wouldCircle(column.id, sources)) {
      expect(await me.patch(columnUrl(sut, column.id), body, 400)).toMatchObject({ error: 'cycle_detected' });
    } else {
      await me.patch(columnUrl(sut, column.id), body);
      model.redefine(column.id, given.type, sources);
    }
  },
}));

const renamings = fc.record({ which: pick, title: fc.constantFrom('Same', 'Other') }).map(({ which, title }) => ({
  name: `call ${which} ${title}`,
  async run(sut: Sut) {
    const column = oneOf(sut.model.columns, which);
    if (!column) return;
    const answer = (await me.patch(columnUrl(sut, column.id), { title })) as { affected_column_ids: string[] };
    const affected = sut.model.rename(column.id, title).map(({ id }) => id);
    expect(answer).toMatchObject({ requires_recalculation: affected.length > 0, column: { title } });
    expect(new Set(answer.affected_column_ids)).toEqual(new Set(affected));
  },
}));

const columnDeletions = pick.map((which) => ({
  name: `delete the column ${which}`,
  async run(sut: Sut) {
    const column = oneOf(sut.model.columns, which);
    if (!column) return;
    sut.model.deleteColumn(column.id);
    const { stale_count: stale } = (await me.delete(columnUrl(sut, column.id))) as { stale_count: number };
    expect(stale).toBe(countStale(sut.model));
  },
}));

const selections = fc.record({
  columns: fc.option(picks),
  rows: fc.option(picks),
  states: fc.subarray(['STALE', 'COMPLETED', 'FAILED']),
  cancel: fc.boolean(),
});
const recalculations = selections.map((given) => ({
  name: `recalculate ${JSON.stringify(given)}`,
  async run(sut: Sut) {
    const { sheet, model } = sut;
    const computed = model.columns.filter(isComputed);
    if (given.columns && computed.length === 0) return;
    const columnIds = given.columns?.map((column) => oneOf(computed, column)!.id) ?? null;
    const rows = given.rows?.map((row) => row % (Math.max(0, ...model.rows) + 2)) ?? null;
    const body = { operation: 'recalculate', column_ids: columnIds, row_ids: rows, statuses: given.states };
    const { body: answer } = await me.request('POST', `${sheet.path}/operations`, body);
    const { operation_id: id } = answer as { operation_id?: string };
    if (given.cancel && id) {
      await me.delete(`${sheet.path}/operations/${id}`);
      await adopt(sut);
    } else {
      model.recalculate({ columnIds, rows, states: given.states });
    }
  },
}));

const followings = fc.constantFrom<Follows>('off', 'deterministic', 'all').map((follows) => ({
  name: `follow ${follows}`,
  async run({ sheet, model }: Sut) {
    await me.patch(sheet.path, { auto_recalculate: follows });
    model.setFollows(follows);
  },
}));

const step: fc.Arbitrary<Step> = fc
  .oneof(
    { arbitrary: edits, weight: 4 },
    { arbitrary: manyEdits, weight: 4 },
    { arbitrary: additions, weight: 2 },
    { arbitrary: rowDeletions, weight: 1 },
    { arbitrary: newColumns, weight: 3 },
    { arbitrary: redefinitions, weight: 3 },
    { arbitrary: renamings, weight: 1 },
    { arbitrary: followings, weight: 2 },
    { arbitrary: columnDeletions, weight: 1 },
    { arbitrary: recalculations, weight: 4 },
  )
  .map(named);

it('has the values and the stale cells of a sheet that is computed cell by cell', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(computedNames, { maxLength: 3 }),
      fc.array(step, { minLength: 4, maxLength: 14 }),
      async (types, steps) => {
        const sut = await start(types);
        for (const current of steps) {
          await current.run(sut);
          sut.model.follow();
          await settled(me, sut.sheet);
          await compare(sut, current.name);
        }
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);

/** A sheet with a text column and a chain of computed ones. */
async function start(types: TypeName[]): Promise<Sut> {
  const model = new SheetModel();
  const sheet = await newSheet(me, ['x', 'yy']);
  model.columns = [{ id: sheet.columnId, title: 'Column A', type: 'TEXT', sources: [] }];
  model.addRow(0, new Map([[sheet.columnId, 'x']]));
  model.addRow(1, new Map([[sheet.columnId, 'yy']]));
  const sut = { sheet, model };
  for (const type of types) {
    const sources = TYPES[type].keys.map((_, index) => model.columns.at(-1 - index)?.id ?? sheet.columnId);
    const body = { title: `${type} ${model.columns.length}`, ...bodyOf(type, sources) };
    const { column } = (await me.post(columnUrl(sut), body, 201)) as { column: Column };
    model.addColumn({ id: column.id, title: column.title, type, sources });
  }
  await settled(me, sheet);
  await compare(sut, 'the start');
  return sut;
}

async function compare({ sheet, model }: Sut, after: string): Promise<void> {
  const { data, columns } = await readRows(me, sheet);
  const version = await versionOf(me, sheet);
  expect({ after, version, rows: data.map((row) => row.row_index) }).toEqual({ after, version, rows: model.rows });
  expect(columns.map(({ id, type }) => [id, type])).toEqual(model.columns.map(({ id, type }) => [id, type]));
  const seen = data.flatMap(({ row_index: row, cells }) =>
    model.columns.map((column) => describe(column, row, cells[column.id]!)),
  );
  const expected = model.rows.flatMap((row) =>
    model.columns.map((column) => describe(column, row, model.cell(column.id, row))),
  );
  expect({ after, cells: seen }).toEqual({ after, cells: expected });
}

function describe(column: ModelColumn, row: number, { status, value }: { status: string; value: unknown }): string {
  return `${column.title} (${column.type}) ${row}: ${status} ${JSON.stringify(value)}`;
}

function countStale(model: SheetModel): number {
  const computed = model.columns.filter(isComputed);
  return computed.flatMap(({ id }) => model.rows.filter((row) => model.cell(id, row).status === 'stale')).length;
}

/** Only the server knows which cells a cancelled recalculation has computed. Those cells must be right all the same. */
async function adopt({ sheet, model }: Sut): Promise<void> {
  await settled(me, sheet);
  const { data } = await readRows(me, sheet);
  model.adopt((columnId, row) => data.find((each) => each.row_index === row)!.cells[columnId]!.status === 'stale');
}
