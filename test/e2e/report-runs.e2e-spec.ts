import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newGroup } from '../support/datasets.js';
import {
  columnsByName,
  completed,
  contains,
  evaluated,
  newDataset,
  newReport,
  readReport,
  readReportRows,
  readReportScore,
  runReport,
  startRun,
  type TestDataset,
} from '../support/evaluations.js';
import { until } from '../support/until.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let dataset: TestDataset;
const ROWS = 30;

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  stranger = await app.stranger();
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    question: `Question ${index}`,
    answer: index % 3 ? 'No.' : 'We refund it.',
  }));
  dataset = await newDataset(me, rows);
});
afterAll(() => app.stop());

const finished = async (id: number): Promise<unknown[]> =>
  app.sql(`SELECT details FROM outbox_events WHERE type = 'report_finished' AND details ->> 'report_id' = $1`, [
    String(id),
  ]);

describe('a run', () => {
  it('computes all rows of the dataset, and is announced once', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const run = await startRun(me, id, { name: 'First' });
    expect(run).not.toBe(id);
    const detail = await completed(me, run);
    expect(detail).toMatchObject({
      report: { id: run, name: 'First', is_blueprint: false, parent_report_id: id, dataset_id: dataset.id },
      stats: { status_counts: { COMPLETED: ROWS, FAILED: 0, QUEUED: 0, RUNNING: 0 } },
      report_columns: [
        { column_type: 'DATASET', name: 'question' },
        { column_type: 'DATASET', name: 'answer' },
        { column_type: 'CONTAINS', name: 'Refund', position: 2, configuration: { source: 'answer', value: 'refund' } },
      ],
    });
    expect(await finished(run)).toEqual([{ details: { report_id: run, report_name: 'First' } }]);
    expect(await finished(id)).toEqual([]);
    const page = await readReportRows(me, run, '?page=3&per_page=14');
    expect(page).toMatchObject({ total: ROWS, pages: 3, page: 3, per_page: 14 });
    expect(page.rows.map(([question]) => question)).toEqual([
      { type: 'dataset', value: 'Question 28' },
      { type: 'dataset', value: 'Question 29' },
    ]);
    expect((await readReportRows(me, run, '?page=9')).rows).toEqual([]);
    await me.get(`/api/public/v2/evaluations/${run}/rows?per_page=101`, 422);
    await me.get(`/api/public/v2/evaluations/${run}/rows?workspace_id=2`, 400);
    await stranger.get(`/api/public/v2/evaluations/${run}/rows`, 404);
    await stranger.get(`/reports/${run}`, 404);
  });

  it('counts all its cells from the beginning, before their rows are copied', async () => {
    const total = 1500;
    const large = await newDataset(
      me,
      Array.from({ length: total }, (_, index) => ({ answer: `Answer ${index}` })),
    );
    const { id } = await newReport(me, large, [contains('Refund', 'refund')]);
    const run = await startRun(me, id);
    await until(async () => {
      const { status, stats } = await readReport(me, run);
      const counts = Object.values(stats.status_counts);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
      return status === 'COMPLETED';
    });
  });

  it('keeps the columns that the pipeline had when it began', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const run = await startRun(me, id);
    const { Refund } = await columnsByName(me, id);
    await me.delete(`/report-columns/${Refund!.id}`, 204);
    await completed(me, run);
    expect((await columnsByName(me, run)).Refund!.id).not.toBe(Refund!.id);
    expect((await evaluated(me, run)).slice(0, 3)).toEqual([[true], [false], [false]]);
  });

  it('is completed with failed cells, which fail what reads them', async () => {
    const { id } = await newReport(me, dataset, [
      { column_type: 'PARSE_VALUE', name: 'Number', configuration: { source: 'answer', type: 'number' } },
      { column_type: 'COUNT', name: 'Digits', configuration: { source: 'Number', type: 'chars' } },
    ]);
    const { stats, report } = await runReport(me, id);
    expect(stats.status_counts).toEqual({ COMPLETED: 0, FAILED: 2 * ROWS, QUEUED: 0, RUNNING: 0 });
    expect(report.score).toMatchObject({ overall_score: null, score_type: 'none' });
    const [row] = (await readReportRows(me, report.id)).rows;
    expect(row!.slice(2)).toEqual([
      { type: 'eval', status: 'FAILED', value: null, error_message: expect.any(String) },
      { type: 'eval', status: 'FAILED', value: null, error_message: expect.stringContaining('"Number"') },
    ]);
  });

  it('is completed at once when there is nothing to compute', async () => {
    const constant = { column_type: 'VARIABLE', name: 'One', configuration: { value: 1 } };
    const withoutColumns = await newReport(me, dataset);
    const withoutRows = await newReport(me, await newDataset(me, []), [constant]);
    for (const { id } of [withoutColumns, withoutRows]) {
      const { report } = await runReport(me, id);
      expect(report.score).toMatchObject({ overall_score: null, score_type: 'none' });
      expect(await finished(report.id)).toHaveLength(1);
    }
  });

  it('does not wait for people', async () => {
    const human = {
      column_type: 'HUMAN',
      name: 'Person',
      configuration: { data_type: 'number', ui_element: { type: 'slider', min: 1, max: 5 } },
    };
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund'), human]);
    const { report, stats } = await runReport(me, id);
    expect(stats.status_counts.COMPLETED).toBe(ROWS);
    const [row] = (await readReportRows(me, report.id)).rows;
    expect(row!.at(-1)).toEqual({ type: 'eval', status: 'SKIPPED', value: null });
  });

  it('can read another dataset', async () => {
    const { id } = await newReport(me, dataset, [
      contains('Refund', 'refund'),
      { column_type: 'COUNT', name: 'Length', configuration: { source: 'Refund', type: 'chars' } },
    ]);
    // It has more columns, in another order, and one is called as an evaluation column.
    const other = await newDataset(me, [{ more: 'x', Refund: 'refund', answer: 'No refund.' }]);
    const run = await runReport(me, id, { dataset_id: other.id });
    expect(run.report.dataset_id).toBe(other.id);
    expect(run.report_columns.map(({ name }) => name)).toEqual(['more', 'Refund', 'answer', 'Refund', 'Length']);
    // The evaluation column comes before the column of the dataset: "true" has four letters.
    expect(await evaluated(me, run.report.id)).toEqual([[true, 4]]);
  });

  it('is refused where it is not possible', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const run = await runReport(me, id);
    const refused = async (report: number, body: object, status: number) =>
      ((await me.post(`/reports/${report}/run`, body, status)) as { message: string }).message;
    expect(await refused(run.report.id, { name: 'Run' }, 403)).toMatch('Only a pipeline');
    await refused(id, {}, 422);
    await refused(id, { name: '' }, 422);
    await refused(id, { name: 'Run', dataset_id: 'x' }, 422);
    await refused(id, { name: 'Run', dataset_id: 999_999 }, 404);
    await refused(999_999, { name: 'Run' }, 404);
    const { draftId } = await newGroup(me);
    expect(await refused(id, { name: 'Run', dataset_id: draftId }, 400)).toMatch('draft');
    const lacking = await newDataset(me, [{ reply: 'x' }]);
    expect(await refused(id, { name: 'Run', dataset_id: lacking.id }, 400)).toMatch(
      '"Refund" names "answer" as source',
    );
    const theirs = await newDataset(stranger, [{ answer: 'x' }]);
    await refused(id, { name: 'Run', dataset_id: theirs.id }, 404);
    await stranger.post(`/reports/${id}/run`, { name: 'Run' }, 404);
  });

  it('goes on beside another one of the same pipeline', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const runs = await Promise.all([1, 2, 3].map(() => startRun(me, id)));
    expect(new Set(runs).size).toBe(3);
    for (const run of runs) {
      await completed(me, run);
      expect(await finished(run)).toHaveLength(1);
      expect((await readReportScore(me, run)).overall_score).toBeCloseTo(100 / 3);
    }
  });

  it('is stopped when it is archived', async () => {
    const slow = {
      column_type: 'CODE_EXECUTION',
      name: 'Slow',
      configuration: { code: 'x = 0\nfor i in range(10000000): x += i\nreturn x', language: 'PYTHON' },
    };
    const { id } = await newReport(me, dataset, [slow]);
    const run = await startRun(me, id);
    await me.delete(`/reports/${run}`);
    await me.get(`/reports/${run}`, 404);
    const open = () =>
      app.sql('SELECT 1 FROM computation_tasks t JOIN reports r ON r.sheet_id = t.sheet_id WHERE r.id = $1', [run]);
    await until(async () => (await open()).length === 0);
    expect(await finished(run)).toEqual([]);
  });

  it('stays when its pipeline is archived, which cannot be run any more', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const { report } = await runReport(me, id);
    await me.delete(`/reports/${id}`);
    expect((await readReport(me, report.id)).report).toMatchObject({ parent_report_id: id, deleted: false });
    expect((await readReportRows(me, report.id)).total).toBe(ROWS);
    await me.post(`/reports/${id}/run`, { name: 'Run' }, 404);
  });

  it('answers a repeated request with the same key once', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const again = me.with({ 'idempotency-key': 'run-1' });
    expect(await startRun(again, id)).toBe(await startRun(again, id));
  });
});

