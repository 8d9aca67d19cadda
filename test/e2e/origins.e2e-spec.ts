import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newDataset, newReport, runReport } from '../support/evaluations.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import { llmSpan, sendFrom, spanId, traceId } from '../support/otlp.js';
import { type LogItem, REQUESTS, search } from '../support/request-logs.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { nodesOf, saveWorkflow, startRun } from '../support/workflow-runs.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const ECHO = {
  inline: true,
  prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Say {x}' }] }] },
  metadata: { model: { provider: 'tracesheet', name: 'echo', parameters: {} } },
};
const promptOf = (source: string) => ({
  inline_template: ECHO,
  prompt_template_variable_mappings: { x: source },
});

const TRACES = '/api/public/v2/traces';
const is = (field: string, value: string) => ({ filter_group: { filters: [{ field, operator: 'is', value }] } });

interface Shown {
  origin: string;
  environment: string | null;
}
type ShownLog = LogItem & Shown;

const logsOf = async (me: Client, origin: string): Promise<ShownLog[]> =>
  (await search(me, is('origin', origin))).items as ShownLog[];
const tracesOf = async (me: Client, origin: string) =>
  ((await me.post(`${TRACES}/search`, is('trace_origin', origin))) as { items: (Shown & { name: string })[] }).items;

describe('the origin of calls and traces', () => {
  it('is the sheet, the evaluation or the workflow that the server made them for', async () => {
    const me = await app.stranger();
    const sheet = await newSheet(me, ['rain']);
    const column = await addColumn(me, sheet, {
      title: 'Answer',
      type: 'PROMPT_TEMPLATE',
      config: promptOf('Column A'),
    });
    await settled(me, sheet);
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual(['Say rain']);
    const dataset = await newDataset(me, [{ x: 'snow' }]);
    const { id } = await newReport(me, dataset, [
      { column_type: 'PROMPT_TEMPLATE', name: 'Answer', configuration: promptOf('x') },
    ]);
    await runReport(me, id);
    const nodes = [{ name: 'Echo', node_type: 'PROMPT_TEMPLATE', configuration: promptOf('x') }];
    const workflow = await saveWorkflow(me, { inputs: { x: 'string' }, nodes });
    await nodesOf(me, await startRun(me, workflow.id, { x: 'hail' }));
    await untilSearchable(app);
    for (const [origin, name] of [
      ['sheet', 'Answer'],
      ['evaluation', 'Answer'],
      ['workflow', workflow.name],
    ] as const) {
      const logs = await logsOf(me, origin);
      expect(logs.length).toBeGreaterThan(0);
      for (const log of logs) expect(log).toMatchObject({ origin, environment: null });
      expect(await me.get(`${REQUESTS}/${logs[0]!.id}`)).toMatchObject({ origin, environment: null });
      const traces = await tracesOf(me, origin);
      expect(traces).toHaveLength(logs.length);
      for (const trace of traces) expect(trace).toMatchObject({ origin, name, environment: null });
    }
    expect(await logsOf(me, 'application')).toEqual([]);
    expect(await tracesOf(me, 'application')).toEqual([]);
  });

  it('is an application for what clients send, unless the resource says otherwise', async () => {
    const me = await app.stranger();
    const ids = [traceId(), traceId(), traceId()];
    const call = (index: number) => llmSpan({}, { traceId: ids[index]!, spanId: spanId() });
    await sendFrom(me, {}, [call(0)]);
    await sendFrom(me, { 'tracesheet.origin': 'evaluation' }, [call(1)]);
    await sendFrom(me, { 'tracesheet.origin': 'Sheet' }, [call(2)]);
    const origins = await Promise.all(
      ids.map(async (id) => ((await me.get(`${TRACES}/${id}`)) as Traced).trace.origin),
    );
    expect(origins).toEqual(['application', 'evaluation', 'application']);
  });

  it('stays that of an application when spans of other origins join its trace, in whatever order', async () => {
    const me = await app.stranger();
    for (const order of [
      ['sheet', 'application'],
      ['application', 'sheet'],
    ]) {
      const id = traceId();
      for (const origin of order) await sendFrom(me, { 'tracesheet.origin': origin }, [llmSpan({}, { traceId: id })]);
      expect(await me.get(`${TRACES}/${id}`)).toMatchObject({ trace: { origin: 'application' } });
    }
  });
});

interface Traced {
  trace: Shown;
}

describe('the environment of calls and traces', () => {
  const environmentsOf = async (me: Client, id: string) => {
    const { trace } = (await me.get(`${TRACES}/${id}`)) as Traced;
    const logs = (await search(me, is('trace_id', id))).items as ShownLog[];
    return [trace.environment, ...logs.map(({ environment }) => environment)];
  };

  it.each([
    ['its present name', { 'deployment.environment.name': 'production' }, 'production'],
    ['its name of before', { 'deployment.environment': 'staging' }, 'staging'],
    ['both', { 'deployment.environment': 'old', 'deployment.environment.name': 'new' }, 'new'],
    ['blanks around it', { 'deployment.environment.name': '  dev ' }, 'dev'],
    ['nothing', { 'deployment.environment.name': '   ' }, null],
    ['a long one', { 'deployment.environment.name': 'e'.repeat(1000) }, 'e'.repeat(200)],
  ])('is read from the resource: %s', async (_, resource, environment) => {
    const me = await app.stranger();
    const id = traceId();
    await sendFrom(me, resource, [llmSpan({}, { traceId: id })]);
    expect(await environmentsOf(me, id)).toEqual([environment, environment]);
    if (environment === null) return;
    expect((await search(me, is('environment', environment))).items).toHaveLength(1);
    expect((await search(await app.stranger(), is('environment', environment))).items).toEqual([]);
  });

  it('is the metadata `environment` of a call that is logged without a span', async () => {
    const me = await app.stranger();
    const text = (role: string, said: string) => ({ role, content: [{ type: 'text', text: said }] });
    const { id } = (await me.post(
      '/log-request',
      {
        provider: 'openai',
        model: 'gpt-4o-mini',
        input: { type: 'chat', messages: [text('user', 'Hi')] },
        output: { type: 'chat', messages: [text('assistant', 'Hello')] },
        request_start_time: '2026-05-28T20:26:40Z',
        request_end_time: '2026-05-28T20:26:41Z',
        metadata: { environment: 'eu-prod' },
      },
      201,
    )) as { id: number };
    expect((await search(me, is('environment', 'eu-prod'))).items).toMatchObject([{ id, origin: 'application' }]);
    await me.post('/rest/track-metadata', { request_id: id, metadata: { other: '1' } });
    expect((await search(me, is('environment', 'eu-prod'))).items).toMatchObject([{ id, environment: 'eu-prod' }]);
  });
});
