import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newGroup } from '../support/datasets.js';
import {
  contains,
  newDataset,
  newReport,
  previewed,
  readReport,
  readReportRows,
  runReport,
  type TestDataset,
} from '../support/evaluations.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let dataset: TestDataset;
const rows = Array.from({ length: 8 }, (_, index) => ({
  question: `Question ${index}`,
  answer: index % 2 ? 'We refund it.' : 'No.',
}));

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  stranger = await app.stranger();
  dataset = await newDataset(me, rows);
});
afterAll(() => app.stop());

const refused = async (body: object, status: number) =>
  ((await me.post('/reports', { dataset_group_id: dataset.groupId, ...body }, status)) as { message: string }).message;

describe('creating a pipeline', () => {
  it('puts the columns of the dataset first, and gives what was created', async () => {
    const answer = await me.post(
      '/reports',
      {
        dataset_group_id: dataset.groupId,
        name: 'Refunds',
        columns: [contains('Refund', 'refund', { is_part_of_score: true }), contains('No', 'no', { position: 2 })],
        external_ids: [{ source: 'ci', external_id: 'refunds' }],
      },
      201,
    );
    expect(answer).toMatchObject({
      success: true,
      report_columns: [
        { column_type: 'DATASET', name: 'question', position: 0, configuration: {} },
        { column_type: 'DATASET', name: 'answer', position: 1 },
        { column_type: 'CONTAINS', name: 'No', position: 2, is_part_of_score: false },
        {
          column_type: 'CONTAINS',
          name: 'Refund',
          position: 3,
          is_part_of_score: true,
          configuration: { source: 'answer', value: 'refund' },
        },
      ],
      external_ids: [{ source: 'ci', external_id: 'refunds' }],
    });
    const { report_id: id } = answer as { report_id: number };
    expect(await readReport(me, id)).toMatchObject({
      report: { id, name: 'Refunds', is_blueprint: true, dataset_id: dataset.id, parent_report_id: null, score: null },
      status: 'COMPLETED',
      report_columns: (answer as { report_columns: object[] }).report_columns,
    });
  });

  it('computes its first rows as a preview', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    await previewed(me, id);
    const { columns, rows: shown, total, pages } = await readReportRows(me, id);
    expect({ columns, total, pages }).toEqual({ columns: ['question', 'answer', 'Refund'], total: 5, pages: 1 });
    expect(shown[1]).toEqual([
      { type: 'dataset', value: 'Question 1' },
      { type: 'dataset', value: 'We refund it.' },
      { type: 'eval', status: 'PASSED', value: true },
    ]);
    expect((await readReport(me, id)).stats.status_counts).toEqual({ COMPLETED: 5, FAILED: 0, QUEUED: 0, RUNNING: 0 });
  });

  it('needs no columns and no name', async () => {
    const answer = (await me.post('/reports', { dataset_group_id: dataset.groupId }, 201)) as { report_id: number };
    expect(answer).toEqual({ success: true, report_id: expect.any(Number), external_ids: [] });
    expect((await readReport(me, answer.report_id)).report.name).toMatch(/^Evaluation of ./);
  });

  it('takes the latest published version, or the one that is named', async () => {
    const dataset = await newDataset(me, rows);
    const second = await newDataset(me, [{ other: 'x' }], dataset.groupId);
    const latest = await newReport(me, dataset);
    const named = await newReport(me, dataset, [], { dataset_version_number: 1 });
    expect((await readReport(me, latest.id)).report.dataset_id).toBe(second.id);
    expect((await readReport(me, named.id)).report.dataset_id).toBe(dataset.id);
  });

  it('refuses a dataset that has no published version', async () => {
    const draft = await newGroup(me);
    expect(await refused({ dataset_group_id: draft.id }, 400)).toMatch(
      'Dataset must have at least one non-draft version',
    );
    expect(await refused({ dataset_version_number: -1 }, 400)).toMatch('draft');
    await refused({ dataset_version_number: 77 }, 404);
    await refused({ dataset_group_id: 999_999 }, 404);
    await stranger.post('/reports', { dataset_group_id: dataset.groupId }, 404);
  });

  it('creates nothing when one of the columns cannot be', async () => {
    const before = await app.sql('SELECT count(*) FROM reports');
    const good = contains('Good', 'x');
    const bad: [object, number, RegExp][] = [
      [{ ...good, column_type: 'TRAJECTORY' }, 400, /no type of an evaluation column/],
      [{ ...good, name: 'answer' }, 400, /already has a column with that name/],
      [{ ...good, configuration: { source: 'answer' } }, 400, /"Good" cannot be computed.*value/],
      [{ ...good, configuration: { source: 'nowhere', value: 'x' } }, 400, /"nowhere" as source, which is no column/],
      [{ ...good, configuration: { source: 'Good', value: 'x' } }, 400, /does not stand to its left/],
      [{ ...good, position: 1 }, 403, /You can not overwrite dataset columns/],
      [{ ...good, name: ' ' }, 422, /not valid/],
      [{ ...good, configuration: [] }, 422, /not valid/],
    ];
    for (const [column, status, message] of bad) {
      expect(await refused({ columns: [contains('First', 'x'), column] }, status)).toMatch(message);
    }
    expect(await refused({ columns: [good, good] }, 400)).toMatch('already has a column with that name');
    const right = contains('Left', 'x', { configuration: { source: 'Right', value: 'x' } });
    expect(await refused({ columns: [right, contains('Right', 'x')] }, 400)).toMatch('does not stand to its left');
    await refused({ folder_id: 999_999 }, 404);
    expect(await app.sql('SELECT count(*) FROM reports')).toEqual(before);
  });

  it('has the external ids or does not exist', async () => {
    const external_ids = [{ source: 'ci', external_id: 'taken' }];
    const { id } = await newReport(me, dataset, [], { external_ids });
    const before = await app.sql('SELECT count(*) FROM reports');
    await refused({ external_ids }, 409);
    expect(await app.sql('SELECT count(*) FROM reports')).toEqual(before);
    expect(await me.get(`/reports/${id}/external-ids`)).toEqual({ success: true, external_ids });
  });
});