interface Listed {
  evaluations: {
    id: number;
    name: string;
    deleted: boolean;
    external_ids: object[];
    runs?: { id: number; status: string; stats: object; score: object }[];
  }[];
  total: number;
}

describe('the list of evaluations', () => {
  const list = async (query: string, client = me) => (await client.get(`/api/public/v2/evaluations${query}`)) as Listed;

  it('shows pipelines, and their runs when they are wanted', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')], {
      name: 'Listed one',
      external_ids: [{ source: 'ci', external_id: 'listed' }],
    });
    const first = await runReport(me, id, { name: 'A' });
    const second = await runReport(me, id, { name: 'B' });
    const found = await list('?name=LISTED');
    expect(found).toMatchObject({
      success: true,
      message: 'success',
      page: 1,
      per_page: 10,
      total: 1,
      pages: 1,
      evaluations: [
        { id, name: 'Listed one', is_blueprint: true, external_ids: [{ external_id: 'listed' }], tags: [] },
      ],
    });
    expect(found.evaluations[0]).not.toHaveProperty('runs');
    const [withRuns] = (await list('?name=listed&include_runs=True')).evaluations;
    expect(withRuns!.runs!.map((run) => run.id)).toEqual([second.report.id, first.report.id]);
    expect(withRuns!.runs![0]).toMatchObject({
      status: 'COMPLETED',
      parent_report_id: id,
      score: { score_type: 'single_column' },
      stats: { status_counts: { COMPLETED: ROWS, FAILED: 0, QUEUED: 0, RUNNING: 0 } },
    });
    expect((await list('?external_source=ci&external_id=listed')).evaluations.map((each) => each.id)).toEqual([id]);
    expect((await list('', stranger)).total).toBe(0);
  });

  it('filters and sorts', async () => {
    for (const name of ['sort c', 'sort a', 'sort b']) await newReport(me, dataset, [], { name });
    const names = async (query: string) => (await list(query)).evaluations.map(({ name }) => name);
    expect(await names('?name=sort&sort_by=name&sort_order=asc')).toEqual(['sort a', 'sort b', 'sort c']);
    expect(await names('?name=sort')).toEqual(['sort b', 'sort a', 'sort c']);
    expect(await names('?name=sort&per_page=1&page=2')).toEqual(['sort a']);
    expect(await names('?name=sort&page=9')).toEqual([]);
    expect(await names('?name=100%25')).toEqual([]);
    expect(await names('?name=sort&created_before=2020-01-01')).toEqual([]);
    await me.get('/api/public/v2/evaluations?workspace_id=2', 400);
    await me.get('/api/public/v2/evaluations?per_page=101', 422);
    await me.get('/api/public/v2/evaluations?status=gone', 422);
  });

  it('shows archived ones on request', async () => {
    const { id } = await newReport(me, dataset, [], { name: 'archived one' });
    await newReport(me, dataset, [], { name: 'archived two' });
    await me.delete(`/reports/${id}`);
    const found = async (status: string) =>
      (await list(`?name=archived&status=${status}`)).evaluations.map(({ name, deleted }) => [name, deleted]);
    expect(await found('active')).toEqual([['archived two', false]]);
    expect(await found('deleted')).toEqual([['archived one', true]]);
    expect(await found('all')).toEqual([
      ['archived two', false],
      ['archived one', true],
    ]);
  });
});
