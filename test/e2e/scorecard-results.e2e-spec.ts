import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  calculateScorecard,
  configureScorecard,
  listResults,
  readResult,
  readScorecard,
  withSteps,
} from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let sheet: Awaited<ReturnType<typeof textSheet>>;
let calculationId: string;
let stepIds: string[];

/** Rows in turn pass, warn, fail, fail with an error and are blank. */
const TEXTS = ['1', '0.7', '0', 'oops', ''];
const ROWS = 125;

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  sheet = await textSheet(
    me,
    ['Output'],
    Array.from({ length: 100 }, (_, row) => [TEXTS[row % 5]]),
  );
  const rest = Array.from({ length: ROWS - 100 }, (_, row) => ({ Output: TEXTS[row % 5] }));
  await me.post(`${sheet.path}/rows`, { count: rest.length, values: rest }, 201);
  const scorecard = await configureScorecard(
    me,
    sheet,
    withSteps([
      {
        title: 'Grade',
        primitive_type: 'PARSE_VALUE',
        primitive_config: { source: 'Output', type: 'number' },
        weight: 1000,
      },
      {
        title: 'Is one',
        primitive_type: 'REGEX',
        primitive_config: { source: 'Output', regex_pattern: '^1$' },
        weight: 0.001,
      },
    ]),
  );
  stepIds = scorecard.steps.map(({ id }) => id);
  calculationId = (await calculateScorecard(me, sheet)).id;
});
afterAll(() => app.stop());

const indexes = (page: { rows: { row_index: number }[] }) => page.rows.map(({ row_index: index }) => index);
const every = (verdict: number) => Array.from({ length: ROWS / 5 }, (_, row) => row * 5 + verdict);

describe('the results of rows', () => {
  it('come in order, page by page', async () => {
    const seen: number[] = [];
    let cursor: number | null = null;
    do {
      const page = await listResults(me, sheet, `?limit=40${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(page).toMatchObject({
        calculation_id: calculationId,
        verdict_counts: { pass: 25, warn: 25, fail: 50, error: 0, skipped: 25 },
      });
      seen.push(...indexes(page));
      cursor = page.next_cursor;
      expect(cursor).toBe(seen.length < ROWS ? seen.at(-1) : null);
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  });

  it('are fifty by default', async () => {
    const page = await listResults(me, sheet);
    expect([page.rows.length, page.next_cursor]).toEqual([50, 49]);
  });

  it.each([
    ['pass', every(0)],
    ['warn', every(1)],
    ['WARN,pass', [...every(0), ...every(1)].sort((a, b) => a - b)],
    ['skipped', every(4)],
    ['error', []],
  ])('can be those with the verdict %s', async (verdict, expected) => {
    const page = await listResults(me, sheet, `?verdict=${verdict}&limit=100&calculation_id=${calculationId}`);
    expect(indexes(page)).toEqual(expected);
    expect([page.next_cursor, page.verdict_counts.warn]).toEqual([null, 25]);
  });

  it('with a verdict have pages, too', async () => {
    const first = await listResults(me, sheet, '?verdict=warn&limit=24');
    expect([indexes(first).length, first.next_cursor]).toEqual([24, 116]);
    expect(indexes(await listResults(me, sheet, '?verdict=warn&limit=24&cursor=116'))).toEqual([121]);
  });

  it('can be those in which a step has a verdict', async () => {
    const page = await listResults(me, sheet, `?verdict=error&step_id=${stepIds[0]}&limit=100`);
    expect(indexes(page)).toEqual(every(3));
    expect(page.rows[0]).toMatchObject({ aggregate_verdict: 'fail', error_summary: expect.stringContaining('oops') });
    expect(indexes(await listResults(me, sheet, `?verdict=pass&step_id=${stepIds[1]}&limit=100`))).toEqual(every(0));
  });

  it.each([
    ['verdict=good', 400],
    ['cursor=x', 400],
    ['cursor=-1', 400],
    ['cursor=99999999999', 400],
    ['limit=0', 400],
    ['limit=101', 400],
    ['calculation_id=x', 400],
    [`calculation_id=${randomUUID()}`, 404],
    [`verdict=pass&step_id=${randomUUID()}`, 400],
  ])('are refused with %s', async (query, status) => {
    const answer = await me.request('GET', `${sheet.path}/scorecard/rows?${query}`);
    expect([answer.status, answer.body]).toMatchObject([status, { success: false, message: expect.any(String) }]);
  });

  it.each([
    ['/scorecard/rows/9999', 404],
    ['/scorecard/rows/-1', 400],
    ['/scorecard/rows/x', 400],
    [`/scorecard/rows/0?calculation_id=${randomUUID()}`, 404],
    [`/scorecard/calculations/${randomUUID()}`, 404],
  ])('do not exist at %s', async (route, status) => {
    expect((await me.request('GET', `${sheet.path}${route}`)).status).toBe(status);
  });

  it('have an id of their own, and one result for each step', async () => {
    const [first, second] = [await readResult(me, sheet, 0), await readResult(me, sheet, 1)];
    expect(first).toMatchObject({
      config_hash: expect.any(String),
      input_hash: expect.any(String),
      computed_at: expect.any(String),
    });
    expect((first as unknown as { id: string }).id).not.toBe((second as unknown as { id: string }).id);
    expect(Object.keys(first.step_results)).toEqual(stepIds);
  });

  it('are none before the first calculation', async () => {
    const other = await textSheet(me, ['Output'], [['1']]);
    expect(await listResults(me, other)).toEqual({
      success: true,
      calculation_id: null,
      rows: [],
      next_cursor: null,
      verdict_counts: {},
    });
    await configureScorecard(
      me,
      other,
      withSteps([{ title: 'A', primitive_type: 'CONTAINS', primitive_config: { source: 'Output', value: '1' } }]),
    );
    expect(await listResults(me, other)).toMatchObject({ calculation_id: null, rows: [], verdict_counts: {} });
    expect((await me.request('GET', `${other.path}/scorecard/rows/0`)).status).toBe(404);
  });

  it('are not found in another sheet', async () => {
    const other = await textSheet(me, ['Output'], [['1']]);
    await calculateScorecard(me, other, [
      { title: 'A', primitive_type: 'CONTAINS', primitive_config: { source: 'Output', value: '1' } },
    ]);
    for (const route of [
      `calculations/${calculationId}`,
      `rows?calculation_id=${calculationId}`,
      `rows/0?calculation_id=${calculationId}`,
    ]) {
      expect((await me.request('GET', `${other.path}/scorecard/${route}`)).status).toBe(404);
    }
    expect((await readScorecard(me, other)).latest_calculation!.id).not.toBe(calculationId);
  });
});
