import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addLog,
  createDraft,
  DATASETS,
  type Dataset,
  listDatasets,
  newGroup,
  readDataset,
  saveDraft,
  versionFromFile,
  versionFromLogs,
} from '../support/datasets.js';
import { atDepth } from '../support/depth.js';
import { logCall } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

const idsOf = ({ datasets }: { datasets: Dataset[] }): number[] => datasets.map(({ id }) => id);

describe('the list of datasets', () => {
  it('has the versions of all groups, drafts among them, newest first and in pages', async () => {
    const client = await app.stranger();
    const groups = [];
    for (const name of ['One', 'Two', 'Three']) groups.push(await newGroup(client, { name }));
    const drafts = groups.map(({ draftId }) => draftId).toReversed();
    expect(await listDatasets(client)).toMatchObject({ page: 1, per_page: 10, pages: 1, total: 3 });
    expect(idsOf(await listDatasets(client))).toEqual(drafts);
    expect(idsOf(await listDatasets(client, 'per_page=2&page=2'))).toEqual(drafts.slice(2));
    expect(await listDatasets(client, 'per_page=2&page=3')).toMatchObject({ datasets: [], pages: 2, total: 3 });
    expect(idsOf(await listDatasets(client, 'sort_by=name&sort_order=asc'))).toEqual(
      [groups[0]!, groups[2]!, groups[1]!].map(({ draftId }) => draftId),
    );
    expect(idsOf(await listDatasets(client, 'sort_by=id&sort_order=asc'))).toEqual(drafts.toReversed());
    expect(idsOf(await listDatasets(client, 'name=tHr'))).toEqual([groups[2]!.draftId]);
    expect(idsOf(await listDatasets(client, `dataset_group_id=${groups[1]!.id}`))).toEqual([groups[1]!.draftId]);
    expect(await listDatasets(client, 'name=100%25')).toMatchObject({ total: 0 });
    expect(await listDatasets(client, 'status=deleted')).toMatchObject({ total: 0 });
    expect(await listDatasets(client, 'report_id=1')).toMatchObject({ total: 0 });
    expect(await listDatasets(me, `dataset_group_id=${groups[1]!.id}`)).toMatchObject({ total: 0 });
  });

  it('finds versions by the external id of their group, by their creator and by their time', async () => {
    const client = await app.stranger();
    const group = await newGroup(client, { external_ids: [{ source: 'crm', external_id: 'd/7' }] });
    await newGroup(client);
    expect(idsOf(await listDatasets(client, 'external_source=crm&external_id=d%2F7'))).toEqual([group.draftId]);
    expect(await listDatasets(client, 'external_source=crm&external_id=d')).toMatchObject({ total: 0 });
    expect(await listDatasets(client, 'created_by_email=nobody@example.com')).toMatchObject({ total: 0 });
    expect(await listDatasets(client, 'created_after=2020-01-01')).toMatchObject({ total: 2 });
    expect(await listDatasets(client, 'updated_before=2020-01-01')).toMatchObject({ total: 0 });
  });

  it('finds the versions that hold logs of a prompt, of a version of it, and of a label', async () => {
    const client = await app.stranger();
    const prompt = await publishPrompt(client, 'asked', { labels: ['prod'] });
    const linked = { 'promptlayer.prompt.name': 'asked', 'promptlayer.prompt.version': '1' };
    const log = await logCall(client, { more: linked });
    const [named, added, plain] = [await newGroup(client), await newGroup(client), await newGroup(client)];
    const fromLogs = await versionFromLogs(client, named.id, { request_log_ids: [log] });
    await addLog(client, added.id, log);
    await saveDraft(client, added.id);
    const copied = await createDraft(client, added.id, added.draftId);
    await addLog(client, plain.id, await logCall(client));
    const expected = [fromLogs.id, added.draftId, copied].toSorted((a, b) => b - a);
    const label = (await client.get(`/prompt-templates/${prompt.id}/labels`)) as {
      release_labels: { release_label_id: number; prompt_version_id: number }[];
    };
    const { release_label_id: labelId, prompt_version_id: versionId } = label.release_labels[0]!;
    for (const query of [`prompt_id=${prompt.id}`, `prompt_version_id=${versionId}`, `prompt_label_id=${labelId}`]) {
      expect(idsOf(await listDatasets(client, `${query}&sort_by=id`))).toEqual(expected);
    }
    expect(await listDatasets(client, 'prompt_id=999999')).toMatchObject({ total: 0 });
  });

  it.each<[string, number, string]>([
    ['per_page=101', 422, 'per_page'],
    ['per_page=0', 422, 'per_page'],
    ['page=0', 422, 'page'],
    ['page=x', 422, 'page'],
    ['status=gone', 422, 'status'],
    ['sort_by=size', 422, 'sort_by'],
    ['external_source=crm', 422, 'external_id'],
    ['dataset_group_id=0', 422, 'dataset_group_id'],
    ['created_after=soon', 422, 'created_after'],
    ['workspace_id=999999', 400, 'workspace_id'],
  ])('is refused with %s', async (query, status, words) => {
    const answer = await me.request('GET', `${DATASETS}?${query}`);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(words);
  });

  it('takes the own workspace', async () => {
    await me.get(`${DATASETS}?workspace_id=1`);
  });
});

