import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, newSheet, readRows, versionOf } from '../support/factories.js';
import { waitingForLocks } from '../support/locks.js';
import {
  calculateScorecard,
  configureScorecard,
  ended,
  listResults,
  readResult,
  readScorecard,
  recalculate,
  withSteps,
} from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const EXACT = {
  title: 'Exact',
  primitive_type: 'COMPARE',
  primitive_config: { sources: ['Output', 'expected'], comparison_type: { type: 'STRING' } },
};
const SHORT = {
  title: 'Short',
  primitive_type: 'COUNT',
  primitive_config: { source: 'Output', type: 'chars', max_count: 5 },
};

const answers = (rows: unknown[][]) => textSheet(me, ['Output', 'expected'], rows);

describe('a calculation', () => {
  it('scores every row by every step, and the sheet by both', async () => {
    const sheet = await answers([
      ['Paris', 'Paris'],
      ['London', 'Rome'],
      ['Rome', 'Rome'],
      ['Berlin', 'Berlin'],
    ]);
    const scorecard = await configureScorecard(me, sheet, withSteps([{ ...EXACT, weight: 3 }, SHORT]));
    const [exact, short] = scorecard.steps;
    const id = await recalculate(me, sheet);
    const calculation = await ended(me, sheet);
    expect(calculation.id).toBe(id);
    // Exact: 3 of 4. Short: Paris and Rome of 4. (3 * 0.75 + 0.5) / 4
    expect(calculation).toMatchObject({
      status: 'completed',
      aggregate_score: 0.6875,
      aggregate_verdict: 'warn',
      drift_summary: null,
      error_summary: null,
      criterion_summaries: {
        [exact!.id]: {
          title: 'Exact',
          score: 0.75,
          verdict: 'warn',
          weight: 3,
          pass_count: 3,
          fail_count: 1,
          total_count: 4,
        },
        [short!.id]: { title: 'Short', score: 0.5, verdict: 'fail', pass_count: 2, fail_count: 2, error_count: 0 },
      },
    });
    expect(await readResult(me, sheet, 0)).toMatchObject({ aggregate_score: 1, aggregate_verdict: 'pass' });
    const berlin = await readResult(me, sheet, 3, id);
    expect(berlin).toMatchObject({
      calculation_id: id,
      scorecard_id: scorecard.id,
      sheet_id: sheet.id,
      row_index: 3,
      aggregate_score: 0.75,
      aggregate_verdict: 'warn',
      stale_state: null,
      drift_summary: null,
      error_summary: null,
      step_results: {
        [exact!.id]: {
          verdict: 'pass',
          score: 1,
          raw_value: true,
          evidence: 'Output: "Berlin", expected: "Berlin" → true',
        },
        [short!.id]: {
          verdict: 'fail',
          score: 0,
          raw_value: false,
          evidence: 'Output: "Berlin" → false ({"count":6})',
        },
      },
    });
    for (const result of Object.values(berlin.step_results)) {
      expect(
        Object.entries(result).filter(([key, value]) => key !== 'raw_value' && typeof value === 'boolean'),
      ).toEqual([]);
    }
    const answer = await readScorecard(me, sheet);
    expect(answer).toMatchObject({
      scorecard: { status: 'completed', stale_state: { is_stale: false, reasons: [] }, latest_calculation_id: id },
      display_calculation: { id },
      criterion_summaries: { [exact!.id]: { score: 0.75 } },
      progress: {
        scored_rows: 4,
        total_rows: 4,
        partial_score: 0.6875,
        passed_rows: 2,
        failed_rows: 1,
        warned_rows: 1,
      },
    });
    expect(await me.get(`${sheet.path}/scorecard/calculations/${id}`)).toMatchObject({
      calculation: { id, status: 'completed', sheet_revision: String(await versionOf(me, sheet)) },
      criterion_summaries: { [short!.id]: { score: 0.5 } },
    });
  });

  it('is the newest as soon as it was asked for, and makes no version', async () => {
    const sheet = await answers([['Paris', 'Paris']]);
    await calculateScorecard(me, sheet, [EXACT]);
    const before = await versionOf(me, sheet);
    const started = await me.post(`${sheet.path}/scorecard/recalculate`, undefined, 202);
    expect(started).toMatchObject({ success: true, status: 'queued', version: before });
    const { latest_calculation: latest, display_calculation: display } = await readScorecard(me, sheet);
    expect(latest!.id).toBe((started as { calculation_id: string }).calculation_id);
    expect(display).not.toBeNull();
    await ended(me, sheet);
    expect(await versionOf(me, sheet)).toBe(before);
  });

  it('skips rows in which nobody has written anything, and scores a blank cell of others as empty', async () => {
    const sheet = await answers([['Paris', 'Paris'], [], ['', 'Rome']]);
    const calculation = await calculateScorecard(me, sheet, [
      EXACT,
      { ...SHORT, primitive_config: { ...SHORT.primitive_config, min_count: 1 } },
    ]);
    expect((await readResult(me, sheet, 1)).aggregate_verdict).toBe('skipped');
    const [exact, short] = Object.values((await readResult(me, sheet, 2)).step_results);
    expect([exact!.verdict, short!.verdict]).toEqual(['fail', 'fail']);
    expect(Object.values(calculation.criterion_summaries)[0]).toMatchObject({
      score: 0.5,
      skipped_count: 1,
      total_count: 3,
    });
    expect((await listResults(me, sheet)).verdict_counts).toEqual({ pass: 1, warn: 0, fail: 1, error: 0, skipped: 1 });
  });

  it('completes without a score for a sheet without rows', async () => {
    const sheet = await newSheet(me, ['x']);
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [0] });
    const step = { title: 'A', primitive_type: 'CONTAINS', primitive_config: { source: 'Column A', value: 'x' } };
    expect(await calculateScorecard(me, sheet, [step])).toMatchObject({
      status: 'completed',
      aggregate_score: null,
      aggregate_verdict: 'skipped',
    });
    expect(await listResults(me, sheet)).toMatchObject({ rows: [], next_cursor: null, verdict_counts: { pass: 0 } });
  });

  it.each([
    [
      'PYTHON',
      "if data['Output'] == 'bad': raise ValueError('no good')\nreturn {'score': len(data.get('expected')) / 10}",
    ],
    [
      'JAVASCRIPT',
      "if (data.get('Output') === 'bad') throw new Error('no good'); result = { score: data.expected.length / 10 }",
    ],
  ])('runs code in %s on all columns of the row; where it fails the row says why', async (language, code) => {
    const sheet = await answers([
      ['Paris', '123456789'],
      ['bad', '12345'],
    ]);
    const step = { title: 'Code', primitive_type: 'CODE_EXECUTION', primitive_config: { code, language } };
    const calculation = await calculateScorecard(me, sheet, [step]);
    expect(calculation).toMatchObject({ status: 'completed', aggregate_score: 0.45, aggregate_verdict: 'fail' });
    const [good] = Object.values((await readResult(me, sheet, 0)).step_results);
    expect(good).toMatchObject({ verdict: 'pass', score: 0.9, raw_value: { score: 0.9 } });
    const failed = await readResult(me, sheet, 1);
    expect(failed).toMatchObject({
      aggregate_verdict: 'error',
      aggregate_score: 0,
      error_summary: expect.stringContaining('no good'),
    });
    expect(Object.values(failed.step_results)[0]).toMatchObject({
      verdict: 'error',
      score: null,
      raw_value: null,
      error_message: expect.stringContaining('no good') as string,
    });
  });

  it('skips a row about which code says nothing', async () => {
    const sheet = await answers([['Paris', 'Paris']]);
    const code = {
      title: 'Code',
      primitive_type: 'CODE_EXECUTION',
      primitive_config: { code: 'return None', language: 'PYTHON' },
    };
    await calculateScorecard(me, sheet, [code, EXACT]);
    const row = await readResult(me, sheet, 0);
    expect(row).toMatchObject({ aggregate_score: 1, aggregate_verdict: 'pass' });
    expect(Object.values(row.step_results)[0]).toMatchObject({ verdict: 'skipped', score: null, raw_value: null });
  });

  it('explains a failed step by the failure of its source', async () => {
    const sheet = await answers([['no number', '1']]);
    await addColumn(me, sheet, { title: 'N', type: 'PARSE_VALUE', config: { source: 'Output', type: 'number' } });
    const step = {
      title: 'Big',
      primitive_type: 'MATH_OPERATOR',
      primitive_config: { sources: ['N'], operator: 'gt', value: 1 },
    };
    await calculateScorecard(me, sheet, [step]);
    expect(await readResult(me, sheet, 0)).toMatchObject({
      aggregate_verdict: 'error',
      error_summary: expect.stringMatching(/"N" failed.*no number/s),
    });
  });

  it('maps numbers with an adapter, and cuts others to 0 … 1', async () => {
    const sheet = await answers([['abc', 'x']]);
    const count = { primitive_type: 'COUNT', primitive_config: { source: 'Output', type: 'chars' } };
    await calculateScorecard(me, sheet, [
      { ...count, title: 'Mapped', score_adapter: { type: 'linear', min: 1, max: 5 } },
      { ...count, title: 'Inverted', score_adapter: { type: 'linear', min: 0, max: 4, invert: true } },
      { ...count, title: 'Cut' },
    ]);
    const { step_results: results } = await readResult(me, sheet, 0);
    expect(Object.values(results).map(({ score, raw_value }) => [score, raw_value])).toEqual([
      [0.5, 3],
      [0.25, 3],
      [1, 3],
    ]);
  });

  it('shows everything that was read, or nothing, as a step says', async () => {
    const sheet = await answers([['Paris', 'Paris']]);
    await calculateScorecard(me, sheet, [
      { ...EXACT, evidence_mode: 'raw' },
      { ...EXACT, evidence_mode: 'hidden' },
    ]);
    const { step_results: results } = await readResult(me, sheet, 0);
    expect(Object.values(results).map(({ evidence }) => evidence)).toEqual([
      { inputs: { Output: 'Paris', expected: 'Paris' }, result: true },
      null,
    ]);
  });

  it.each([
    ['fail', 'fail'],
    ['warn', 'warn'],
    ['error', 'error'],
  ])('that misses a required step is a %s', async (behavior, verdict) => {
    const sheet = await answers([['Paris', 'Rome']]);
    const aggregation = { required_step_failure_behavior: behavior };
    const steps = [
      { ...EXACT, required: true },
      { ...SHORT, weight: 99 },
    ];
    await configureScorecard(me, sheet, withSteps(steps, { aggregation }));
    const calculation = await calculateScorecard(me, sheet);
    expect([calculation.aggregate_score, calculation.aggregate_verdict]).toEqual([0.99, verdict]);
    expect((await readResult(me, sheet, 0)).aggregate_verdict).toBe(verdict);
  });

  it('works out an aggregate once for the whole column', async () => {
    const sheet = await answers([
      ['0.5', 'a'],
      ['0.25', 'b'],
      ['0.5', 'c'],
    ]);
    const aggregate = (title: string, aggregation: string, more = {}) => ({
      title,
      primitive_type: 'COLUMN_AGGREGATE',
      primitive_config: { source: 'Output', aggregation, ...more },
    });
    const scorecard = await configureScorecard(
      me,
      sheet,
      withSteps([
        aggregate('Lowest', 'min', { label_source: 'expected' }),
        aggregate('Sum', 'sum'),
        aggregate('Most', 'most_frequent'),
      ]),
    );
    const { criterion_summaries: summaries, ...calculation } = await calculateScorecard(me, sheet);
    const [lowest, sum, most] = scorecard.steps.map(({ id }) => summaries[id]!);
    expect(lowest).toMatchObject({ score: 0.25, verdict: 'fail', value: { value: 0.25, label: 'b' } });
    expect(sum).toMatchObject({ score: null, verdict: 'skipped', value: { value: 1.25, label: null } });
    expect(most).toMatchObject({
      score: 0.5,
      value: { value: '0.5', top_values: [{ value: '0.5', count: 2 }, { count: 1 }] },
    });
    expect(calculation.aggregate_score).toBe(0.375);
    expect((await readResult(me, sheet, 0)).step_results).toEqual({});
    await me.patch(`${sheet.path}/cells`, { cells: [{ row_index: 1, column: 'Output', value: '0.75' }] });
    expect((await readScorecard(me, sheet)).scorecard!.stale_state!.reasons).toEqual(['inputs_changed']);
  });

  it('gives its score to the version of the sheet', async () => {
    const sheet = await answers([['Paris', 'Paris']]);
    await calculateScorecard(me, sheet, [EXACT]);
    const { score_history: history } = (await me.get(`${sheet.path}/versions/score-history`)) as {
      score_history: { points: object[] };
    };
    expect(history.points).toMatchObject([
      { version_number: await versionOf(me, sheet), score: 1, score_type: 'scorecard' },
    ]);
    const { data } = (await me.get(`${sheet.path}/versions?limit=1`)) as { data: object[] };
    expect(data).toMatchObject([{ score: { aggregate_score: 1, source: 'scorecard' } }]);
  });

  it('computes what is new only: cells with the same inputs keep their results', async () => {
    const sheet = await answers([
      ['Paris', 'Paris'],
      ['Rome', 'Rome'],
    ]);
    await calculateScorecard(me, sheet, [EXACT]);
    const hashes = async () =>
      [await readResult(me, sheet, 0), await readResult(me, sheet, 1)].map(
        (row) => (row as unknown as { input_hash: string }).input_hash,
      );
    const before = await hashes();
    await me.patch(`${sheet.path}/cells`, { cells: [{ row_index: 1, column: 'Output', value: 'Oslo' }] });
    await calculateScorecard(me, sheet);
    const after = await hashes();
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);
  });
});

