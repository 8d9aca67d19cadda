import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  completed,
  evaluated,
  newDataset,
  newReport,
  readReport,
  readReportRows,
  runReport,
} from '../support/evaluations.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import { promptBody, promptUrl, PUBLISH, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
let pipeline: number;

const rendering = (name: string, template: object) => ({
  column_type: 'PROMPT_TEMPLATE',
  name,
  configuration: { template, prompt_template_variable_mappings: {}, return_template_only: true },
});

beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  await publishPrompt(me, 'greeting', { message: 'First' });
  await publishPrompt(me, 'other', { message: 'Other' });
  const columns = [
    rendering('Greeting', { name: 'greeting', version_number: 1 }),
    rendering('Other', { name: 'other' }),
  ];
  pipeline = (await newReport(me, await newDataset(me, [{ question: 'x' }]), columns)).id;
});
afterAll(() => app.stop());

/** The body of a publication that names a report. */
const publication = (name: string, message: string, reportId: number): object =>
  promptBody(name, { message, version: { report_id: reportId } });

async function runsOf(id: number): Promise<number[]> {
  const { evaluations } = (await me.get('/api/public/v2/evaluations?include_runs=true')) as {
    evaluations: { id: number; runs: { id: number }[] }[];
  };
  return evaluations.find((each) => each.id === id)!.runs.map((run) => run.id);
}

describe('publishing a version of a prompt for an evaluation', () => {
  it('runs the pipeline with that version', async () => {
    const { id: promptId } = (await me.post(PUBLISH, publication('greeting', 'Second', pipeline), 201)) as {
      id: number;
    };
    await publishPrompt(me, 'greeting', { message: 'Third' });
    const [run, ...others] = await runsOf(pipeline);
    expect(others).toEqual([]);
    const { report, report_columns: columns } = await completed(me, run!);
    expect(report).toMatchObject({
      name: 'greeting version 2',
      parent_report_id: pipeline,
      prompt_registry_id: promptId,
      prompt_version_number: 2,
    });
    expect(columns[1]!.configuration).toMatchObject({ template: { name: 'greeting', version_number: 2 } });
    const [[greeting, other]] = (await evaluated(me, run!)) as [[unknown, unknown]];
    expect(JSON.stringify(greeting)).toContain('Second');
    expect(JSON.stringify(other)).toContain('Other');
    // The pipeline itself keeps the version that it names.
    const kept = (await readReport(me, pipeline)).report_columns[1]!;
    expect(kept.configuration).toMatchObject({ template: { name: 'greeting', version_number: 1 } });
  });

  it('changes nothing in a run that was completed before', async () => {
    const run = (await runReport(me, pipeline)).report.id;
    const before = await readReportRows(me, run);
    const sheet = await newSheet(me, ['x']);
    const config = { template: { name: 'other' }, prompt_template_variable_mappings: {}, return_template_only: true };
    const column = await addColumn(me, sheet, { title: 'Other', type: 'PROMPT_TEMPLATE', config });
    await settled(me, sheet);
    await publishPrompt(me, 'other', { message: 'Another' });
    await until(async () => (await cellsOf(me, sheet, column.id))[0]!.status === 'stale');
    expect(await readReportRows(me, run)).toEqual(before);
  });

  it('is refused for what is no pipeline of the workspace, and nothing is published', async () => {
    const before = await runsOf(pipeline);
    const stranger = await app.stranger();
    await stranger.post(PUBLISH, publication('theirs', 'x', pipeline), 404);
    for (const id of [999_999, ...before]) {
      expect(await me.post(PUBLISH, publication('mine', 'x', id), 404)).toMatchObject({ error: 'report_not_found' });
    }
    await me.get(promptUrl('mine'), 404);
    expect(await runsOf(pipeline)).toEqual(before);
  });

  it('needs the permission to run it', async () => {
    const issued = await app.operator().post('/api/admin/v1/workspaces/1/api-keys', { role: 'publisher' }, 201);
    const publisher = app.clientWith((issued as { secret: string }).secret);
    const refused = await publisher.post(PUBLISH, publication('greeting', 'x', pipeline), 403);
    expect(refused).toMatchObject({ message: expect.stringContaining('REPORT_EDIT') as string });
  });
});
