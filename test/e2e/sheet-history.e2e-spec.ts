import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Cell, newSheet, readRows, settled, type TestSheet } from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';
import { diffOf, gridOf, restore, rowsAt, type Shown, type Version, versionsOf } from '../support/versions.js';

/**
 * Random changes of a sheet: every version reads the same for ever, a restore reproduces it exactly, and the diff of
 * two versions is the difference of their contents.
 */
let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

/** Numbers choose among what there is at that moment. */
type Step =
  | { do: 'edit'; row: number; column: number; text: string | null }
  | { do: 'add rows'; count: number; text: string }
  | { do: 'delete rows'; rows: number[] }
  | { do: 'create column'; type: string; source: number }
  | { do: 'change column'; column: number; change: object }
  | { do: 'delete column'; column: number }
  | { do: 'recalculate' }
  | { do: 'restore'; version: number };

const pick = fc.nat(50);
const text = fc.constantFrom('', 'a', 'bb', 'a b c', 'fail', 'text in row', '{"a": 1}');
const change = fc.oneof(
  fc.record({ title: fc.constantFrom('Renamed', 'Another name') }),
  fc.record({ type: fc.constantFrom('TEXT', 'SHOUT', 'COUNT') }),
  fc.record({ is_output_column: fc.boolean() }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit'), row: pick, column: pick, text: fc.option(text) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add rows'), count: fc.integer({ min: 1, max: 3 }), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete rows'), rows: fc.array(pick, { maxLength: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('create column'),
      type: fc.constantFrom('TEXT', 'SHOUT', 'COUNT'),
      source: pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change column'), column: pick, change }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete column'), column: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recalculate') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore'), version: pick }) },
) as fc.Arbitrary<Step>;

type Grid = ReturnType<typeof gridOf>;
interface History {
  sheet: TestSheet;
  /** Contents seen at each version, by number. */
  seen: Map<number, Grid>;
  titles: number;
}

const runs = Number(process.env.HISTORY_RUNS ?? 6);

it('keeps every version unchanged, restores any version, and compares any two', async () => {
  const run = async (steps: Step[], pairs: [number, number][]) => {
    const history: History = { sheet: await newSheet(me, ['a', 'bb', 'fail']), seen: new Map(), titles: 0 };
    await look(history);
    for (const current of steps) {
      await apply(history, current);
      await look(history);
    }
    await checkReads(history);
    await checkDiffs(history, pairs);
  };
  const pairs = fc.array(fc.tuple(pick, pick), { minLength: 4, maxLength: 4 });
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), pairs, run), { numRuns: runs });
});

/** Records the current content of the sheet. */
async function look({ sheet, seen }: History): Promise<void> {
  await settled(me, sheet);
  const page = await readRows(me, sheet);
  const before = seen.get(page.version);
  if (before) expect(gridOf(page)).toEqual(before);
  seen.set(page.version, gridOf(page));
}

async function apply(history: History, current: Step): Promise<void> {
  const { sheet } = history;
  const { data, columns } = await readRows(me, sheet);
  const choose = <T>(list: T[], number: number): T | undefined => list[number % Math.max(1, list.length)];
  switch (current.do) {
    case 'edit': {
      const column = choose(columns, current.column);
      const cell: Cell | undefined = column && choose(data, current.row)?.cells[column.id];
      if (cell) await me.request('PATCH', `${sheet.path}/cells/${cell.id}`, { value: current.text });
      return;
    }
    case 'add rows': {
      const column = columns.find(({ type }) => type === 'TEXT');
      const values = column && [{ [column.id]: current.text }];
      await me.request('POST', `${sheet.path}/rows`, { count: current.count, values });
      return;
    }
    case 'delete rows': {
      const rows = current.rows.flatMap((row) => choose(data, row)?.row_index ?? []);
      await me.request('DELETE', `${sheet.path}/rows`, { row_indices: rows });
      return;
    }
    case 'create column': {
      const config = configOf(current.type, choose(columns, current.source)?.id);
      const title = `Column ${history.titles++}`;
      await me.request('POST', `${sheet.path}/columns`, { title, type: current.type, config });
      return;
    }
    case 'change column': {
      const column = choose(columns, current.column);
      const source = columns.find(({ id }) => id !== column?.id)?.id;
      const { type } = current.change as { type?: string };
      const body = type ? { type, config: configOf(type, source) } : current.change;
      if (column) await me.request('PATCH', `${sheet.path}/columns/${column.id}`, body);
      return;
    }
    case 'delete column': {
      const column = choose(columns, current.column);
      if (column) await me.delete(`${sheet.path}/columns/${column.id}`);
      return;
    }
    case 'recalculate':
      await me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate' });
      return;
    case 'restore':
      await restoreSeen(history, current.version);
  }
}

