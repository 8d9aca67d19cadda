import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addLog,
  ask,
  createDraft,
  eventsAbout,
  findDataset,
  listDatasets,
  newGroup,
  published,
  readDataset,
  rowsOf,
  saveDraft,
  versionFromFile,
  versionFromLogs,
} from '../support/datasets.js';
import { at, logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
/** Ids from the oldest to the newest. */
let logs: number[];
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  logs = [];
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    const more = { 'promptlayer.prompt.input_variables': JSON.stringify({ name, [`only_${name}`]: 1 }) };
    logs.push(await logCall(me, { output: `Answer ${name}`, inputTokens: 10 * (index + 1), more }, at(index)));
  }
});
afterAll(() => app.stop());

const ALL = { filters: [] };
const answersOf = async (id: number) => (await rowsOf(me, id)).map(({ response }) => response);

describe('a version from request logs', () => {
  it('has exactly those that are named, in their order, and cannot be searched for again', async () => {
    const group = await newGroup(me);
    const [a, b, c] = logs as [number, number, number];
    const wishes = { request_log_ids: [c, a, 999_999_999, c], filter_group: ALL, limit: 1 };
    const version = await versionFromLogs(me, group.id, wishes);
    expect(version).toMatchObject({ id: group.draftId, version_number: 1, filter_params: null });
    expect(version.column_names).toEqual(['name', 'only_a', 'only_c', 'tags', 'promptlayer_url', 'prompt', 'response']);
    expect(await answersOf(version.id)).toEqual(['Answer c', 'Answer a']);
    expect((await rowsOf(me, version.id)).map((row) => row.only_a)).toEqual(['', '1']);
    expect(b).toBeGreaterThan(0);
  });

  it.each<[string, object, string[], object]>([
    ['newest first', { filter_group: ALL }, ['c', 'b', 'a'], { sort_by: null, sort_order: null, limit: null }],
    ['sorted', { filter_group: ALL, sort_by: 'input_tokens', sort_order: 'asc' }, ['a', 'b', 'c'], { sort_by: 'input_tokens', sort_order: 'asc' }], // prettier-ignore
    [
      'sorted in no given order',
      { filter_group: ALL, sort_by: 'input_tokens' },
      ['c', 'b', 'a'],
      { sort_order: 'desc' },
    ],
    ['in an order of nothing else', { filter_group: ALL, sort_order: 'asc' }, ['a', 'b', 'c'], { sort_by: 'request_start_time' }], // prettier-ignore
    ['the first of them', { filter_group: ALL, limit: 2 }, ['c', 'b'], { limit: 2 }],
    ['as many as there are', { filter_group: ALL, limit: 10 ** 9 }, ['c', 'b', 'a'], { limit: 50_000 }],
    ['with words', { filter_group: ALL, q: 'answer b' }, ['b'], { q: 'answer b' }],
    ['by a filter', { filter_group: { filters: [{ field: 'input_tokens', operator: 'lt', value: 15 }] } }, ['a'], {}],
    ['none', { filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'nothing' }] } }, [], {}],
  ])('has those that a search finds, %s', async (_, wishes, names, filterParams) => {
    const group = await newGroup(me);
    const version = await versionFromLogs(me, group.id, wishes);
    expect(version.filter_params).toMatchObject({ filter_group: (wishes as { filter_group: object }).filter_group });
    expect(version.filter_params).toMatchObject(filterParams);
    expect(await answersOf(version.id)).toEqual(names.map((name) => `Answer ${name}`));
    expect(await eventsAbout(me, 1, version.id)).toMatchObject([
      {
        event_type: 'dataset_version_created_from_filter_params',
        details: { dataset_id: version.id, rows_added: names.length, dataset_version_number: 1 },
      },
    ]);
  });

  it('makes columns of the variables that are asked for', async () => {
    const group = await newGroup(me);
    const wishes = { filter_group: ALL, variables_to_parse: ['only_b', 'absent'] };
    const version = await versionFromLogs(me, group.id, wishes);
    expect(version.column_names.slice(0, 3)).toEqual(['only_b', 'absent', 'tags']);
    expect(version.filter_params).toMatchObject({ variables_to_parse: ['only_b', 'absent'] });
  });

  it('adds to the draft and its rows, and creates a draft when there is none', async () => {
    const group = await newGroup(me);
    await addLog(me, group.id, logs[0]!);
    const answer = await ask(me, 'from-filter-params', group.id, { request_log_ids: [logs[1]!] });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        success: true,
        message: 'Dataset version creation queued',
        dataset_id: group.draftId,
        dataset_group_id: group.id,
        version_number: -1,
      },
    });
    await published(me, group.draftId);
    expect(await answersOf(group.draftId)).toEqual(['Answer a', 'Answer b']);
    expect(await ask(me, 'save-draft', group.id)).toMatchObject({ status: 404 });
    const next = await versionFromLogs(me, group.id, { request_log_ids: [logs[2]!] });
    expect(next).toMatchObject({ version_number: 2 });
    expect(next.id).not.toBe(group.draftId);
  });

  it('waits for rows that are being copied into the draft', async () => {
    const group = await newGroup(me);
    const { id: source } = await versionFromFile(me, group.id, `response\n${'x\n'.repeat(3000)}`);
    await saveDraft(me, group.id);
    const draft = await createDraft(me, group.id, source);
    await versionFromLogs(me, group.id, { request_log_ids: [logs[0]!] });
    expect(await readDataset(me, draft, 'per_page=1&page=3001')).toMatchObject({ total: 3001 });
    const events = (await eventsAbout(me, 1, draft)).map(({ details }) => details);
    expect(events).toEqual([{ dataset_id: draft, rows_added: 1, dataset_version_number: 3 }]);
  });

  it('is a copy: it stays when its logs are gone', async () => {
    const client = await app.stranger();
    const group = await newGroup(client);
    const log = await logCall(client, { output: 'Kept' });
    const version = await versionFromLogs(client, group.id, { request_log_ids: [log] });
    expect((await rowsOf(client, version.id)).map(({ response }) => response)).toEqual(['Kept']);
  });

  it('has no logs of another workspace', async () => {
    const stranger = await app.stranger();
    const group = await newGroup(stranger);
    const version = await versionFromLogs(stranger, group.id, { request_log_ids: logs });
    expect(await readDataset(stranger, version.id)).toMatchObject({ total: 0 });
    const found = await versionFromLogs(stranger, group.id, { filter_group: ALL });
    expect(await readDataset(stranger, found.id)).toMatchObject({ total: 0 });
  });

  it.each<[string, object, number, string]>([
    ['nothing to search for', {}, 422, 'filter_group'],
    ['what older clients send', { tags: ['a'], metadata: {}, start_time: 'x' }, 422, 'filter_group'],
    ['a filter of another type', { filter_group: 'all' }, 422, 'filter_group'],
    ['a filter without filters', { filter_group: { filters: 7 } }, 422, 'filters'],
    ['an unknown field', { filter_group: { filters: [{ field: 'x', operator: 'is', value: 1 }] } }, 422, 'x'],
    ['ids of another type', { request_log_ids: ['x'] }, 422, 'request_log_ids'],
    ['ids that are none', { request_log_ids: [0] }, 422, 'request_log_ids'],
    ['too many ids', { request_log_ids: Array.from({ length: 50_001 }, (_, n) => n + 1) }, 422, 'request_log_ids'],
    ['an unknown sort', { filter_group: ALL, sort_by: 'size' }, 422, 'sort_by'],
    ['no limit', { filter_group: ALL, limit: 0 }, 422, 'limit'],
    ['a variable that is no title', { filter_group: ALL, variables_to_parse: [' '] }, 400, 'title'],
    ['an unknown group', { dataset_group_id: 999_999, filter_group: ALL }, 404, '999999'],
  ])('is refused with %s', async (_, wishes, status, words) => {
    const group = await newGroup(me);
    const answer = await ask(me, 'from-filter-params', group.id, wishes);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(words);
    expect(await findDataset(me, group.draftId)).toMatchObject({ version_number: -1, filter_params: null });
    await addLog(me, group.id, logs[0]!);
  });
});

it('is not shown when its group is deleted while it is being filled', async () => {
  const idle = await TestApp.own({ works: false });
  const { client } = idle;
  const group = await newGroup(client);
  await ask(client, 'from-filter-params', group.id, { filter_group: ALL });
  await client.delete('/api/public/v2/folders/entities', 200, { entities: [{ id: group.id, type: 'DATASET' }] });
  expect(await listDatasets(client)).toMatchObject({ total: 0 });
  expect(await listDatasets(client, 'status=deleted')).toMatchObject({ total: 1 });
  expect(await eventsAbout(client, 1, group.draftId)).toEqual([]);
  await idle.stop();
});
