import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addLog,
  ask,
  createDraft,
  findDataset,
  GROUPS,
  listDatasets,
  newGroup,
  published,
  readDataset,
  rowsOf,
  saveDraft,
  versionFromFile,
} from '../support/datasets.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
/** Another process of the same installation that does not work: what takes long waits. */
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const linesOf = (count: number) => `question\n${Array.from({ length: count }, (_, row) => `Q${row}`).join('\n')}\n`;

describe('a group', () => {
  it('begins with an empty draft, and a second one is refused until that is saved', async () => {
    const body = { name: 'Refund questions', external_ids: [{ source: 'crm', external_id: 'd-1' }] };
    const answer = (await me.post(GROUPS, body, 201)) as { dataset_group: { id: number }; dataset: { id: number } };
    const group = { id: expect.any(Number), name: 'Refund questions', workspace_id: 1, is_deleted: false };
    const draft = {
      id: expect.any(Number),
      dataset_group_id: answer.dataset_group.id,
      version_number: -1,
      column_names: [],
      filter_params: null,
      is_deleted: false,
      user_id: expect.any(Number),
      dataset_group: group,
      external_ids: body.external_ids,
    };
    expect(answer).toEqual({
      success: true,
      message: 'Dataset group created successfully',
      dataset_group: group,
      dataset: draft,
      external_ids: body.external_ids,
    });
    expect(await ask(me, 'create-draft', answer.dataset_group.id)).toMatchObject({
      status: 409,
      body: { success: false, error: 'dataset_draft_exists' },
    });
    await saveDraft(me, answer.dataset_group.id);
    expect(await findDataset(me, answer.dataset.id)).toEqual({ ...draft, version_number: 1 });
    expect(await ask(me, 'create-draft', answer.dataset_group.id)).toMatchObject({
      status: 201,
      body: { success: true, message: 'Draft dataset version created', draft_dataset_id: expect.any(Number) },
    });
  });

  it('gets a name where none is given, and no name twice', async () => {
    const [first, second] = [await newGroup(me), await newGroup(me)];
    expect(first.name).not.toBe(second.name);
    expect(await me.request('POST', GROUPS, { name: first.name })).toMatchObject({
      status: 400,
      body: { error: 'dataset_group_name_taken' },
    });
    const stranger = await app.stranger();
    await newGroup(stranger, { name: first.name });
  });

  it('is created once when two ask for its name at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => me.request('POST', GROUPS, { name: 'At the same moment' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  });

  it('keeps its external ids for itself', async () => {
    const externalIds = [{ source: 'crm', external_id: 'taken' }];
    await newGroup(me, { name: 'Has it', external_ids: externalIds });
    const refused = await me.request('POST', GROUPS, { name: 'Wants it', external_ids: externalIds });
    expect(refused).toMatchObject({ status: 409, body: { success: false, message: expect.stringContaining('taken') } });
    expect(await listDatasets(me, 'name=Wants%20it')).toMatchObject({ total: 0 });
  });

  it.each<[string, object, number]>([
    ['a blank name', { name: ' ' }, 422],
    ['a name of another type', { name: 7 }, 422],
    ['a name that is too long', { name: 'x'.repeat(256) }, 422],
    ['a folder of another type', { folder_id: 'top' }, 422],
    ['an unknown folder', { folder_id: 999_999 }, 404],
    ['a workspace of somebody else', { workspace_id: 999_999 }, 400],
    ['external ids with further fields', { external_ids: [{ source: 'a', external_id: 'b', x: 1 }] }, 422],
  ])('is refused with %s', async (_, body, status) => {
    expect((await me.request('POST', GROUPS, body)).status).toBe(status);
  });

  it('may have any name that can be stored', async () => {
    const { name } = await newGroup(me, { name: 'a\u0000b\ud800 Ü' });
    expect(name).toBe('a\ufffdb\ufffd Ü');
  });
});

describe('a request log', () => {
  it('becomes a row of everything that is known about it, and older rows are blank in new columns', async () => {
    const group = await newGroup(me);
    const more = { 'promptlayer.prompt.input_variables': '{"city":"Paris","n":[1]}' };
    const first = await logCall(me, { input: 'May I?', output: 'You may.', more });
    expect(await addLog(me, group.id, first)).toBe(group.draftId);
    const second = await logCall(me, { input: 'And now?', output: 'No.' });
    await me.post('/rest/track-metadata', { request_id: second, metadata: { plan: 'free', __proto__x: '1' } });
    await me.post('/rest/track-score', { request_id: second, score: 70, name: 'tone' });
    await addLog(me, group.id, second);
    const { columns, total } = await readDataset(me, group.draftId);
    expect(total).toBe(2);
    expect(columns.slice(0, 2)).toEqual(['city', 'n']);
    const rows = await rowsOf(me, group.draftId);
    expect(rows[0]).toMatchObject({
      city: 'Paris',
      n: '[1]',
      response: 'You may.',
      'metadata.plan': '',
      'score.tone': '',
    });
    expect(rows[1]).toMatchObject({ city: '', response: 'No.', 'metadata.plan': 'free', 'score.tone': '70' });
    expect(rows[1]!.promptlayer_url).toContain(String(second));
    const titles = Object.keys(rows[0]!);
    expect(titles.indexOf('promptlayer_url')).toBe(titles.indexOf('prompt') - 1);
  });

  it('may be added twice: it is two rows', async () => {
    const group = await newGroup(me);
    const log = await logCall(me, { output: 'Again' });
    await addLog(me, group.id, log);
    await addLog(me, group.id, log);
    expect((await rowsOf(me, group.draftId)).map(({ response }) => response)).toEqual(['Again', 'Again']);
  });

  it('is added once by each of several at the same moment', async () => {
    const group = await newGroup(me);
    const logs = await Promise.all([1, 2, 3, 4].map((n) => logCall(me, { output: `Output ${n}` })));
    await Promise.all(logs.map((log) => addLog(me, group.id, log)));
    const outputs = (await rowsOf(me, group.draftId)).map(({ response }) => response);
    expect(outputs.toSorted()).toEqual(['Output 1', 'Output 2', 'Output 3', 'Output 4']);
  });

  it('needs a draft, a group and itself', async () => {
    const group = await newGroup(me);
    const log = await logCall(me);
    const more = { request_log_id: log };
    expect(await ask(me, 'add-request-log', group.id, { request_log_id: 999_999_999 })).toMatchObject({
      status: 404,
      body: { error: 'dataset_log_not_found' },
    });
    expect(await ask(me, 'add-request-log', 999_999, more)).toMatchObject({
      status: 404,
      body: { error: 'dataset_group_not_found' },
    });
    const stranger = await app.stranger();
    expect(await ask(stranger, 'add-request-log', group.id, more)).toMatchObject({ status: 404 });
    const { id: ofStranger } = await newGroup(stranger);
    expect(await ask(stranger, 'add-request-log', ofStranger, more)).toMatchObject({
      status: 404,
      body: { error: 'dataset_log_not_found' },
    });
    await saveDraft(me, group.id);
    expect(await ask(me, 'add-request-log', group.id, more)).toMatchObject({
      status: 404,
      body: { error: 'dataset_draft_not_found' },
    });
  });
});

describe('a draft', () => {
  it('with the rows of an earlier version goes its own way', async () => {
    const group = await newGroup(me);
    const log = await logCall(me, { output: 'First' });
    await addLog(me, group.id, log);
    const first = await saveDraft(me, group.id);
    const answer = await ask(me, 'create-draft', group.id, { source_dataset_id: first });
    expect(answer).toMatchObject({
      status: 202,
      body: { success: true, message: 'Draft created; rows are being copied from the source dataset' },
    });
    const { draft_dataset_id: draft } = answer.body as { draft_dataset_id: number };
    await addLog(me, group.id, await logCall(me, { output: 'Second' }));
    expect(await saveDraft(me, group.id)).toBe(draft);
    expect(await published(me, draft)).toMatchObject({ version_number: 2 });
    expect((await rowsOf(me, draft)).map(({ response }) => response)).toEqual(['First', 'Second']);
    expect((await rowsOf(me, first)).map(({ response }) => response)).toEqual(['First']);
  });

  it('gets rows while others are being copied, and they come behind those', async () => {
    const idle = await TestApp.own({ works: false });
    const group = await newGroup(idle.client);
    const { id: source } = await versionFromFile(idle.client, group.id, linesOf(900));
    await saveDraft(idle.client, group.id);
    const other = await createDraft(idle.client, group.id, source);
    await addLog(idle.client, group.id, await logCall(idle.client, { output: 'Last' }));
    const page = await readDataset(idle.client, other, 'per_page=100&page=10');
    expect(page).toMatchObject({ total: 901, pages: 10 });
    expect(page.rows.at(-1)!.map(({ value }) => value)).toContain('Last');
    await idle.stop();
  });

  it('that is saved while rows are being copied becomes a version when they are there', async () => {
    const group = await newGroup(me);
    const { id: source } = await versionFromFile(me, group.id, linesOf(3000));
    await saveDraft(me, group.id);
    const draft = await createDraft(me, group.id, source);
    expect(await saveDraft(me, group.id)).toBe(draft);
    await published(me, draft);
    expect(await readDataset(me, draft, 'per_page=1&page=3000')).toMatchObject({
      columns: ['question'],
      rows: [[{ type: 'dataset', value: 'Q2999' }]],
      total: 3000,
    });
  });

  it('is saved once by simultaneous requests', async () => {
    const group = await newGroup(me);
    const answers = await Promise.all([1, 2, 3].map(() => ask(me, 'save-draft', group.id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 404, 404]);
    expect(answers.find(({ status }) => status === 202)!.body).toEqual({
      success: true,
      message: 'Dataset save job queued',
      draft_dataset_id: group.draftId,
    });
    expect(await listDatasets(me, `dataset_group_id=${group.id}`)).toMatchObject({ total: 1 });
  });

  it('is created once by a request that is sent again with its key', async () => {
    const group = await newGroup(me);
    const { id: source } = await versionFromFile(me, group.id, linesOf(2));
    await saveDraft(me, group.id);
    const again = me.with({ 'idempotency-key': `draft of ${group.id}`.replaceAll(' ', '-') });
    const more = { source_dataset_id: source };
    const [first, second] = [
      await ask(again, 'create-draft', group.id, more),
      await ask(again, 'create-draft', group.id, more),
    ];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.deprecation)).toEqual([expect.any(String), expect.any(String)]);
  });

  it('is created once by simultaneous requests', async () => {
    const group = await newGroup(me);
    await saveDraft(me, group.id);
    const answers = await Promise.all([1, 2, 3].map(() => ask(me, 'create-draft', group.id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it('has a source only among the saved versions of its group', async () => {
    const [group, other] = [await newGroup(me), await newGroup(me)];
    const { id: foreign } = await versionFromFile(me, other.id, linesOf(1));
    await saveDraft(me, group.id);
    for (const source of [foreign, other.draftId, 999_999]) {
      expect(await ask(me, 'create-draft', group.id, { source_dataset_id: source })).toMatchObject({
        status: 404,
        body: { error: 'dataset_source_not_found' },
      });
    }
    await createDraft(me, group.id);
  });

  it('gets version numbers without gaps, also when files are saved at the same time', async () => {
    const group = await newGroup(me);
    const files = await Promise.all([1, 2, 3].map((count) => versionFromFile(me, group.id, linesOf(count))));
    const draft = await saveDraft(me, group.id);
    const numbers = [...files, await published(me, draft)].map(({ version_number: number }) => number);
    expect(numbers.toSorted()).toEqual([1, 2, 3, 4]);
  });

  it.each<[string, string, object, number]>([
    ['create-draft', 'no group', { dataset_group_id: undefined }, 422],
    ['create-draft', 'a group of another type', { dataset_group_id: 'x' }, 422],
    ['create-draft', 'a group that is no id', { dataset_group_id: 0 }, 422],
    ['create-draft', 'a huge group', { dataset_group_id: 1e300 }, 422],
    ['create-draft', 'a source of another type', { source_dataset_id: [1] }, 422],
    ['create-draft', 'an unknown group', { dataset_group_id: 999_999 }, 404],
    ['save-draft', 'no group', { dataset_group_id: null }, 422],
    ['save-draft', 'an unknown group', { dataset_group_id: 999_999 }, 404],
    ['add-request-log', 'no log', {}, 422],
    ['add-request-log', 'a log of another type', { request_log_id: 'x' }, 422],
    ['add-request-log', 'a log that is no id', { request_log_id: -1 }, 422],
  ])('%s is refused with %s', async (route, _, more, status) => {
    const group = await newGroup(me);
    expect((await ask(me, route, group.id, more)).status).toBe(status);
  });
});

it('answers with the way to what came after datasets', async () => {
  const group = await newGroup(me);
  const answers = [
    await me.request('GET', '/api/public/v2/datasets'),
    await me.request('GET', `/api/public/v2/datasets/${group.draftId}/rows`),
    await me.request('GET', '/api/public/v2/datasets/999999/rows'),
    await ask(me, 'save-draft', group.id),
    await ask(me, 'save-draft', group.id),
    await me.request('POST', GROUPS, {}),
  ];
  for (const { headers } of answers) {
    expect(headers.deprecation).toMatch(/^@\d{10}$/);
    expect(headers.link).toMatch(/^<\/api\/public\/v2\/tables.*>; rel="successor-version"$/);
  }
});