describe('a report', () => {
  it('is renamed and tagged', async () => {
    const { id } = await newReport(me, dataset);
    const renamed = await me.patch(`/reports/${id}/rename`, { name: 'Other', tags: ['a', 'b', 'a'] });
    expect(renamed).toMatchObject({ success: true, report: { id, name: 'Other', tags: ['a', 'b'] } });
    expect(await me.patch(`/reports/${id}/rename`, { tags: [] })).toMatchObject({
      report: { name: 'Other', tags: [] },
    });
    await me.patch(`/reports/${id}/rename`, {}, 400);
    await me.patch(`/reports/${id}/rename`, { name: null, tags: null }, 400);
    await me.patch(`/reports/${id}/rename`, { name: 'x'.repeat(256) }, 422);
    await stranger.patch(`/reports/${id}/rename`, { name: 'Mine' }, 404);
  });

  it('is archived, and then is not found any more', async () => {
    const { id } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    await stranger.delete(`/reports/${id}`, 404);
    expect(await me.delete(`/reports/${id}`)).toEqual({ success: true, message: 'Report archived successfully' });
    await me.delete(`/reports/${id}`, 404);
    await me.get(`/reports/${id}`, 404);
    await me.get(`/api/public/v2/evaluations/${id}/rows`, 404);
    await me.post(`/reports/${id}/run`, { name: 'Run' }, 404);
    const [sheet] = await app.sql(
      'SELECT s.deleted_at IS NOT NULL AS gone FROM sheets s JOIN reports r ON r.sheet_id = s.id WHERE r.id = $1',
      [id],
    );
    expect(sheet).toEqual({ gone: true });
  });

  it('is archived with all that have its name', async () => {
    const name = 'Same / name? 100%';
    const ids = [];
    for (let count = 0; count < 2; count++) ids.push((await newReport(me, dataset, [], { name })).id);
    const other = await newReport(me, dataset, [], { name: `${name}!` });
    const path = `/reports/name/${encodeURIComponent(name)}`;
    await stranger.delete(path, 404);
    expect(await me.delete(path)).toMatchObject({ success: true });
    await me.delete(path, 404);
    for (const id of ids) await me.get(`/reports/${id}`, 404);
    await me.get(`/reports/${other.id}`);
  });

  it('lies in a folder, from which it is moved and deleted', async () => {
    const folder = (await me.post('/api/public/v2/folders', { name: 'Reports' }, 201)) as {
      folder?: { id: number };
      id?: number;
    };
    const folderId = folder.folder?.id ?? folder.id!;
    const { id } = await newReport(me, dataset, [], { folder_id: folderId, name: 'In a folder' });
    const list = () =>
      me.get(`/api/public/v2/folders/entities?folder_id=${folderId}`) as Promise<{ entities: object[] }>;
    expect((await list()).entities).toMatchObject([{ id, type: 'REPORT', name: 'In a folder' }]);
    await me.delete('/api/public/v2/folders/entities', 200, { entities: [{ id, type: 'REPORT' }] });
    expect((await list()).entities).toEqual([]);
    await me.get(`/reports/${id}`, 404);
  });

  it('lies in no folder when it is a run', async () => {
    const { id } = await newReport(me, dataset);
    const run = (await runReport(me, id)).report.id;
    const entities = [{ id: run, type: 'REPORT' }];
    await me.post('/api/public/v2/folders/entities', { entities, folder_id: null }, 404);
    await me.delete('/api/public/v2/folders/entities', 404, { entities });
    await me.get(`/reports/${run}`);
  });

  it('says what its successor is, on every answer', async () => {
    const { id, columns } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const asked = [
      await me.request('GET', `/reports/${id}`),
      await me.request('GET', '/reports/999999'),
      await me.request('GET', '/api/public/v2/evaluations'),
      await me.request('GET', `/api/public/v2/evaluations/${id}/rows`),
      await me.request('DELETE', `/report-columns/${columns.at(-1)!.id}`),
    ];
    for (const { headers } of asked) {
      expect(headers.deprecation).toMatch(/^@\d+$/);
      expect(headers.link).toMatch(/^<\/api\/public\/v2\/tables.*>; rel="successor-version"$/);
    }
  });

  it('is the sheet of no table', async () => {
    const { id } = await newReport(me, dataset);
    const [{ sheet_id: sheetId }] = (await app.sql('SELECT sheet_id FROM reports WHERE id = $1', [id])) as [
      { sheet_id: string },
    ];
    const { table } = (await me.post('/api/public/v2/tables', {}, 201)) as { table: { id: string } };
    await me.get(`/api/public/v2/tables/${table.id}/sheets/${sheetId}`, 404);
    await me.get(`/api/public/v2/tables/${table.id}/sheets/${sheetId}/rows`, 404);
  });
});

