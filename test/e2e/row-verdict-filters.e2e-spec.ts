import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, editCell, newSheet, type RowsPage, type TestSheet } from '../support/factories.js';
import { calculateScorecard, configureScorecard, withSteps } from '../support/scorecards.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let sheet: TestSheet;
let steps: object[];
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  sheet = await newSheet(me, ['refund please', 'a refund', 'an order', null, '{', 'refund {}']);
  const source = sheet.columnId;
  steps = [
    { title: 'Refund', primitive_type: 'CONTAINS', primitive_config: { source, value: 'refund' }, weight: 3 },
    { title: 'Long', primitive_type: 'COUNT', primitive_config: { source, type: 'chars', min_count: 10 } },
    { title: 'Parsed', primitive_type: 'COMPARE', primitive_config: parsedConfig(source), weight: 0.001 },
    { title: 'Most', primitive_type: 'COLUMN_AGGREGATE', primitive_config: { source, aggregation: 'count' } },
  ];
  await calculateScorecard(me, sheet, steps);
});
afterAll(() => app.stop());

/** Fails for texts that are no JSON. */
const parsedConfig = (source: string) => ({ sources: [source], target: 'x', comparison_type: { type: 'JSON' } });

const search = (filters: object[], status = 200, on = sheet) =>
  me.post(`${on.path}/rows/search`, { filter: { filters } }, status);
const found = async (...filters: object[]) =>
  ((await search(filters)) as RowsPage).data.map(({ row_index: row }) => row);

describe('a filter of rows by what their scorecard says', () => {
  it.each<[string, object, number[]]>([
    ['rows that pass', { field: 'row_verdict', operator: 'is', value: 'pass' }, [0]],
    ['verdicts in any case, under other names', { field: 'row_verdict', operator: 'is', value: 'FAILED' }, [2, 4]],
    ['rows between', { field: 'row_verdict', operator: 'is', value: 'warn' }, [1, 5]],
    ['several verdicts', { field: 'row_verdict', operator: 'in', value: ['pass', 'skipped'] }, [0, 3]],
    ['any other verdict', { field: 'row_verdict', operator: 'is_not', value: 'fail' }, [0, 1, 3, 5]],
    [
      'the verdict of a step',
      { field: 'row_verdict', nested_key: 'Long', operator: 'is', value: 'fail' },
      [1, 2, 4, 5],
    ],
    [
      'steps that failed',
      { field: 'row_verdict', nested_key: 'Parsed', operator: 'is', value: 'error' },
      [0, 1, 2, 4, 5],
    ],
    ['low scores', { field: 'row_score', operator: 'lt', value: 0.5 }, [2, 4]],
    ['a range of scores', { field: 'row_score', operator: 'between', value: [0.7, 0.8] }, [1, 5]],
    ['no score', { field: 'row_score', operator: 'is_empty' }, [3]],
    ['the score of a step', { field: 'row_score', nested_key: 'Refund', operator: 'eq', value: 1 }, [0, 1, 5]],
  ])('finds %s', async (_, leaf, rows) => expect(await found(leaf)).toEqual(rows));

  it('joins other conditions', async () => {
    const failed = { field: 'row_verdict', operator: 'is', value: 'fail' };
    expect(await found(failed, { field: 'Column A', operator: 'contains', value: 'order' })).toEqual([2]);
  });

  it('names steps by id', async () => {
    const scorecard = await configureScorecard(me, sheet, withSteps(steps));
    await calculateScorecard(me, sheet);
    const { id } = scorecard.steps[1]!;
    expect(await found({ field: 'row_verdict', nested_key: id.toUpperCase(), operator: 'is', value: 'fail' })).toEqual([
      1, 2, 4, 5,
    ]);
  });

  it('selects what is exported', async () => {
    const filter = JSON.stringify({ filters: [{ field: 'row_verdict', operator: 'is', value: 'pass' }] });
    const answer = await me.request('GET', `${sheet.path}/export?format=csv&filter=${encodeURIComponent(filter)}`);
    expect(answer.bytes.toString()).toBe('Column A\r\nrefund please\r\n');
  });

  it('is about the newest calculation that was completed', async () => {
    const own = await newSheet(me, ['a', 'b']);
    const step = { title: 'A', primitive_type: 'CONTAINS', primitive_config: { source: own.columnId, value: 'a' } };
    const passing = async () => {
      const page = await search([{ field: 'row_verdict', operator: 'is', value: 'pass' }], 200, own);
      return (page as RowsPage).data.map(({ row_index: row }) => row);
    };
    const others = async () => {
      const page = await search([{ field: 'row_verdict', operator: 'is_not', value: 'pass' }], 200, own);
      return (page as RowsPage).data.map(({ row_index: row }) => row);
    };
    expect([await passing(), await others()]).toEqual([[], [0, 1]]);
    await calculateScorecard(me, own, [step]);
    expect([await passing(), await others()]).toEqual([[0], [1]]);
    const [, second] = await cellsOf(me, own, own.columnId);
    await editCell(me, own, second!, { value: 'aa' });
    expect(await passing()).toEqual([0]);
    await calculateScorecard(me, own);
    expect(await passing()).toEqual([0, 1]);
    await me.delete(`${own.path}/scorecard`);
    expect(await passing()).toEqual([]);
  });

  it('is about a column of that title where it names its id', async () => {
    const own = await newSheet(me, ['x']);
    const column = await addColumn(me, own, { title: 'row_verdict', type: 'TEXT' });
    const [cell] = await cellsOf(me, own, column.id);
    await editCell(me, own, cell!, { value: 'guilty' });
    const page = await search([{ field: column.id, operator: 'is', value: 'guilty' }], 200, own);
    expect((page as RowsPage).data).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ field: 'row_verdict', operator: 'is', value: 'pas' }, 'pass'],
    [{ field: 'row_verdict', operator: 'contains', value: 'pass' }, 'contains'],
    [{ field: 'row_verdict', nested_key: 'Nobody', operator: 'is', value: 'pass' }, 'Refund'],
    [{ field: 'row_verdict', nested_key: 'Most', operator: 'is', value: 'pass' }, 'Refund'],
    [{ field: 'row_score', operator: 'gt', value: 'high' }, 'row_score'],
    [{ field: 'row_verdikt', operator: 'is', value: 'pass' }, 'row_verdict'],
  ])('refuses %j', async (leaf, words) => {
    const answer = await me.request('POST', `${sheet.path}/rows/search`, { filter: { filters: [leaf] } });
    expect([400, 422]).toContain(answer.status);
    expect(JSON.stringify(answer.body)).toContain(words);
  });
});
