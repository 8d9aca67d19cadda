import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import {
  addColumn,
  addCount,
  type Cell,
  type Column,
  newSheet,
  readRows,
  type TestSheet,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule from '../support/waiting.extension.js';

/**
 * Edits, deletions, cancellations, reconfigurations and recalculations while a service is called. All cells settle, no
 * operation loses or invents a cell, and completed cells match the current state of the sheet.
 */
const RUNS = Number(process.env.RACE_RUNS ?? tries(4));
const ROWS = 12;
/** No test here sweeps: a sweep would repair losses, and nothing may be lost. */
const ENV = {
  EXTERNAL_CONCURRENCY: '8',
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: '6',
};

let app: TestApp;
let me: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ extensions: [WaitingModule], env: ENV });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

interface Sut {
  sheet: TestSheet;
  answer: Column;
  /** The column that "Answer" reads. */
  source: 'Column A' | 'Other';
  other: Column;
}

interface Operation {
  operation_id: string;
  status: string;
  cell_count: number;
  completed_count: number;
  failed_count: number;
}

/** A change of the sheet while it computes. Numbers pick among what exists then. */
interface Step {
  name: string;
  run(sut: Sut): Promise<unknown>;
}

const named = (step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => step.name });
const pick = fc.nat(1000);
/** Few texts, so that results are shared and recalled; some that fail. */
const texts = fc.constantFrom('', 'a', 'bb', 'ccc', 'fail', 'dddd', 'eeeee', 'throw');

async function cellAt({ sheet }: Sut, columnId: string, at: number): Promise<Cell | undefined> {
  const { data } = await readRows(me, sheet);
  return data.length === 0 ? undefined : data[at % data.length]!.cells[columnId];
}

const edits = fc.record({ row: pick, inOther: fc.boolean(), text: texts }).map(({ row, inOther, text }) => ({
  name: `edit ${row} of ${inOther ? 'Other' : 'Column A'}: ${JSON.stringify(text)}`,
  async run(sut: Sut) {
    const cell = await cellAt(sut, inOther ? sut.other.id : sut.sheet.columnId, row);
    if (cell) await me.patch(`${sut.sheet.path}/cells/${cell.id}`, { value: text });
  },
}));

const deletions = fc.array(fc.nat(ROWS + 3), { minLength: 1, maxLength: 3 }).map((rows) => ({
  name: `delete the rows ${rows.join(', ')}`,
  run: ({ sheet }: Sut) => me.delete(`${sheet.path}/rows`, 200, { row_indices: rows }),
}));

const additions = texts.map((text) => ({
  name: `add a row of ${JSON.stringify(text)}`,
  run: ({ sheet, other }: Sut) =>
    me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: text, [other.id]: text }] }, 201),
}));

const recalculations = fc.record({ force: fc.boolean(), onlyStale: fc.boolean() }).map(({ force, onlyStale }) => ({
  name: `recalculate ${JSON.stringify({ force, onlyStale })}`,
  run: ({ sheet }: Sut) => {
    const body = { operation: 'recalculate', statuses: onlyStale ? ['STALE'] : [], force };
    return me.request('POST', `${sheet.path}/operations`, body);
  },
}));

const singleCells = fc.record({ row: pick, force: fc.boolean() }).map(({ row, force }) => ({
  name: `recalculate a cell of row ${row} ${JSON.stringify({ force })}`,
  async run(sut: Sut) {
    const cell = await cellAt(sut, sut.answer.id, row);
    if (cell) await me.request('POST', `${sut.sheet.path}/cells/${cell.id}/recalculations`, { force });
  },
}));

const cancellations = pick.map((which) => ({
  name: `cancel operation ${which}`,
  async run({ sheet }: Sut) {
    const { active_operations: active } = (await me.get(`${sheet.path}/operations`)) as {
      active_operations: Operation[];
    };
    const chosen = active[which % active.length];
    if (chosen) await me.request('DELETE', `${sheet.path}/operations/${chosen.operation_id}`);
  },
}));