function configOf(type: string, source: string | undefined): object {
  if (type === 'TEXT' || !source) return {};
  return type === 'COUNT' ? { source, type: 'chars' } : { source };
}

async function restoreSeen({ sheet, seen }: History, choice: number): Promise<void> {
  const versions = await versionsOf(me, sheet);
  const known = versions.slice(1).filter((version) => seen.has(version.version_number));
  const version = known[choice % Math.max(1, known.length)];
  if (!version) return;
  await restore(me, sheet, version);
  const now = gridOf(await readRows(me, sheet), false);
  expect(now).toEqual(withoutVersions(seen.get(version.version_number)!));
}

function withoutVersions({ columns, rows }: Grid): Grid {
  const strip = (cell: Grid['rows'][number]['cells'][string]) => ({ ...cell, version: null });
  return {
    columns,
    rows: rows.map(({ row_index, cells }) => ({
      row_index,
      cells: Object.fromEntries(Object.entries(cells).map(([id, cell]) => [id, strip(cell)])),
    })),
  };
}

async function checkReads({ sheet, seen }: History): Promise<void> {
  for (const [number, grid] of seen) {
    if (number > 0) expect({ number, ...gridOf(await rowsAt(me, sheet, number)) }).toEqual({ number, ...grid });
  }
}

async function checkDiffs({ sheet, seen }: History, pairs: [number, number][]): Promise<void> {
  const versions = (await versionsOf(me, sheet)).filter((version) => seen.has(version.version_number));
  const at = (choice: number): Version | undefined => versions[choice % Math.max(1, versions.length)];
  for (const [a, b] of pairs) {
    const [from, to] = [at(a), at(b)];
    if (!from || !to) return;
    const { data, columns, rows } = await diffOf(me, sheet, from, { against: to.id, limit: 3 });
    const [before, after] = [seen.get(from.version_number)!, seen.get(to.version_number)!];
    const found = data.map((each) => [each.cell_id, { before: each.before, after: each.after }] as const);
    expect(new Set(found.map(([id]) => id)).size).toBe(found.length);
    expect({ from: from.version_number, to: to.version_number, cells: Object.fromEntries(found) }).toEqual({
      from: from.version_number,
      to: to.version_number,
      cells: expectedCells(before, after),
    });
    expect(sortedIds(columns.added)).toEqual(sortedIds(missingIn(after.columns, before.columns)));
    expect(sortedIds(columns.removed)).toEqual(sortedIds(missingIn(before.columns, after.columns)));
    expect(expand(rows.added)).toEqual(missingRows(after, before));
    expect(expand(rows.removed)).toEqual(missingRows(before, after));
  }
}

/** The cells in which two grids differ. Blank cells of columns and rows that one of them lacks count as equal. */
function expectedCells(before: Grid, after: Grid): Record<string, { before: Shown | null; after: Shown | null }> {
  const [older, newer] = [cellsById(before), cellsById(after)];
  const differences = [...new Set([...older.keys(), ...newer.keys()])].flatMap((id) => {
    const [was, is] = [older.get(id) ?? null, newer.get(id) ?? null];
    const equal = was && is ? JSON.stringify(was) === JSON.stringify(is) : isBlank((was ?? is)!);
    return equal ? [] : [[id, { before: was, after: is }] as const];
  });
  return Object.fromEntries(differences);
}

function cellsById({ rows }: Grid): Map<string, Shown> {
  const cells = rows.flatMap((row) => Object.values(row.cells));
  return new Map(
    cells.map(({ id, value, display_value, status, error_message }) => [
      id,
      { value, display_value, status, error_message },
    ]),
  );
}

const isBlank = ({ value, display_value, error_message }: Shown) =>
  [value, display_value, error_message].every((part) => part === null);
const sortedIds = (columns: { id: string }[]) => columns.map(({ id }) => id).sort();
const missingIn = <T extends { id: string }>(columns: T[], others: T[]) =>
  columns.filter(({ id }) => !others.some((other) => other.id === id));
const indexes = ({ rows }: Grid) => rows.map((row) => row.row_index);
const missingRows = (grid: Grid, other: Grid) => indexes(grid).filter((row) => !indexes(other).includes(row));
const expand = (spans: { first: number; last: number }[]) =>
  spans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, offset) => first + offset));
