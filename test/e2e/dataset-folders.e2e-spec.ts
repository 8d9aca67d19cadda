import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { ask, findDataset, GROUPS, listDatasets, newGroup, saveDraft } from '../support/datasets.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const ENTITIES = '/api/public/v2/folders/entities';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

interface Entity {
  id: number;
  type: string;
  name: string;
  folder_id: number | null;
  path: string[];
  metadata: object;
  external_ids: object[];
}

async function entities(query = ''): Promise<Entity[]> {
  const answer = (await me.get(`${ENTITIES}?filter_type=DATASET&include_metadata=true&${query}`)) as {
    entities: Entity[];
  };
  return answer.entities;
}

async function newFolder(name: string): Promise<number> {
  const { folder } = (await me.post('/api/public/v2/folders', { name }, 201)) as { folder: { id: number } };
  return folder.id;
}

describe('a dataset', () => {
  it('is in a folder, with facts about its versions', async () => {
    const folder = await newFolder('Evaluations');
    const external = { source: 'crm', external_id: 'f-1' };
    const group = await newGroup(me, { name: 'In a folder', folder_id: folder, external_ids: [external] });
    const [entity] = await entities(`folder_id=${folder}`);
    expect(entity).toMatchObject({
      id: group.id,
      type: 'DATASET',
      name: 'In a folder',
      folder_id: folder,
      path: ['Evaluations'],
      metadata: { isDraft: true, latest_version_number: null },
      external_ids: [external],
    });
    await saveDraft(me, group.id);
    const [saved] = await entities('search_query=in%20A%20fol&flatten=true');
    expect(saved!.metadata).toEqual({ isDraft: false, latest_version_number: 1 });
    const moved = await me.post(ENTITIES, { entities: [{ id: group.id, type: 'DATASET' }], folder_id: null });
    expect(moved).toEqual({ moved_count: 1 });
    expect((await entities()).map(({ id }) => id)).toContain(group.id);
    expect(await entities(`folder_id=${folder}`)).toEqual([]);
  });

  it('is deleted with its versions, gives its name and its external ids free, and leaves a note', async () => {
    const external = [{ source: 'crm', external_id: 'gone' }];
    const group = await newGroup(me, { name: 'Gone', external_ids: external });
    await saveDraft(me, group.id);
    await me.delete(ENTITIES, 200, { entities: [{ id: group.id, type: 'DATASET' }] });
    expect(await findDataset(me, group.draftId)).toBeUndefined();
    const { datasets } = await listDatasets(me, `status=deleted&dataset_group_id=${group.id}`);
    expect(datasets).toMatchObject([{ id: group.draftId, is_deleted: true, dataset_group: { is_deleted: true } }]);
    for (const route of ['create-draft', 'save-draft']) {
      expect(await ask(me, route, group.id)).toMatchObject({ status: 404, body: { error: 'dataset_group_not_found' } });
    }
    await newGroup(me, { name: 'Gone', external_ids: external });
    const { data } = (await me.get('/api/admin/v1/workspaces/1/audit-entries?limit=100')) as {
      data: { action: string; entity_id: string; details: object }[];
    };
    const about = data.filter(({ entity_id: id }) => id === String(group.id)).map(({ action }) => action);
    expect(about).toContain('dataset.create');
    expect(about).toContain('dataset.delete');
  });

  it('keeps a folder from being deleted unless everything in it is to be deleted', async () => {
    const folder = await newFolder('Full');
    const group = await newGroup(me, { folder_id: folder });
    const body = { entities: [{ id: folder, type: 'FOLDER' }] };
    expect((await me.request('DELETE', ENTITIES, body)).status).toBe(400);
    expect(await me.delete(ENTITIES, 200, { ...body, cascade: true })).toEqual({ moved_count: 2 });
    expect(await findDataset(me, group.draftId)).toBeUndefined();
  });

  it('has external ids', async () => {
    const group = await newGroup(me);
    const path = `${GROUPS}/${group.id}/external-ids`;
    const mapping = { source: 'drive', external_id: 'a/b' };
    await me.post(path, mapping, 201);
    await me.post(path, mapping, 201);
    expect(await me.get(path)).toEqual({ success: true, external_ids: [mapping] });
    expect(await findDataset(me, group.draftId)).toMatchObject({ external_ids: [mapping] });
    const other = await newGroup(me);
    await me.post(`${GROUPS}/${other.id}/external-ids`, mapping, 409);
    await me.delete(`${path}/drive/a%2Fb`);
    expect(await me.get(path)).toEqual({ success: true, external_ids: [] });
  });
});

describe('permissions', () => {
  it.each<[string, number[]]>([
    ['viewer', [403, 403, 403, 403]],
    ['publisher', [403, 403, 403, 403]],
    ['contributor', [201, 409, 202, 200]],
    ['member', [201, 409, 202, 200]],
  ])('with the role %s', async (role, statuses) => {
    const client = await clientOf(app, 1, { role });
    const group = await newGroup(me);
    const created = await client.request('POST', GROUPS, {});
    const draft = await ask(client, 'create-draft', group.id);
    const saved = await ask(client, 'save-draft', group.id);
    const deleted = await client.request('DELETE', ENTITIES, { entities: [{ id: group.id, type: 'DATASET' }] });
    expect([created, draft, saved, deleted].map(({ status }) => status)).toEqual(statuses);
    expect((await client.request('GET', '/api/public/v2/datasets')).status).toBe(200);
  });
});
