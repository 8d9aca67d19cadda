import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { DATASETS } from '../support/datasets.js';
import {
  contains,
  evaluated,
  newDataset,
  newReport,
  readReportRows,
  readReportScore,
  runReport,
  startRun,
  type TestDataset,
} from '../support/evaluations.js';
import {
  addColumn,
  type Column,
  readRows,
  type RowsPage,
  settled,
  TABLES,
  type TestSheet,
} from '../support/factories.js';
import { calculated, calculateScore, configureScore, readScore } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let dataset: TestDataset;

const ROWS = Array.from({ length: 40 }, (_, index) => ({
  question: index === 7 ? '' : `Question ${index}`,
  answer: index % 3 === 0 ? 'We REFUND it.' : index % 3 === 1 ? 'No.' : '',
  json: index % 4 ? `{"score": ${index}, "tags": ["a", "b"]}` : 'no JSON',
}));

const COLUMNS = [
  contains('Refund', 'refund', { is_part_of_score: true }),
  { column_type: 'COUNT', name: 'Length', configuration: { source: 'answer', type: 'words' } },
  {
    column_type: 'JSON_PATH',
    name: 'Score',
    configuration: { source: 'json', json_path: '$.score' },
    is_part_of_score: true,
  },
  { column_type: 'COMBINE_COLUMNS', name: 'Both', configuration: { sources: ['Refund', 'Length'] } },
  { column_type: 'MATH_OPERATOR', name: 'Long', configuration: { sources: ['Length'], operator: 'gt', value: 1 } },
  { column_type: 'REGEX_EXTRACTION', name: 'Numbers', configuration: { source: 'question', regex_pattern: '\\d+' } },
];

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  stranger = await app.stranger();
  dataset = await newDataset(me, ROWS);
});
afterAll(() => app.stop());

interface Copied {
  table_id: string;
  sheet_id: string;
  status_url: string;
}

/** The sheet that a copy has made, when it is complete. */
async function copied(answer: unknown): Promise<Pick<TestSheet, 'path' | 'id' | 'tableId'>> {
  const { table_id: tableId, sheet_id: id, status_url: url } = answer as Copied;
  await until(async () => ((await me.get(url)) as { operation: { status: string } }).operation.status === 'completed');
  return { tableId, id, path: `${TABLES}/${tableId}/sheets/${id}` };
}

/** The cells of the named columns, row by row: the value, or the message of a failure. */
async function cellsOf(sheet: Pick<TestSheet, 'path'>, names: string[]): Promise<unknown[][]> {
  const { columns, data } = (await me.get(`${sheet.path}/rows?limit=100`)) as RowsPage;
  const ids = names.map((name) => columns.find(({ title }) => title === name)!.id);
  return data.map(({ cells }) => ids.map((id) => cells[id]!.error_message ?? cells[id]!.value));
}

const columnsOf = async (sheet: Pick<TestSheet, 'path'>): Promise<Column[]> =>
  ((await me.get(`${sheet.path}/columns`)) as { data: Column[] }).data;

const NAMES = COLUMNS.map(({ name }) => name);

describe('the same dataset through both worlds', () => {
  it('gives the same cells and the same score', async () => {
    const { id } = await newReport(me, dataset, COLUMNS);
    const run = await runReport(me, id);

    const sheet = (await copied(await me.post(`${DATASETS}/${dataset.id}/to-table`, {}, 202))) as TestSheet;
    for (const { name: title, column_type: type, configuration: config } of COLUMNS)
      await addColumn(me, sheet, { title, type, config });
    await settled(me, sheet);

    const cells = await evaluated(me, run.report.id);
    expect(await cellsOf(sheet, NAMES)).toEqual(cells);
    expect(new Set(cells.flat().map((value) => typeof value)).size).toBeGreaterThan(3);

    await configureScore(me, sheet, { column_names: ['Refund', 'Score'] });
    await calculateScore(me, sheet);
    const { columns } = await calculated(me, sheet);
    const legacy = await readReportScore(me, run.report.id);
    expect(legacy.details).toMatchObject({
      columns: columns.map(({ title, score, resolved_scoring_type: kind, excluded_count: skipped }) => ({
        column_name: title,
        // Reports count from 0 to 100 when cells are booleans.
        score: kind === 'boolean' ? score! * 100 : score,
        score_type: kind,
        num_skipped: skipped,
      })),
    });
  });
});