describe('the rows of a dataset', () => {
  it('are texts in the order in which they were added, in pages', async () => {
    const group = await newGroup(me);
    const rows = [
      { a: 'text', b: 1.5, c: [1, { x: null }] },
      { a: null, b: false, c: '' },
      { b: 0, d: 'more' },
    ];
    const { id, column_names: titles } = await versionFromFile(me, group.id, JSON.stringify(rows), 'rows.json');
    expect(titles).toEqual(['a', 'b', 'c', 'd']);
    const page = await readDataset(me, id, 'per_page=2');
    expect(page).toEqual({
      success: true,
      message: 'success',
      columns: ['a', 'b', 'c', 'd'],
      rows: [
        ['text', '1.5', '[1,{"x":null}]', ''],
        ['', 'false', '', ''],
      ].map((row) => row.map((value) => ({ type: 'dataset', value }))),
      page: 1,
      per_page: 2,
      pages: 2,
      total: 3,
    });
    expect((await readDataset(me, id, 'per_page=2&page=2')).rows).toEqual([
      ['', '0', '', 'more'].map((value) => ({ type: 'dataset', value })),
    ]);
    expect(await readDataset(me, id, 'page=3')).toMatchObject({ rows: [], page: 3, pages: 1, total: 3 });
  });

  it('are found by a text in any of their cells, whatever its letters', async () => {
    const group = await newGroup(me);
    const csv = 'question,answer\nWhere is my ORDER?,Here\nHello,Your order 100% is_here\nÄpfel,x\n';
    const { id } = await versionFromFile(me, group.id, csv);
    const found = async (q: string) => {
      const page = await readDataset(me, id, `q=${encodeURIComponent(q)}`);
      expect(page.total).toBe(page.rows.length);
      return page.rows.map((row) => row[0]!.value);
    };
    expect(await found('order')).toEqual(['Where is my ORDER?', 'Hello']);
    expect(await found('HERE')).toEqual(['Where is my ORDER?', 'Hello']);
    expect(await found('100% is_')).toEqual(['Hello']);
    expect(await found('100%i')).toEqual([]);
    expect(await found('äPFEL')).toEqual(['Äpfel']);
    expect(await found('\\')).toEqual([]);
    expect(await found('')).toHaveLength(3);
    expect(await readDataset(me, id, 'q=order&per_page=1&page=2')).toMatchObject({ total: 2, pages: 2, page: 2 });
  });

  it('are whole pages however much they hold', async () => {
    const group = await newGroup(me);
    const long = 'ü'.repeat(400_000);
    const count = atDepth(10, 30);
    const rows = Array.from({ length: count }, (_, n) => ({ n, text: `${n} ${long}`, list: [long] }));
    const { id } = await versionFromFile(me, group.id, JSON.stringify(rows), 'long.json');
    const page = await readDataset(me, id);
    expect(page.rows).toHaveLength(count);
    expect(page.rows.at(-1)!.map(({ value }) => value)).toEqual([
      `${count - 1}`,
      `${count - 1} ${long}`,
      JSON.stringify([long]),
    ]);
  });

  it('are not there for an unknown dataset, for one of somebody else and for a deleted one', async () => {
    const group = await newGroup(me);
    const stranger = await app.stranger();
    const path = `${DATASETS}/${group.draftId}/rows`;
    await stranger.get(path, 404);
    await me.get(`${DATASETS}/999999/rows`, 404);
    await me.get(`${DATASETS}/0/rows`, 422);
    await me.get(`${DATASETS}/first/rows`, 422);
    await me.get(`${path}?per_page=101`, 422);
    await me.get(`${path}?workspace_id=999999`, 400);
    expect(await me.get(path)).toMatchObject({ columns: [], rows: [], total: 0, pages: 0 });
    await me.delete('/api/public/v2/folders/entities', 200, { entities: [{ id: group.id, type: 'DATASET' }] });
    await me.get(path, 404);
  });
});
