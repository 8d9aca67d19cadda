import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, type Column, newSheet, settled, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

/**
 * An oracle for staleness and values: whatever is edited, added and recalculated in whatever order, a cell is stale
 * exactly when it does not have the value that computing everything from scratch would give it, or was never computed.
 */
let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

type Step =
  | { do: 'edit'; row: number; text: string }
  | { do: 'add'; text: string }
  | { do: 'recalculate'; rows: number[] | null };

interface Model {
  model: string[];
  touched: Set<number>;
}

const texts = fc.constantFrom('', 'a', 'bb', 'a b c', 'refund', 'ten letters');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('edit' as const), row: fc.nat(3), text: texts }),
  fc.record({ do: fc.constant('add' as const), text: texts }),
  fc.record({ do: fc.constant('recalculate' as const), rows: fc.option(fc.array(fc.nat(4), { maxLength: 2 })) }),
);

/** Length ← text, Digits ← Length, Has b ← text: a chain and a branch. */
const expected = (text: string) => {
  // A blank row is computed to nothing.
  if (text === '') return { Length: null, Digits: null, 'Has b': null };
  const length = [...text].length;
  return { Length: length, Digits: String(length).length, 'Has b': text.includes('b') };
};

it('leaves every cell either up to date or marked stale', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const model = ['x', 'yy'];
      /** Rows that were written to since they were last computed: no other may be stale. */
      const touched = new Set<number>();
      const sheet = await newSheet(me, model);
      const columns = [
        await addColumn(me, sheet, { title: 'Length', type: 'COUNT', config: { source: 'Column A', type: 'chars' } }),
        await addColumn(me, sheet, { title: 'Digits', type: 'COUNT', config: { source: 'Length', type: 'chars' } }),
        await addColumn(me, sheet, { title: 'Has b', type: 'CONTAINS', config: { source: 'Column A', value: 'b' } }),
      ];
      await settled(me, sheet);
      for (const current of steps) {
        await apply(sheet, { model, touched }, current);
        await check(sheet, columns, { model, touched });
      }
      await me.post(`${sheet.path}/operations`, { operation: 'recalculate', statuses: [] }, 202);
      await settled(me, sheet);
      for (const column of columns) {
        const cells = await cellsOf(me, sheet, column.id);
        expect(cells.map((cell) => [cell.status, cell.value])).toEqual(
          model.map((text) => ['completed', expected(text)[column.title as 'Length']]),
        );
      }
    }),
    { numRuns: 8 },
  );
});

async function apply(sheet: TestSheet, { model, touched }: Model, current: Step): Promise<void> {
  if (current.do === 'edit') {
    const cells = await cellsOf(me, sheet, sheet.columnId);
    const row = current.row % model.length;
    await me.patch(`${sheet.path}/cells/${cells[row]!.id}`, { value: current.text });
    model[row] = current.text;
    touched.add(row);
  } else if (current.do === 'add') {
    await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: current.text }] }, 201);
    touched.add(model.push(current.text) - 1);
  } else {
    const body = { operation: 'recalculate', row_ids: current.rows };
    const { status } = await me.request('POST', `${sheet.path}/operations`, body);
    await settled(me, sheet);
    // Rows that the sheet does not have are refused.
    if (status === 202) for (const row of current.rows ?? [...touched]) touched.delete(row);
  }
}

async function check(sheet: TestSheet, columns: Column[], { model, touched }: Model): Promise<void> {
  for (const column of columns) {
    const cells = await cellsOf(me, sheet, column.id);
    expect(cells).toHaveLength(model.length);
    cells.forEach((cell, row) => {
      if (cell.status === 'stale' && touched.has(row)) return;
      expect([column.title, row, cell.status, cell.value]).toEqual([
        column.title,
        row,
        'completed',
        expected(model[row]!)[column.title as 'Length'],
      ]);
    });
  }
}
