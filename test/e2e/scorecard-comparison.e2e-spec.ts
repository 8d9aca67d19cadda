import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { calculateScorecard, configureScorecard, withSteps } from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

type Sheet = Awaited<ReturnType<typeof textSheet>>;

const CHECK = { title: 'Right', primitive_type: 'CONTAINS', primitive_config: { source: 'Output', value: 'yes' } };
const GRADE = { title: 'Grade', primitive_type: 'PARSE_VALUE', primitive_config: { source: 'Grade', type: 'number' } };

/** Creates a sheet with `count` rows, the first `right` of which say yes. */
const rowsOf = (count: number, right: number) =>
  textSheet(
    me,
    ['Output', 'Grade'],
    Array.from({ length: count }, (_, row) => [row < right ? 'yes' : 'no', `${(row % 4) / 4}`]),
  );

const write = (sheet: Sheet, rows: number[], value: string) =>
  me.patch(`${sheet.path}/cells`, { cells: rows.map((row) => ({ row_index: row, column: 'Output', value })) });

interface Compared {
  aggregate: Record<string, unknown>;
  criteria: Record<string, Record<string, unknown>>;
  unmatched_step_ids: string[];
}
const compare = async (sheet: Sheet, id: string, other: string) =>
  (await me.get(`${sheet.path}/scorecard/calculations/${id}/comparison?with=${other}`)) as Compared;

/** A sheet of its own for these cases, as `evaluate()` makes one for every run, with the scorecard calculated. */
async function evaluated(titles: string[], rows: unknown[][], steps: object[] = [CHECK]) {
  const sheet = await textSheet(me, titles, rows);
  return { sheet, id: (await calculateScorecard(me, sheet, steps)).id };
}
const TITLES = ['input', 'expected', 'Output'];
/** Cases at the given indexes. Those in `right` have a right answer. */
const cases = (right: number[], indexes = [0, 1, 2, 3, 4, 5, 6, 7]) =>
  indexes.map((at) => [`question ${at % 7}`, 'yes', right.includes(at) ? 'yes' : `no ${at}`]);

describe('a score', () => {
  it('says how well it is known', async () => {
    const sheet = await rowsOf(20, 15);
    const { steps } = await configureScorecard(me, sheet, withSteps([CHECK, GRADE]));
    const calculation = await calculateScorecard(me, sheet);
    const [check, grade] = steps.map(({ id }) => calculation.criterion_summaries[id]!);
    // The share of 15 in 20 has the error root(0.75 * 0.25 / 20), and by Wilson lies between 0.531 and 0.888.
    expect(check).toMatchObject({
      n: 20,
      score: 0.75,
      standard_error: expect.closeTo(0.09682, 4) as number,
      confidence_interval: {
        low: expect.closeTo(0.5313, 3),
        high: expect.closeTo(0.8881, 3),
        level: 0.95,
        method: 'wilson',
      },
    });
    // 0, 0.25, 0.5 and 0.75, five times each: the deviation is root(0.078125 * 20 / 19).
    expect(grade).toMatchObject({
      n: 20,
      standard_error: expect.closeTo(0.06412, 4) as number,
      confidence_interval: { method: 'hall' },
    });
    expect(calculation).toMatchObject({ n: 20, confidence_interval: { method: 'hall', level: 0.95 } });
  });

  it('lies within its interval although a step over the whole column is broken', async () => {
    const sheet = await rowsOf(6, 6);
    const AVERAGE = {
      title: 'Average',
      primitive_type: 'COLUMN_AGGREGATE',
      primitive_config: { source: 'Grade', aggregation: 'mean' },
    };
    await configureScorecard(me, sheet, withSteps([CHECK, AVERAGE]));
    await me.delete(`${sheet.path}/columns/${sheet.ids[1]}`);
    // Six rows that all passed lift the other half of the score to at most 0.5.
    expect(await calculateScorecard(me, sheet)).toMatchObject({
      aggregate_score: 0.5,
      confidence_interval: { low: expect.closeTo(0.3048, 3) as number, high: 0.5, method: 'wilson' },
    });
  });

  it('without rows has no statistics', async () => {
    const sheet = await textSheet(me, ['Output'], [[]]);
    const calculation = await calculateScorecard(me, sheet, [CHECK]);
    const nothing = { n: 0, standard_error: null, confidence_interval: null };
    expect(calculation).toMatchObject(nothing);
    expect(Object.values(calculation.criterion_summaries)).toMatchObject([nothing]);
  });
});