describe('a run that is copied into a table', () => {
  it('has the same columns, cells and score card there, and nothing is computed again', async () => {
    const { id } = await newReport(me, dataset, COLUMNS);
    const run = await runReport(me, id, { name: 'Before the change' });
    const sheet = (await copied(
      await me.post(`/api/public/v2/evaluations/${run.report.id}/to-table`, {}, 202),
    )) as TestSheet;

    expect(await me.get(sheet.path)).toMatchObject({ sheet: { title: 'Before the change' } });
    const columns = await columnsOf(sheet);
    expect(columns.map(({ title, type }) => [title, type])).toEqual([
      ['question', 'TEXT'],
      ['answer', 'TEXT'],
      ['json', 'TEXT'],
      ...COLUMNS.map(({ name, column_type: type }) => [name, type]),
    ]);
    const { rows } = await readReportRows(me, run.report.id, '?per_page=100');
    expect(await cellsOf(sheet, NAMES)).toEqual(await evaluated(me, run.report.id));
    expect(await cellsOf(sheet, ['question', 'answer'])).toEqual(
      rows.map(([question, answer]) => [question, answer].map((cell) => (cell as { value: string }).value)),
    );
    expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({
      status_counts: { ...run.stats.status_counts, STALE: 0, QUEUED: 0 },
    });
    expect(await app.sql('SELECT 1 FROM executions WHERE sheet_id = $1', [sheet.id])).toEqual([]);

    await until(async () => (await readScore(me, sheet)).status === 'completed');
    const { overall_score: overall, columns: scored } = await readScore(me, sheet);
    expect(scored.map(({ title }) => title)).toEqual(['Refund', 'Score']);
    expect(overall).not.toBeNull();
    const legacy = (await readReportScore(me, run.report.id)).details as { columns: { score: number }[] };
    expect([scored[0]!.score! * 100, scored[1]!.score]).toEqual(legacy.columns.map(({ score }) => score));
  });

  it('follows its cells there as any sheet does', async () => {
    const { id } = await newReport(me, dataset, COLUMNS);
    const { report } = await runReport(me, id);
    const sheet = (await copied(
      await me.post(`/api/public/v2/evaluations/${report.id}/to-table`, {}, 202),
    )) as TestSheet;
    const { columns, data } = await readRows(me, sheet);
    const idOf = (title: string) => columns.find((column) => column.title === title)!.id;
    await me.patch(`${sheet.path}/cells/${data[1]!.cells[idOf('answer')]!.id}`, { value: 'A refund for you.' });
    const after = await readRows(me, sheet);
    const statuses = NAMES.map((name) => after.data[1]!.cells[idOf(name)]!.status);
    expect(statuses).toEqual(['stale', 'stale', 'completed', 'stale', 'stale', 'completed']);
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    expect((await cellsOf(sheet, ['Refund', 'Length']))[1]).toEqual([true, 4]);
  });

  it('takes the code of its score along', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')], {
      score_configuration: { code: 'return {"score": len(data)}' },
    });
    const { report } = await runReport(me, id);
    const table = (await me.post(TABLES, { title: 'Mine' }, 201)) as { table: { id: string } };
    const body = { table_id: table.table.id, title: 'Copied' };
    const answer = (await me.post(`/api/public/v2/evaluations/${report.id}/to-table`, body, 202)) as Copied;
    expect(answer.table_id).toBe(table.table.id);
    const sheet = (await copied(answer)) as TestSheet;
    await until(async () => (await readScore(me, sheet)).status === 'completed');
    expect(await readScore(me, sheet)).toMatchObject({ score_type: 'custom', overall_score: ROWS.length });
  });

  it('is rejected for runs that are not completed, for strangers and for unknown tables', async () => {
    const slow = {
      column_type: 'CODE_EXECUTION',
      name: 'Slow',
      configuration: { code: 'x = 0\nfor i in range(3000000): x += i\nreturn x', language: 'PYTHON' },
    };
    const { id } = await newReport(me, dataset, [slow]);
    const path = (report: number) => `/api/public/v2/evaluations/${report}/to-table`;
    await me.post(path(id), {}, 400);
    const running = await startRun(me, id);
    await me.post(path(running), {}, 400);
    await me.delete(`/reports/${running}`);
    const done = await runReport(me, (await newReport(me, dataset)).id);
    await me.post(path(done.report.id), { table_id: '0198c0de-0000-7000-8000-000000000000' }, 404);
    await me.post(path(done.report.id), { table_id: 'x' }, 422);
    await stranger.post(path(done.report.id), {}, 404);
    await me.post(path(999_999), {}, 404);
  });
});