describe('a role', () => {
  it('needs the permission for what it does, after the report was found', async () => {
    const { id, columns } = await newReport(me, dataset, [contains('Refund', 'refund')]);
    const operator = app.operator();
    const issued = await operator.post('/api/admin/v1/workspaces/1/api-keys', { role: 'viewer' }, 201);
    const viewer = app.clientWith((issued as { secret: string }).secret);
    const column = columns.at(-1)!;
    await viewer.get(`/reports/${id}`);
    await viewer.get(`/api/public/v2/evaluations/${id}/rows`);
    await viewer.post('/reports', { dataset_group_id: dataset.groupId }, 403);
    await viewer.post('/reports', { dataset_group_id: 999_999 }, 404);
    await viewer.post(`/reports/${id}/run`, { name: 'Run' }, 403);
    await viewer.post('/reports/999999/run', { name: 'Run' }, 404);
    await viewer.patch(`/reports/${id}/rename`, { name: 'x' }, 403);
    await viewer.patch(`/reports/${id}/score-card`, { column_names: [] }, 403);
    await viewer.delete(`/reports/${id}`, 403);
    await viewer.post('/report-columns', { report_id: id, ...contains('More', 'x') }, 403);
    await viewer.patch(`/report-columns/${column.id}`, { report_id: id, column_type: 'CONTAINS' }, 403);
    await viewer.delete(`/report-columns/${column.id}`, 403);
  });
});