describe('rows that change while a scorecard is calculated', () => {
  it('are scored as far as they exist when it ends', async () => {
    const sheet = await answers(Array.from({ length: 50 }, (_, row) => [`${row}`, `${row}`]));
    const code = 'const end = Date.now() + 20; while (Date.now() < end); return data.Output === data.expected;';
    const step = {
      title: 'Slow',
      primitive_type: 'CODE_EXECUTION',
      primitive_config: { code, language: 'JAVASCRIPT' },
    };
    await configureScorecard(me, sheet, withSteps([step]));
    await recalculate(me, sheet);
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [0, 25] });
    await me.post(`${sheet.path}/rows`, { count: 1, values: [{ Output: 'x', expected: 'x' }] }, 201);
    const calculation = await ended(me, sheet);
    expect(calculation).toMatchObject({ status: 'completed' });
    const { data } = await readRows(me, sheet);
    const results = await listResults(me, sheet, '?limit=100');
    expect(results.rows.map(({ row_index: index }) => index)).toEqual(data.map(({ row_index: index }) => index));
    expect((await readScorecard(me, sheet)).scorecard!.stale_state!.reasons).toContain('rows_changed');
  });

  it('end the calculation when the last one to score is deleted', async () => {
    const sheet = await answers([['stuck', '']]);
    const config = { code: 'for (;;);', language: 'JAVASCRIPT' };
    await configureScorecard(
      me,
      sheet,
      withSteps([{ title: 'Endless', primitive_type: 'CODE_EXECUTION', primitive_config: config }]),
    );
    await recalculate(me, sheet);
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [0] });
    expect(await ended(me, sheet)).toMatchObject({ status: 'completed', aggregate_score: null });
  });
});

it('a calculation that has completed stays so when the next one starts at that moment', async () => {
  const sheet = await answers([['a', 'a']]);
  await configureScorecard(me, sheet, withSteps([EXACT]));
  let [first, second]: Promise<unknown>[] = [];
  await app.inTransaction(async (sql) => {
    await sql('LOCK TABLE version_scores IN ACCESS EXCLUSIVE MODE');
    first = recalculate(me, sheet);
    await until(async () => (await waitingForLocks(app)) === 1);
    second = recalculate(me, sheet);
    await until(async () => (await waitingForLocks(app)) === 2);
  });
  await Promise.all([first, second]);
  await ended(me, sheet);
  const rows = await app.sql('SELECT status FROM scorecard_calculations WHERE sheet_id = $1', [sheet.id]);
  expect(rows).toEqual([{ status: 'completed' }, { status: 'completed' }]);
});
