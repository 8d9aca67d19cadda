import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  ask,
  findDataset,
  newGroup,
  published,
  readDataset,
  rowsOf,
  saveDraft,
  versionFromFile,
} from '../support/datasets.js';
import { at, send, span, spanId, text, traceId } from '../support/otlp.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

/** An agent that searches, asks and answers. */
async function sendRun(client = me, answer = '42'): Promise<{ trace: string; search: string }> {
  const [trace, root, search] = [traceId(), spanId(), spanId()];
  const output = text('eval.output', answer);
  await send(client, [
    span({ traceId: trace, parentSpanId: root, spanId: search, name: 'search', ...at(1) }),
    span({ traceId: trace, parentSpanId: search, name: 'fetch', ...at(2) }),
    span({ traceId: trace, parentSpanId: root, name: 'answer', ...at(3) }),
    span({ traceId: trace, spanId: root, name: 'agent', ...at(0), attributes: [output] }),
  ]);
  return { trace, search };
}

const add = (client: Client, groupId: number, trace: string, more: object = {}) =>
  ask(client, 'add-trace', groupId, { trace_id: trace, ...more });

describe('a trace in a dataset', () => {
  it('is a row with the root span and its children, or with a span and its children', async () => {
    const group = await newGroup(me);
    const { trace, search } = await sendRun();
    expect(await add(me, group.id, trace)).toMatchObject({
      status: 201,
      headers: { deprecation: expect.stringMatching(/^@/) },
      body: { success: true, draft_dataset_id: group.draftId, mode: 'trace' },
    });
    expect((await add(me, group.id, trace, { span_id: search })).body).toEqual({
      success: true,
      draft_dataset_id: group.draftId,
      mode: 'span',
    });
    await add(me, group.id, (await sendRun(me, 'Other')).trace);
    const { columns } = await readDataset(me, group.draftId);
    expect(columns).toEqual(['trace_id', 'span_id', 'output', 'agent', 'search', 'answer', 'fetch']);
    const [whole, part, other] = await rowsOf(me, group.draftId);
    expect(whole).toMatchObject({ trace_id: trace, output: '42', fetch: '' });
    expect(JSON.parse(whole!.search!)).toMatchObject({ span_id: search, children: [{ name: 'fetch' }] });
    expect(part).toMatchObject({ span_id: search, agent: '', answer: '' });
    expect(JSON.parse(part!.fetch!)).toMatchObject({ name: 'fetch' });
    expect(other).toMatchObject({ output: 'Other' });
  });

  it('makes a draft with the rows of the newest version where there is none', async () => {
    const group = await newGroup(me);
    await saveDraft(me, group.id);
    await versionFromFile(me, group.id, `output\n${'first\n'.repeat(2000)}`);
    const { trace } = await sendRun();
    const { draft_dataset_id: draft } = (await add(me, group.id, trace)).body as { draft_dataset_id: number };
    expect(await findDataset(me, draft)).toMatchObject({ version_number: -1 });
    await saveDraft(me, group.id);
    await published(me, draft);
    const last = await readDataset(me, draft, 'per_page=100&page=21');
    expect(last).toMatchObject({
      total: 2001,
      columns: ['output', 'trace_id', 'span_id', 'agent', 'search', 'answer'],
    });
    expect(last.rows[0]!.slice(0, 2).map(({ value }) => value)).toEqual(['42', trace]);
  });

  it('makes one draft, however many are added at the same moment', async () => {
    const group = await newGroup(me);
    const { trace } = await sendRun();
    await saveDraft(me, group.id);
    const answers = await Promise.all([1, 2, 3].map(() => add(me, group.id, trace)));
    const drafts = answers.map(({ body }) => (body as { draft_dataset_id: number }).draft_dataset_id);
    expect(new Set(drafts).size).toBe(1);
    expect(await readDataset(me, drafts[0]!)).toMatchObject({ total: 3 });
  });

  it('needs a group and a trace of the workspace, one target, and permission', async () => {
    const group = await newGroup(me);
    const { trace } = await sendRun();
    const stranger = await app.stranger();
    expect(await add(stranger, group.id, trace)).toMatchObject({ status: 404 });
    const { id: ofStranger } = await newGroup(stranger);
    expect(await add(stranger, ofStranger, trace)).toMatchObject({ status: 404, body: { error: 'trace_not_found' } });
    expect(await add(me, 999_999, trace)).toMatchObject({ status: 404, body: { error: 'dataset_group_not_found' } });
    expect(await add(me, group.id, trace, { span_id: 'ffffffffffffffff' })).toMatchObject({ status: 404 });
    const sheet = { smart_table_id: '00000000-0000-4000-8000-000000000000' };
    expect(await add(me, group.id, trace, sheet)).toMatchObject({ status: 422 });
    expect(await add(me, 0, trace)).toMatchObject({ status: 422 });
    const viewer = await clientOf(app, 1, { role: 'viewer' });
    expect(await add(viewer, group.id, trace)).toMatchObject({ status: 403 });
    expect(await readDataset(me, group.draftId)).toMatchObject({ total: 0 });
  });
});
