import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { listDatasets, newGroup, versionFromLogs } from '../support/datasets.js';
import { completed, evaluated, newDataset, newReport, startRun } from '../support/evaluations.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;

const ALL = { filter_group: { filters: [] } };
const LENGTH = { column_type: 'COUNT', name: 'Length', configuration: { source: 'response', type: 'words' } };
const variables = (names: object) => ({ more: { 'promptlayer.prompt.input_variables': JSON.stringify(names) } });

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

/** A pipeline over the request logs that there are. */
async function pipelineOverLogs(columns: object[]): Promise<{ id: number; datasetId: number }> {
  const group = await newGroup(me);
  const { id: datasetId } = await versionFromLogs(me, group.id, ALL);
  const { id } = await newReport(me, { groupId: group.id }, columns);
  return { id, datasetId };
}

const datasetsOf = async (report: number) => {
  const { datasets } = await listDatasets(me, `report_id=${report}&sort_by=id&sort_order=asc`);
  return datasets.map(({ id, version_number: number }) => ({ id, number }));
};

describe('a run that refreshes its dataset', () => {
  it('reads the request logs that the search of the dataset finds now, as a new version of it', async () => {
    await logCall(me, { output: 'one', ...variables({ name: 'a' }) });
    const { id, datasetId } = await pipelineOverLogs([LENGTH]);
    await logCall(me, { output: 'one two', ...variables({ name: 'b', added: 'x' }) });

    const run = await startRun(me, id, { refresh_dataset: true });
    const { report, report_columns: columns } = await completed(me, run);
    expect(report).toMatchObject({
      score: { score_type: 'single_column', overall_score: 1.5 },
      score_calculation_error: null,
    });
    expect((await evaluated(me, run)).flat().toSorted()).toEqual([1, 2]);
    expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(['name', 'added', 'response', 'Length']));
    expect(columns.at(-1)).toMatchObject({ name: 'Length', column_type: 'COUNT' });
    expect(report.dataset_id).not.toBe(datasetId);
    expect(await datasetsOf(id)).toEqual([
      { id: datasetId, number: 1 },
      { id: report.dataset_id, number: 2 },
    ]);
    expect(await datasetsOf(run)).toEqual([{ id: report.dataset_id, number: 2 }]);
    const announced = await app.sql(
      `SELECT 1 FROM outbox_events WHERE type = 'report_finished' AND details ->> 'report_id' = $1`,
      [String(run)],
    );
    expect(announced).toHaveLength(1);
  });

  it('ends with the reason when what was found lacks a column', async () => {
    const log = await logCall(me, { output: 'only', ...variables({ rare: 'x' }) });
    const { id } = await pipelineOverLogs([{ ...LENGTH, configuration: { source: 'rare', type: 'chars' } }]);
    await app.sql('DELETE FROM request_logs WHERE id = $1', [log]);
    const { report, status } = await completed(me, await startRun(me, id, { refresh_dataset: true }));
    expect(status).toBe('COMPLETED');
    expect(report).toMatchObject({ score: null, score_calculation_error: expect.stringContaining('"rare"') as string });
  });

  it('is refused for a dataset whose rows were chosen otherwise', async () => {
    const { id } = await newReport(me, await newDataset(me, [{ response: 'x' }]), [LENGTH]);
    const refused = await me.post(`/reports/${id}/run`, { name: 'Run', refresh_dataset: true }, 403);
    expect(refused).toMatchObject({ success: false, error: 'dataset_not_refreshable' });
    await me.post(`/reports/${id}/run`, { name: 'Run', refresh_dataset: 'maybe' }, 422);
  });

  it('is refused with 401 when nothing is found, and nothing is written', async () => {
    const { id } = await pipelineOverLogs([LENGTH]);
    await app.sql('DELETE FROM request_logs');
    const before = await app.sql(
      'SELECT (SELECT count(*) FROM reports) AS reports, (SELECT count(*) FROM dataset_versions) AS versions',
    );
    const refused = await me.post(`/reports/${id}/run`, { name: 'Run', refresh_dataset: true }, 401);
    expect(refused).toMatchObject({ success: false, message: 'No requests found for the given criteria' });
    expect(
      await app.sql(
        'SELECT (SELECT count(*) FROM reports) AS reports, (SELECT count(*) FROM dataset_versions) AS versions',
      ),
    ).toEqual(before);
    // Without the refresh it can still be run.
    await completed(me, await startRun(me, id));
  });
});