const sources = fc.constantFrom('Column A' as const, 'Other' as const).map((source) => ({
  name: `read ${source}`,
  async run(sut: Sut) {
    const config = { source, url: service.url };
    await me.patch(`${sut.sheet.path}/columns/${sut.answer.id}`, { config });
    sut.source = source;
  },
}));

const pauses = fc.constantFrom(0, 1, 5, 20).map((delayMs) => ({
  name: `answer after ${delayMs} ms`,
  run: () => Promise.resolve((service.delayMs = delayMs)),
}));

const steps = fc.oneof(
  { weight: 4, arbitrary: edits },
  { weight: 1, arbitrary: deletions },
  { weight: 2, arbitrary: additions },
  { weight: 4, arbitrary: recalculations },
  { weight: 2, arbitrary: singleCells },
  { weight: 2, arbitrary: cancellations },
  { weight: 1, arbitrary: sources },
  { weight: 2, arbitrary: pauses },
);

it('settles and adds up', async () => {
  const sequences = fc.array(steps.map(named), { minLength: 5, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      service.delayMs = 2;
      const sut = await newSut();
      for (const step of sequence) await step.run(sut);
      await settle(sut);
      await expectRight(sut, 'as it is left');
      await me.post(`${sut.sheet.path}/operations`, { operation: 'recalculate', statuses: [] }, 202);
      await settle(sut);
      await expectRight(sut, 'all completed');
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

/** Answer ← a text, Length ← Answer, Again ← Length: a formula between two columns that ask. */
async function newSut(): Promise<Sut> {
  const sheet = await newSheet(
    me,
    Array.from({ length: ROWS }, (_, row) => `text ${row % 9}`),
  );
  const other = await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
  const config = { source: 'Column A', url: service.url };
  const answer = await addColumn(me, sheet, { title: 'Answer', type: 'ASK', config });
  await addCount(me, sheet, 'Length', 'Answer');
  await addColumn(me, sheet, { title: 'Again', type: 'ASK', config: { source: 'Length', url: service.url } });
  return { sheet, other, answer, source: 'Column A' };
}

async function settle({ sheet }: Sut): Promise<void> {
  const isSettled = async () =>
    (await app.sql('SELECT 1 FROM computation_tasks WHERE sheet_id = $1', [sheet.id])).length === 0;
  try {
    await until(isSettled);
  } catch {
    const tasks = await app.sql('SELECT * FROM computation_tasks WHERE sheet_id = $1', [sheet.id]);
    throw new Error(`Cells are left over: ${JSON.stringify(tasks)}`);
  }
}

async function expectRight({ sheet, source }: Sut, wanted: 'as it is left' | 'all completed'): Promise<void> {
  for (const operation of (await app.sql('SELECT * FROM executions WHERE sheet_id = $1', [sheet.id])) as Operation[]) {
    expect(['completed', 'cancelled']).toContain(operation.status);
    expect(operation.completed_count + operation.failed_count).toBe(operation.cell_count);
  }
  const { data, columns } = await readRows(me, sheet);
  for (const { cells } of data) {
    const row = Object.fromEntries(columns.map(({ id, title }) => [title, cells[id]!]));
    for (const [title, values] of Object.entries(expected(String(row[source]!.value ?? '')))) {
      const { status, value } = row[title]!;
      if (wanted === 'as it is left' && status === 'stale') continue;
      const isRight = values === FAILED ? status === 'error' : status === 'completed' && values.includes(value);
      if (!isRight) throw new Error(`${title} is ${status} with ${JSON.stringify(value)}: ${JSON.stringify(row)}`);
    }
  }
}

const FAILED = 'a cell that failed';

/**
 * Values that the computed cells of a row may have when "Answer" reads a text. Null stands for a row that was empty
 * then.
 */
function expected(text: string): Record<string, typeof FAILED | unknown[]> {
  if (text === '') return { Answer: ['', null], Length: [0, null], Again: ['0', null] };
  if (['fail', 'throw'].includes(text)) return { Answer: FAILED, Length: FAILED, Again: FAILED };
  return { Answer: [text.toUpperCase()], Length: [text.length], Again: [String(text.length)] };
}
