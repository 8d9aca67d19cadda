import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { contains, newDataset, newReport, runReport, startRun, type TestDataset } from '../support/evaluations.js';
import { TestApp } from '../support/test-app.js';

interface Comparison {
  report_id: number;
  other_report_id: number;
  columns: {
    name: string;
    n: number;
    improved: number;
    regressed: number;
    difference: number | null;
    verdict: string;
    scale: string;
    scorer_changed: boolean;
    alpha: number;
    unpaired: number;
    confidence_interval: { low: number; high: number; level: number } | null;
    own: { n: number; score: number | null; confidence_interval: { low: number; high: number; method: string } | null };
    other: { score: number | null };
  }[];
  unmatched_columns: string[];
  changes: { row: number; column: string; before: number; after: number }[];
  changes_total: number;
}

let app: TestApp;
let me: Client;
let dataset: TestDataset;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  // Every third answer speaks of a refund, and every answer but one of a parcel.
  const rows = Array.from({ length: 30 }, (_, at) => ({
    answer: `${at % 3 === 0 ? 'We refund it.' : 'No.'}${at === 4 ? '' : ' Your parcel is near.'}`,
  }));
  dataset = await newDataset(me, rows);
});
afterAll(() => app.stop());

const compare = async (client: Client, run: number, query = '', status = 200) =>
  (await client.get(`/reports/${run}/comparison${query}`, status)) as Comparison;

const runOf = async (columns: object[], of = dataset): Promise<number> => {
  const { id } = await newReport(me, of, columns);
  return (await runReport(me, id)).report.id;
};

describe('the comparison of two runs', () => {
  it('says what became worse first, and whether the difference is more than chance', async () => {
    const strict = await runOf([contains('Good', 'refund'), contains('Kept', 'parcel', { is_part_of_score: true })]);
    const kind = await runOf([contains('Good', 'refund'), contains('Kept', 'refund', { is_part_of_score: true })]);
    const worse = await compare(me, kind, `?with=${strict}`);
    expect(worse).toMatchObject({ report_id: kind, other_report_id: strict, unmatched_columns: [], changes_total: 19 });
    const [column] = worse.columns;
    expect(worse.columns).toHaveLength(1);
    expect(column).toMatchObject({
      name: 'Kept',
      scorer_changed: true,
      n: 30,
      regressed: 19,
      improved: 0,
      verdict: 'significant',
      conclusion: 'difference',
      own: { n: 30, confidence_interval: { method: 'wilson' } },
    });
    expect(column!.own.score).toBeCloseTo(1 / 3);
    expect(column!.other.score).toBeCloseTo(29 / 30);
    expect(column!.difference).toBeCloseTo(-19 / 30);
    expect(worse.changes[0]).toEqual({ row: 1, column: 'Kept', before: 1, after: 0 });
    const better = await compare(me, strict, `?with=${kind}&max_changes=2`);
    expect(better.columns[0]).toMatchObject({ improved: 19, regressed: 0 });
    expect(better.changes).toHaveLength(2);
  });

  it('uses the previous run by default, and claims only what its rows show', async () => {
    const { id } = await newReport(me, dataset, [contains('Good', 'refund')]);
    const first = (await runReport(me, id)).report.id;
    await compare(me, first, '', 409);
    const second = (await runReport(me, id)).report.id;
    const same = await compare(me, second);
    expect(same).toMatchObject({ other_report_id: first, changes: [], changes_total: 0 });
    // Thirty equal rows do not exclude that one in ten of all rows would differ.
    expect(same.columns[0]).toMatchObject({
      scorer_changed: false,
      verdict: 'noise',
      conclusion: 'too_few_rows',
      difference: 0,
      improved: 0,
      regressed: 0,
    });
  });

  it('takes ratings for numbers, not for shares, and corrects for several columns', async () => {
    const ratings = [4, 4, 5, 4, 5, 3, 4, 5];
    const rated = await newDataset(
      me,
      ratings.map((rating) => ({ answer: 'No.', rating, least: 1 })),
    );
    const read = (name: string, source: string) =>
      ({
        name,
        column_type: 'PARSE_VALUE',
        configuration: { source, type: 'number' },
        is_part_of_score: true,
      }) as const;
    const columns = [read('Rating', 'rating'), read('Least', 'least')];
    const [first, second] = [await runOf(columns, rated), await runOf(columns, rated)];
    const { columns: found } = await compare(me, second, `?with=${first}`);
    const [rating, least] = ['Rating', 'Least'].map((title) => found.find(({ name }) => name === title)!);
    expect(rating).toMatchObject({ scale: 'number', alpha: 0.025, own: { score: 4.25 } });
    expect(rating!.own.confidence_interval!.low).toBeLessThan(4.25);
    expect(rating!.own.confidence_interval!.high).toBeGreaterThan(4.25);
    expect(rating!.confidence_interval!.level).toBe(0.975);
    expect(least).toMatchObject({ scale: 'number', own: { score: 1, confidence_interval: null } });
  });

  it('names the scored columns that the other run does not have', async () => {
    const one = await runOf([contains('Good', 'refund')]);
    const other = await runOf([contains('Kind', 'refund')]);
    expect(await compare(me, one, `?with=${other}`)).toMatchObject({ columns: [], unmatched_columns: ['Good'] });
  });

  it('is refused for a pipeline, for other rows, and for what is not there', async () => {
    const { id } = await newReport(me, dataset, [contains('Good', 'refund')]);
    await compare(me, id, '', 400);
    const elsewhere = await runOf([contains('Good', 'refund')], await newDataset(me, [{ answer: 'No.' }]));
    const run = await runOf([contains('Good', 'refund')]);
    await compare(me, run, `?with=${elsewhere}`, 409);
    await compare(me, run, `?with=${id}`, 400);
    await compare(me, run, '?with=999999', 404);
    await compare(me, 999_999, '', 404);
    await compare(await app.stranger(), run, '', 404);
    for (const query of ['?with=x', '?with=0', '?max_changes=0', '?max_changes=101', '?with=99999999999999999999'])
      await compare(me, run, query, 422);
  });

  it('waits for no run that is not completed', async () => {
    const { id } = await newReport(me, dataset, [contains('Good', 'refund')]);
    const run = await startRun(me, id);
    await app.sql(`UPDATE reports SET status = 'running', lease_until = now() + interval '1 hour' WHERE id = $1`, [
      run,
    ]);
    await compare(me, run, '', 409);
  });
});
