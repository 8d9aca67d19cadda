import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  columnsByName,
  completed,
  contains,
  newDataset,
  newReport,
  readReport,
  readReportScore,
  runReport,
  startRun,
  type TestDataset,
} from '../support/evaluations.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let dataset: TestDataset;

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  stranger = await app.stranger();
  dataset = await newDataset(me, [
    { question: 'a', answer: 'refund', rating: '4' },
    { question: 'b', answer: 'no', rating: '2' },
    { question: 'c', answer: 'refund', rating: 'none' },
    { question: 'd', answer: 'refund', rating: '' },
  ]);
});
afterAll(() => app.stop());

const parse = (name: string, source = 'rating') => ({
  column_type: 'PARSE_VALUE',
  name,
  configuration: { source, type: 'number' },
});
const constant = (name: string, value: unknown) => ({
  column_type: 'VARIABLE',
  name,
  configuration: { value: { type: typeof value === 'string' ? 'string' : 'json', value } },
});

async function scoreOf(columns: object[], more: object = {}) {
  const { id } = await newReport(me, dataset, columns, more);
  const { report } = await runReport(me, id);
  expect(report.score).toEqual(report.score_calculation_error ? null : await readReportScore(me, report.id));
  return report;
}

describe('the score of a run', () => {
  it('is the percentage of true cells', async () => {
    const { score } = await scoreOf([contains('Refund', 'refund')]);
    expect(score).toEqual({
      overall_score: 75,
      score_type: 'single_column',
      has_custom_scoring: false,
      details: { column_name: 'Refund', score: 75, score_type: 'boolean', num_skipped: 0 },
    });
  });

  it('is the mean of numbers, without what failed', async () => {
    const { score } = await scoreOf([parse('Rating')]);
    expect(score).toMatchObject({
      overall_score: 3,
      details: { column_name: 'Rating', score: 3, score_type: 'numeric', num_skipped: 2 },
    });
  });

  it.each([
    ['ones and zeros', [1, 0, 0, 1], { overall_score: 0.5, details: { score_type: 'numeric' } }],
    ['ones', [1, 1, 1, 1], { overall_score: 1, details: { score_type: 'numeric' } }],
    ['texts of booleans', ['true', 'FALSE', 'true', 'true'], { overall_score: 75, details: { score_type: 'boolean' } }],
    ['texts of numbers', ['1', '2.5', '-1', '0'], { overall_score: 0.625, details: { score_type: 'numeric' } }],
    ['other words', ['yes', 'pass', 'yes', 'no'], { overall_score: null, score_type: 'none' }],
    ['booleans and numbers', [true, 5, true, 1], { overall_score: null, score_type: 'none' }],
    [
      'what wraps them',
      [{ score: 4 }, { value: 2 }, { score: null }, { value: 3 }],
      { overall_score: 3, details: { num_skipped: 1 } },
    ],
  ])('reads %s', async (_, values, expected) => {
    const code = `return ${JSON.stringify(values)}["abcd".indexOf(data.question)]`;
    const column = { column_type: 'CODE_EXECUTION', name: 'Value', configuration: { code, language: 'JAVASCRIPT' } };
    expect((await scoreOf([column])).score).toMatchObject(expected);
  });

  it('is that of the last column unless others are part of it', async () => {
    const last = await scoreOf([contains('Refund', 'refund'), parse('Rating')]);
    expect(last.score).toMatchObject({ overall_score: 3, details: { column_name: 'Rating' } });
    const marked = await scoreOf([contains('Refund', 'refund', { is_part_of_score: true }), parse('Rating')]);
    expect(marked.score).toMatchObject({ overall_score: 75, details: { column_name: 'Refund' } });
  });

  it('is the mean of several columns', async () => {
    const columns = [
      contains('Refund', 'refund', { is_part_of_score: true }),
      { ...parse('Rating'), is_part_of_score: true },
    ];
    const { score, id } = await scoreOf(columns);
    expect(score).toEqual({
      overall_score: 39,
      score_type: 'multi_column',
      has_custom_scoring: false,
      details: {
        columns: [
          { column_name: 'Refund', score: 75, score_type: 'boolean', num_skipped: 0 },
          { column_name: 'Rating', score: 3, score_type: 'numeric', num_skipped: 2 },
        ],
      },
    });
    const { Refund, Rating, answer } = await columnsByName(me, id);
    expect([Refund!.score, Rating!.score, answer!.score]).toEqual([75, 3, undefined]);
  });

  it.each([
    ['texts', 'some prose'],
    ['lists', [1, 2]],
    ['objects', { a: 1 }],
  ])('leaves out a column of %s', async (_, value) => {
    const marked = { ...constant('Other', value), is_part_of_score: true };
    const alone = await scoreOf([marked]);
    expect(alone.score).toMatchObject({
      overall_score: null,
      score_type: 'none',
      details: { message: expect.any(String) as string },
    });
    const beside = await scoreOf([contains('Refund', 'refund', { is_part_of_score: true }), marked]);
    expect(beside.score).toMatchObject({
      overall_score: 75,
      score_type: 'multi_column',
      details: { columns: [{ score: 75 }, { column_name: 'Other', score: null, score_type: null }] },
    });
  });

  it('is null for a column with one cell that is neither true, false nor a number', async () => {
    const code = 'return "prose" if data["question"] == "a" else True';
    const mixed = { column_type: 'CODE_EXECUTION', name: 'Mixed', configuration: { code, language: 'PYTHON' } };
    expect((await scoreOf([mixed])).score).toMatchObject({ overall_score: null, score_type: 'none' });
  });

  it('comes from code, with sub-scores and matrices', async () => {
    const code = `
rows = [row for row in data if row["Refund"]]
table = [["Title", "n"], ["rows", {"value": len(rows), "positive_metric": False}]]
return {"score": len(rows) / len(data), "sub_scores": {"rows": len(data)}, "score_matrix": [table, [["b"], [1]]]}`;
    const configuration = { code, code_language: 'PYTHON' };
    const {
      score,
      score_matrix: matrix,
      score_configuration: stored,
    } = await scoreOf([contains('Refund', 'refund')], {
      score_configuration: { code },
    });
    const matrices = [
      [
        ['Title', 'n'],
        ['rows', { value: 3, positive_metric: false }],
      ],
      [['b'], [1]],
    ];
    expect(stored).toEqual(configuration);
    expect(matrix).toEqual(matrices);
    expect(score).toEqual({
      overall_score: 0.75,
      score_type: 'custom',
      has_custom_scoring: true,
      details: { matrix: matrices, sub_scores: { rows: 4 }, configuration },
    });
  });

  it.each([
    ['that fails', 'return 1 / 0', /division by zero/],
    ['without a score', 'return {"points": 1}', /"score" has to be a number/],
    ['with a broken matrix', 'return {"score": 1, "score_matrix": [1]}', /score_matrix/],
  ])('is missing for code %s, and says why', async (_, code, message) => {
    const report = await scoreOf([contains('Refund', 'refund')], { score_configuration: { code } });
    expect(report).toMatchObject({
      score: null,
      score_matrix: null,
      score_calculation_error: expect.stringMatching(message) as string,
    });
    expect(await readReportScore(me, report.id)).toMatchObject({
      overall_score: null,
      score_type: 'none',
      has_custom_scoring: true,
      details: { message: expect.stringMatching(message) as string },
    });
  });

  it('is refused for pipelines and for strangers', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    expect(await me.get(`/reports/${id}/score`, 400)).toMatchObject({ success: false });
    await me.get('/reports/999999/score', 404);
    const { report } = await runReport(me, id);
    await me.get(`/reports/${report.id}/score?workspace_id=1`);
    await me.get(`/reports/${report.id}/score?workspace_id=2`, 403);
    await stranger.get(`/reports/${report.id}/score`, 404);
  });
});