describe('two calculations', () => {
  it('differ when more rows have changed than by chance', async () => {
    const sheet = await rowsOf(20, 4);
    const { id: first } = await calculateScorecard(me, sheet, [CHECK]);
    await write(sheet, [4, 5, 6, 7, 8, 9, 10, 11], 'yes');
    const { id: second } = await calculateScorecard(me, sheet);
    const { aggregate, criteria, unmatched_step_ids: unmatched } = await compare(sheet, second, first);
    // Eight of eight tosses the same way: 2 / 2^8.
    const better = {
      n: 20,
      unpaired: 0,
      improved: 8,
      regressed: 0,
      difference: expect.closeTo(0.4) as number,
      p_value: expect.closeTo(0.0078125) as number,
      method: 'mcnemar_exact',
      verdict: 'significant',
      conclusion: 'difference',
      confidence_interval: { method: 'hall' },
    };
    expect(aggregate).toMatchObject(better);
    expect(Object.values(criteria)).toMatchObject([{ title: 'Right', ...better }]);
    expect(unmatched).toEqual([]);
    const before = (await me.get(`${sheet.path}/scorecard/calculations/${second}/comparison`)) as object;
    expect(before).toMatchObject({ other_calculation_id: first, aggregate: better });
    expect((await compare(sheet, first, second)).aggregate).toMatchObject({
      difference: expect.closeTo(-0.4) as number,
      regressed: 8,
      verdict: 'significant',
      conclusion: 'difference',
    });
  });

  it('may be the same when few have', async () => {
    const sheet = await rowsOf(20, 4);
    const { id: first } = await calculateScorecard(me, sheet, [CHECK]);
    await write(sheet, [4, 5], 'yes');
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [19] });
    const { id: second } = await calculateScorecard(me, sheet);
    expect((await compare(sheet, second, first)).aggregate).toMatchObject({
      n: 19,
      unpaired: 1,
      improved: 2,
      p_value: expect.closeTo(0.5) as number,
      verdict: 'noise',
      conclusion: 'too_few_rows',
    });
    expect((await compare(sheet, second, second)).aggregate).toMatchObject({
      difference: 0,
      p_value: 1,
      verdict: 'noise',
      conclusion: 'too_few_rows',
    });
  });

  it('are compared by title where steps have got other ids', async () => {
    const sheet = await rowsOf(10, 5);
    const { id: first } = await calculateScorecard(me, sheet, [CHECK]);
    const calculation = await calculateScorecard(me, sheet, [CHECK, GRADE]);
    const { criteria, unmatched_step_ids: unmatched } = await compare(sheet, calculation.id, first);
    expect(Object.values(criteria)).toMatchObject([
      { title: 'Right', n: 10, verdict: 'noise', conclusion: 'too_few_rows' },
    ]);
    expect(unmatched).toHaveLength(1);
    const drifts = Object.values(calculation.criterion_summaries).map(({ drift_summary: drift }) => drift);
    expect(drifts).toMatchObject([{ previous_score: 0.5, improved_rows: 0 }, null]);
  });

  it('have to be of a sheet of the workspace, and to have completed', async () => {
    const sheet = await rowsOf(2, 1);
    const { id } = await calculateScorecard(me, sheet, [CHECK]);
    const { id: cancelled } = await calculateScorecard(me, sheet);
    await app.sql(`UPDATE scorecard_calculations SET status = 'cancelled' WHERE id = $1`, [cancelled]);
    const gone = await rowsOf(1, 1);
    const { id: deleted } = await calculateScorecard(me, gone, [CHECK]);
    const stranger = await app.stranger();
    const statusOf = async (query: string) =>
      (await me.request('GET', `${sheet.path}/scorecard/calculations/${id}/comparison${query}`)).status;
    const foreign = (await calculateScorecard(stranger, await textSheet(stranger, ['Output'], [['yes']]), [CHECK])).id;
    await me.delete(gone.path, 200);
    const unknown = [foreign, deleted, randomUUID()].map((other) => `?with=${other}`);
    const queries = ['?with=x', '', `?with=${cancelled}`, ...unknown];
    expect(await Promise.all(queries.map(statusOf))).toEqual([400, 400, 400, 404, 404, 404]);
  });
});

