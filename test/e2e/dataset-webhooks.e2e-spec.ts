import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ask, fileBody, newGroup, versionFromFile, versionFromLogs } from '../support/datasets.js';
import { completed, contains, newReport, startRun } from '../support/evaluations.js';
import { logCall } from '../support/otlp.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { Customers, IMPATIENT, NEWS } from '../support/webhooks.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: IMPATIENT });
});
afterAll(() => app.stop());

const customers = new Customers(() => app);
afterEach(() => customers.stopReceivers());

it('notifies subscribers of new versions of datasets, of files that could not be read, and of runs', async () => {
  const { me, receiver } = await customers.subscribe();
  const { id: groupId } = await newGroup(me);
  const fromFile = await versionFromFile(me, groupId, 'question\nA refund?\n');
  const { body } = await ask(me, 'from-file', groupId, fileBody('a,a\n1,2\n'));
  await logCall(me, {});
  await logCall(me, {});
  const fromLogs = await versionFromLogs(me, groupId, { filter_group: { filters: [] } });
  const column = contains('Refund', 'refund', { configuration: { source: 'question', value: 'refund' } });
  const pipeline = await newReport(me, { groupId }, [column], { dataset_version_number: 1 });
  const run = await startRun(me, pipeline.id, { name: 'The run' });
  await completed(me, run);
  const told = [
    ['dataset_version_created_by_file', { dataset_id: fromFile.id, dataset_version_number: 1 }],
    [
      'dataset_version_created_by_file_failed',
      {
        dataset_id: (body as { dataset_id: number }).dataset_id,
        error_message: expect.stringContaining('a') as string,
      },
    ],
    [
      'dataset_version_created_from_filter_params',
      { dataset_id: fromLogs.id, rows_added: 2, dataset_version_number: 2 },
    ],
    ['report_finished', { report_id: run, report_name: 'The run' }],
  ];
  await sweepUntil(app, NEWS, () => Promise.resolve(receiver.requests.length >= told.length));
  const received = receiver.payloads.map(({ event_type: type, details }) => [type, details]);
  expect(received).toHaveLength(told.length);
  expect(received).toEqual(expect.arrayContaining(told));
});
