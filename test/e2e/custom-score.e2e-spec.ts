import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, readRows, settled, versionOf } from '../support/factories.js';
import { calculateScore, configureScore, readScore, textSheet } from '../support/scores.js';
import { restore, versionAt, versionsOf } from '../support/versions.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

describe('a score by code', () => {
  const PYTHON = `
passed = [row for row in data if row["Verdict"] == "yes"]
return {
  "score": len(passed) / len(data),
  "sub_scores": {"rows": len(data), "grades": sum(float(row["Grade"] or 0) for row in data)},
  "score_matrix": [[["Group", "share"], ["all", {"value": 0.5, "positive_metric": False}]]],
}`;
  const JAVASCRIPT = `result = {score: data.filter((row) => row.Verdict === 'yes').length / data.length, score_matrix: [[1, null, 'a']]}`;
  const rows = [
    ['yes', 1],
    ['no', 2.5],
    ['yes', ''],
    ['', 4],
  ];

  it('in Python gets the rows and gives a score, sub-scores and a matrix', async () => {
    const sheet = await textSheet(me, ['Verdict', 'Grade'], rows);
    await configureScore(me, sheet, { score_type: 'custom', code: PYTHON });
    const matrix = [
      ['Group', 'share'],
      ['all', { value: 0.5, positive_metric: false }],
    ];
    const sub_scores = { rows: 4, grades: 7.5 };
    expect(await calculateScore(me, sheet)).toMatchObject({
      status: 'completed',
      score_calculation_error: null,
      scoring_type: 'custom',
      score_type: 'custom',
      has_custom_scoring: true,
      aggregate_score: 0.5,
      columns: [],
      total_rows: 4,
      scored_rows: 4,
      excluded_rows: 0,
      score_matrix: matrix,
      score_matrix_metrics: [
        { key: 'rows', label: 'rows' },
        { key: 'grades', label: 'grades' },
      ],
      score_configuration: { score_type: 'custom', score_config: { code: PYTHON, code_language: 'PYTHON' } },
      details: { sub_scores, matrix, configuration: { code: PYTHON } },
      aggregate: { value: 0.5 },
    });
  });

  it('in JavaScript may assign its result', async () => {
    const sheet = await textSheet(me, ['Verdict', 'Grade'], rows);
    await configureScore(me, sheet, { code: JAVASCRIPT, code_language: 'JAVASCRIPT' });
    expect(await calculateScore(me, sheet)).toMatchObject({ aggregate_score: 0.5, score_matrix: [[1, null, 'a']] });
  });

  it('gets only the columns that are named, and null for what failed', async () => {
    const sheet = await textSheet(me, ['A', 'B'], [[1, 0]]);
    const config = { sources: ['A', 'B'], operator: '/' };
    const { id } = await addColumn(me, sheet, { title: 'Quotient', type: 'MATH_OPERATOR', config });
    await settled(me, sheet);
    const code = 'return {"score": len(data[0]), "score_matrix": [[str(data[0])]]}';
    await configureScore(me, sheet, { code, column_ids: [id, sheet.ids[0]] });
    expect(await calculateScore(me, sheet)).toMatchObject({
      aggregate_score: 2,
      score_matrix: [["{'Quotient': None, 'A': 1}"]],
    });
  });

  it.each<[string, string, RegExp]>([
    ['throws', 'raise ValueError("no luck")', /no luck/],
    ['is none', 'return {', /./],
    ['returns nothing', 'pass', /has to return an object/],
    ['returns no number', 'return {"score": "high"}', /"score" has to be a number/],
    ['returns a matrix of one dimension', 'return {"score": 1, "score_matrix": [1]}', /list of rows/],
  ])('that %s fails the calculation with a sentence', async (_, code, message) => {
    const sheet = await textSheet(me, ['Grade'], [[1]]);
    await configureScore(me, sheet, { code });
    const score = await calculateScore(me, sheet);
    expect(score).toMatchObject({ status: 'failed', aggregate_score: null, score_type: 'none', calculated_at: null });
    expect(score.score_calculation_error).toMatch(message);
    expect((await versionsOf(me, sheet))[0]).toMatchObject({ score: {} });
  });
});

describe('versions', () => {
  it('show the score and the configuration they had, and bring the configuration back', async () => {
    const sheet = await textSheet(me, ['Grade'], [[1], [3]]);
    const plain = await versionOf(me, sheet);
    await configureScore(me, sheet, { score_type: 'numeric', column_ids: sheet.ids });
    await calculateScore(me, sheet);
    const numeric = await versionOf(me, sheet);
    await configureScore(me, sheet, { score_type: 'boolean', column_ids: sheet.ids });
    const shown = async (number: number) => {
      const version = await versionAt(me, sheet, number);
      const whole = (await me.get(`${sheet.path}/versions/${version.id}`)) as { version: Scored };
      expect(whole.version.snapshot.score_configuration).toEqual(whole.version.score_configuration);
      expect(whole.version.score).toEqual((version as unknown as Scored).score);
      return whole.version;
    };
    expect(await shown(plain)).toMatchObject({ score: {}, score_configuration: null });
    expect(await shown(numeric)).toMatchObject({
      score: { aggregate_score: 2, score_type: 'single_column', source: 'score', calculated_at: expect.any(String) },
      score_configuration: { score_type: 'numeric', score_config: { column_ids: sheet.ids } },
    });
    expect(await shown(numeric + 1)).toMatchObject({ score: {}, score_configuration: { score_type: 'boolean' } });

    await restore(me, sheet, await versionAt(me, sheet, numeric));
    expect(await readScore(me, sheet)).toMatchObject({ scoring_type: 'numeric', status: null });
    expect((await calculateScore(me, sheet)).aggregate_score).toBe(2);
    await restore(me, sheet, await versionAt(me, sheet, plain));
    expect(await readScore(me, sheet)).toMatchObject({ scoring_type: null, status: null });
    expect((await readRows(me, sheet)).data).toHaveLength(2);
  });
});

interface Scored {
  score: object;
  score_configuration: object | null;
  snapshot: { score_configuration: object | null };
}
