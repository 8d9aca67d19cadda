import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { versionOf } from '../support/factories.js';
import {
  calculateScorecard,
  configureScorecard,
  ended,
  listResults,
  readScorecard,
  withSteps,
} from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';

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

const answers = (rows: unknown[][]) => textSheet(me, ['Output', 'expected'], rows);

describe('a calculation', () => {
  it('compares with the one before', async () => {
    const sheet = await answers([
      ['Paris', 'Paris'],
      ['Rome', 'London'],
    ]);
    const { id: first } = await calculateScorecard(me, sheet, [EXACT]);
    const cells = [
      { row_index: 0, column: 'Output', value: 'London' },
      { row_index: 1, column: 'Output', value: 'London' },
    ];
    await me.patch(`${sheet.path}/cells`, { cells });
    await me.post(`${sheet.path}/rows`, { count: 1, values: [{ Output: 'a', expected: 'a' }] }, 201);
    const calculation = await calculateScorecard(me, sheet);
    const moves = { improved_rows: 1, regressed_rows: 1 };
    expect(calculation.drift_summary).toMatchObject({
      previous_calculation_id: first,
      previous_score: 0.5,
      previous_verdict: 'fail',
      verdict_changed: true,
      ...moves,
    });
    expect(Object.values(calculation.criterion_summaries)[0]!.drift_summary).toMatchObject({
      previous_score: 0.5,
      ...moves,
    });
    const rows = await listResults(me, sheet);
    expect(rows.rows.map(({ drift_summary: drift }) => drift)).toEqual([
      { previous_score: 1, score_delta: -1, previous_verdict: 'pass', verdict_changed: true },
      { previous_score: 0, score_delta: 1, previous_verdict: 'fail', verdict_changed: true },
      null,
    ]);
    expect((await readScorecard(me, sheet)).drift_summary).toMatchObject({ previous_calculation_id: first });
  });

  it('is compared with the one that is named as baseline', async () => {
    const sheet = await answers([['Paris', 'Paris']]);
    const { id: baseline } = await calculateScorecard(me, sheet, [EXACT]);
    await me.patch(`${sheet.path}/cells`, { cells: [{ row_index: 0, column: 'Output', value: 'x' }] });
    const { scorecard } = await readScorecard(me, sheet);
    await configureScorecard(me, sheet, withSteps(scorecard!.steps, { baseline_config: { calculation_id: baseline } }));
    await calculateScorecard(me, sheet);
    const { drift_summary: drift } = await calculateScorecard(me, sheet);
    expect(drift).toMatchObject({ previous_calculation_id: baseline, previous_score: 1, score_delta: -1 });
  });
});

describe('a score that nobody configured', () => {
  it('is that of the scorecard', async () => {
    const sheet = await answers([['Paris', 'Paris'], ['a', 'b'], []]);
    await configureScorecard(me, sheet, withSteps([EXACT]));
    const started = await me.post(`${sheet.path}/score`, {}, 202);
    expect(started).toMatchObject({ score_source: 'scorecard', status: 'queued', version: await versionOf(me, sheet) });
    const { id } = await ended(me, sheet);
    expect(id).toBe((started as { calculation_id: string }).calculation_id);
    expect(await me.get(`${sheet.path}/score`)).toMatchObject({
      score_type: 'scorecard',
      scoring_type: 'scorecard',
      score_configuration: null,
      overall_score: 0.5,
      aggregate_score: 0.5,
      status: 'completed',
      total_rows: 3,
      scored_rows: 2,
      excluded_rows: 1,
      details: { aggregate_result: { scorecard_calculation_id: id, aggregate_score: 0.5, aggregate_verdict: 'fail' } },
    });
    await me.patch(`${sheet.path}/score`, { column_names: ['Output'], score_type: 'numeric' });
    expect(await me.get(`${sheet.path}/score`)).toMatchObject({ scoring_type: 'numeric' });
  });
});
