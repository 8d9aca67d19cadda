import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contains } from '../support/evaluations.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { failure, ToolClient, withoutJson } from '../support/tool-client.js';
import { until } from '../support/until.js';

const PUBLIC = '/api/public/v2';
const VERSIONS = `${PUBLIC}/dataset-versions`;

let app: TestApp;
let tools: ToolClient;
let logId: number;
beforeAll(async () => {
  app = await TestApp.start();
  await app.listen();
  tools = new ToolClient(await app.app.getUrl(), app.apiKey, app.contract);
  logId = await logCall(app.client);
});
afterAll(() => app.stop());

interface CreatedGroup {
  dataset_group: { id: number };
}

async function newGroup(name?: string): Promise<number> {
  const created = await tools.post<CreatedGroup>(`${PUBLIC}/dataset-groups`, { name });
  return created.dataset_group.id;
}

/** The saved versions of a group. */
async function versionsOf(group: number): Promise<{ id: number; version_number: number }[]> {
  const { datasets } = await tools.get<{ datasets: { id: number; version_number: number }[] }>(`${PUBLIC}/datasets`, {
    dataset_group_id: group,
  });
  return datasets.filter(({ version_number: number }) => number > 0);
}

async function fromFile(group: number, csv: string): Promise<number> {
  const file_content_base64 = Buffer.from(csv).toString('base64');
  const { dataset_id: id } = await tools.post<{ dataset_id: number }>(`${VERSIONS}/from-file`, {
    dataset_group_id: group,
    file_name: 'rows.csv',
    file_content_base64,
  });
  await until(async () => (await versionsOf(group)).some((version) => version.id === id));
  return id;
}

describe('datasets', () => {
  it('are created from files and from logs, listed, and read', async () => {
    const group = await newGroup('Questions');
    const id = await fromFile(group, 'question,answer\nHi,Hello\nBye,See you\n');
    expect(
      await tools.get(`${PUBLIC}/datasets`, { page: 1, per_page: 10, name: 'quest', status: 'active' }),
    ).toMatchObject({
      datasets: expect.arrayContaining([expect.objectContaining({ id, column_names: ['question', 'answer'] })]),
      page: 1,
      pages: 1,
      total: 2,
    });
    expect(await tools.get(`${PUBLIC}/datasets/${id}/rows`, { page: 1, per_page: 1, q: 'see' })).toMatchObject({
      columns: ['question', 'answer'],
      rows: [[{ type: 'dataset', value: 'Bye' }, { value: 'See you' }]],
      total: 1,
    });
    const filter_group = { logic: 'AND', filters: [{ field: 'engine', operator: 'is', value: 'gpt-4.1-mini' }] };
    const wanted = { dataset_group_id: group, filter_group, limit: 5, sort_by: 'cost' };
    expect(await tools.post(`${VERSIONS}/from-filter-params`, wanted)).toMatchObject({
      dataset_id: expect.any(Number),
      dataset_group_id: group,
      version_number: -1,
    });
    await until(async () => (await versionsOf(group)).length === 2);
  });

  it('have drafts that rows are added to and that are saved', async () => {
    const group = await newGroup();
    expect((await failure(tools.post(`${VERSIONS}/create-draft`, { dataset_group_id: group })))[0]).toBe(409);
    const added = { dataset_group_id: group, request_log_id: logId };
    const { draft_dataset_id: draft } = await tools.post(`${VERSIONS}/add-request-log`, added);
    expect(await tools.post(`${VERSIONS}/save-draft`, { dataset_group_id: group })).toMatchObject({
      success: true,
      draft_dataset_id: draft,
    });
    const [saved] = await versionsOf(group);
    expect(saved).toMatchObject({ id: draft, version_number: 1 });
    const copied = { dataset_group_id: group, source_dataset_id: saved!.id };
    expect(await tools.post(`${VERSIONS}/create-draft`, copied)).toMatchObject({
      draft_dataset_id: expect.any(Number),
    });
  });

  it('are refused the flat filters of an older version of the client', async () => {
    const flat = { tags: ['asked'], metadata: {}, starred: false, sort_by: null, limit: 5 };
    const call = tools.post(`${VERSIONS}/from-filter-params`, { dataset_group_id: await newGroup(), ...flat });
    expect(await failure(call)).toEqual([422, expect.stringContaining('filter_group')]);
  });
});

describe('evaluations', () => {
  it('are created, run, read, scored, changed and deleted', async () => {
    const group = await newGroup('Answers');
    await fromFile(group, 'question,answer\nA,We refund it.\nB,No.\n');
    const created = await tools.post<{ report_id: number }>('/reports', {
      dataset_group_id: group,
      name: 'Refunds',
      columns: [{ ...contains('Refund', 'refund'), position: 2 }],
    });
    const id = created.report_id;
    expect(created).toMatchObject({ success: true, report_id: expect.any(Number) });

    const column = {
      report_id: id,
      column_type: 'COUNT',
      name: 'Length',
      configuration: { source: 'answer', type: 'chars' },
    };
    const { report_column: added } = await tools.post<{ report_column: { id: number } }>('/report-columns', column);
    const change = {
      report_id: id,
      column_type: 'COUNT',
      name: 'Words',
      configuration: { source: 'answer', type: 'words' },
    };
    expect(await tools.patch(`/report-columns/${added.id}`, change)).toMatchObject({
      report_column: { id: added.id, name: 'Words' },
    });
    expect(await tools.patch(`/reports/${id}/score-card`, { column_names: ['Refund'] })).toMatchObject({
      success: true,
      report: { id },
    });
    expect(await tools.patch(`/reports/${id}/rename`, { name: 'Refunds, renamed', tags: ['ci'] })).toMatchObject({
      report: { name: 'Refunds, renamed', tags: ['ci'] },
    });
    await withoutJson(tools.delete(`/report-columns/${added.id}`));

    const { report_id: run } = await tools.post<{ report_id: number }>(`/reports/${id}/run`, { name: 'First run' });
    await until(async () => (await tools.get(`/reports/${run}`)).status === 'COMPLETED');
    expect(await tools.get(`/reports/${run}`)).toMatchObject({ report: { id: run, parent_report_id: id } });
    expect(await tools.get(`/reports/${run}/score`)).toMatchObject({
      success: true,
      score: { overall_score: 50, score_type: 'single_column' },
    });
    expect(await tools.get(`${PUBLIC}/evaluations/${run}/rows`, { page: 1, per_page: 10 })).toMatchObject({
      columns: ['question', 'answer', 'Refund'],
      total: 2,
    });
    const query = { page: 1, per_page: 10, name: 'renamed', status: 'all', include_runs: true };
    expect(await tools.get(`${PUBLIC}/evaluations`, query)).toMatchObject({
      evaluations: [{ id, name: 'Refunds, renamed', runs: [{ id: run }] }],
      total: 1,
    });
    expect(await failure(tools.get(`/reports/${id}/score`))).toEqual([400, expect.stringMatching(/\w+/)]);
    expect(await tools.delete(`/reports/${run}`)).toMatchObject({ success: true });
    expect(await tools.delete(`/reports/name/${encodeURIComponent('Refunds, renamed')}`)).toMatchObject({
      success: true,
    });
    expect((await failure(tools.get(`/reports/${id}`)))[0]).toBe(404);
  });
});