describe('calculations of two sheets', () => {
  it('are compared in the rows that have the same inputs', async () => {
    const first = await evaluated(TITLES, cases([0]));
    // The same cases in another order, one of them twice as before, and one that was not run again.
    const second = await evaluated(
      ['Note', ...TITLES],
      cases([0, 1, 2, 3, 4, 5, 6], [7, 6, 5, 3, 2, 1, 0]).map((row) => ['n', ...row]),
    );
    // Inputs are those that were scored.
    await write(first.sheet, [0], 'changed');
    await me.patch(`${first.sheet.path}/cells`, { cells: [{ row_index: 1, column: 'input', value: 'another' }] });
    const compared = await compare(second.sheet, second.id, first.id);
    const better = { n: 7, unpaired: 1, improved: 6, regressed: 1, conclusion: 'too_few_rows' };
    expect(compared).toMatchObject({
      other_calculation_id: first.id,
      other_sheet_id: first.sheet.id,
      other_table_id: first.sheet.tableId,
      matched_by: ['input', 'expected'],
      aggregate: better,
      unmatched_step_ids: [],
    });
    expect(Object.values(compared.criteria)).toMatchObject([{ title: 'Right', ...better }]);
  });

  it('are refused with what differs, unless it is said by which columns rows are known again', async () => {
    const first = await evaluated(TITLES, cases([0]));
    const corrected = cases([0, 1]).map(([input, , output], at) => [input, at === 3 ? 'no 3' : 'yes', output]);
    const second = await evaluated(TITLES, corrected);
    const grades = await evaluated(['input', 'Grade'], [['question 0', '1']], [GRADE]);
    const outputs = await evaluated(['Output'], [['yes']]);
    const statusOf = async (query: string) => {
      const path = `${second.sheet.path}/scorecard/calculations/${second.id}/comparison${query}`;
      const { status, body } = await me.request('GET', path);
      return [status, (body as { message?: string }).message];
    };
    expect(await statusOf(`?with=${first.id}`)).toEqual([
      409,
      expect.stringMatching(/1 of its rows .* differ in "expected"/),
    ]);
    expect(await statusOf(`?with=${grades.id}`)).toEqual([409, expect.stringMatching(/"Right" \(CONTAINS\).*"Grade"/)]);
    expect(await statusOf(`?with=${outputs.id}`)).toEqual([
      409,
      expect.stringContaining('no column of inputs in common'),
    ]);
    expect(await statusOf(`?with=${first.id}&match_by=Topic`)).toEqual([409, expect.stringContaining('"Topic"')]);
    const path = `${second.sheet.path}/scorecard/calculations/${second.id}/comparison?with=${first.id}`;
    expect(await me.get(`${path}&match_by=input`)).toMatchObject({
      matched_by: ['input'],
      aggregate: { n: 8, improved: 1 },
    });
    expect(await me.get(`${path}&match_by=input&match_by=expected`)).toMatchObject({
      aggregate: { n: 7, unpaired: 2 },
    });
  });
});