describe('the score card', () => {
  const configure = async (id: number, card: object, status = 200) =>
    (await me.patch(`/reports/${id}/score-card`, card, status)) as {
      report: { id: number; score: unknown; score_configuration: unknown };
      message: string;
    };

  it('rescores a completed run at once', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund'), parse('Rating')]);
    const { report: run } = await runReport(me, id);
    const { report } = await configure(run.id, { column_names: ['Refund'] });
    expect(report).toMatchObject({ id: run.id, score_configuration: null, score: { overall_score: 75 } });
    expect(await readReportScore(me, run.id)).toMatchObject({ overall_score: 75, details: { column_name: 'Refund' } });
    const code = 'return {"score": len(data), "score_matrix": [[1]]}';
    const byCode = await configure(run.id, { column_names: ['Refund'], code });
    expect(byCode.report).toMatchObject({
      score_configuration: { code, code_language: 'PYTHON' },
      score: { overall_score: 4, score_type: 'custom' },
      score_matrix: [[[1]]],
    });
    const js = 'return {score: data.length + 1}';
    expect((await configure(run.id, { column_names: [], code: js, code_language: 'JAVASCRIPT' })).report).toMatchObject(
      { score: { overall_score: 5 }, score_matrix: [] },
    );
    expect((await configure(run.id, { column_names: [], code: null })).report).toMatchObject({
      score_configuration: null,
      score_matrix: null,
      score: { overall_score: 3 },
    });
    expect(
      await app.sql(`SELECT 1 FROM outbox_events WHERE type = 'report_finished' AND details ->> 'report_id' = $1`, [
        String(run.id),
      ]),
    ).toHaveLength(1);
  });

  it('applies to a run that is still computed when it is completed', async () => {
    const code = 'x = 0\nfor i in range(2000000): x += 1\nreturn True';
    const slow = { column_type: 'CODE_EXECUTION', name: 'Slow', configuration: { code, language: 'PYTHON' } };
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund'), slow]);
    const run = await startRun(me, id);
    const { report } = await configure(run, { column_names: ['Refund'] });
    expect(report.score).toBeNull();
    expect(await readReportScore(me, run)).toMatchObject({
      overall_score: null,
      details: { message: expect.stringContaining('not completed') as string },
    });
    expect((await completed(me, run)).report.score).toMatchObject({ overall_score: 75 });
    const events = `SELECT 1 FROM outbox_events WHERE type = 'report_finished' AND details ->> 'report_id' = $1`;
    expect(await app.sql(events, [String(run)])).toHaveLength(1);
  });

  it('takes columns of the dataset as well', async () => {
    const numbers = await newDataset(me, [{ points: '1' }, { points: '2' }, { points: '' }]);
    const { id } = await newReport(me, numbers, [constant('Prose', 'x')]);
    await configure(id, { column_names: ['points'] });
    const { report } = await runReport(me, id);
    expect(report.score).toMatchObject({ overall_score: 1.5, details: { column_name: 'points', num_skipped: 1 } });
  });

  it('applies to later runs only when it is set on a pipeline', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund'), parse('Rating')]);
    const before = await runReport(me, id);
    expect((await configure(id, { column_names: ['Refund'] })).report).toMatchObject({ id, score: null });
    expect((await columnsByName(me, id)).Refund!.is_part_of_score).toBe(true);
    const after = await runReport(me, id);
    expect([before, after].map(({ report }) => report.score!.overall_score)).toEqual([3, 75]);
    expect((await readReport(me, before.report.id)).report.score!.overall_score).toBe(3);
  });

  it('is refused when it names a column that is not there', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const { report } = await runReport(me, id);
    for (const report_id of [id, report.id]) {
      expect((await configure(report_id, { column_names: ['Refund', 'refund'] }, 400)).message).toMatch('"refund"');
    }
    await configure(id, {}, 422);
    await configure(id, { column_names: ['Refund'], code: 'x', code_language: 'RUBY' }, 422);
    await configure(999_999, { column_names: [] }, 404);
    await stranger.patch(`/reports/${id}/score-card`, { column_names: [] }, 404);
    expect((await columnsByName(me, id)).Refund!.is_part_of_score).toBe(false);
  });
});
