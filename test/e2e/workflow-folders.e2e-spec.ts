import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createWorkflow, graphOf, readWorkflow, SAVE, saveWorkflow, workflowPath } from '../support/workflows.js';
import { ENTITIES, type Entity, newFolder } from './folders.fixture.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const entities = async (query: string) => ((await me.get(`${ENTITIES}?${query}`)) as { entities: Entity[] }).entities;
const deletions = async (id: number) => {
  const url = `/api/admin/v1/workspaces/1/audit-entries?entity_id=${id}`;
  const { data } = (await me.get(url)) as { data: { action: string; details: object | null }[] };
  return data.filter(({ action }) => action === 'workflow.delete').map(({ details }) => details);
};

describe('a workflow in a folder', () => {
  it('is listed with the number of its latest version, its external ids and its path', async () => {
    const { id: folder_id } = await newFolder(me, 'flows');
    const external_ids = [{ source: 'crm', external_id: 'listed' }];
    const id = await createWorkflow(me, 'listed', { folder_id, external_ids, tags: ['red', 'blue'] });
    await saveWorkflow(me, { workflow_id: id });
    expect(await entities(`folder_id=${folder_id}&include_metadata=true`)).toEqual([
      {
        id,
        name: 'listed',
        type: 'WORKFLOW',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        folder_id,
        path: ['flows'],
        metadata: { latest_version_number: 2 },
        external_ids,
      },
    ]);
    const found = async (query: string) => (await entities(`folder_id=${folder_id}&${query}`)).map((each) => each.id);
    expect(await found('filter_type=WORKFLOW')).toEqual([id]);
    expect(await found('filter_type=PROMPT')).toEqual([]);
    expect(await found('tags=red,blue')).toEqual([id]);
    expect(await found('tags=red,green')).toEqual([]);
    expect(await found('search_query=LIST')).toEqual([id]);
    expect(await found('external_source=crm&external_id=listed')).toEqual([id]);
  });

  it('is moved, with others or by a new version', async () => {
    const [{ id: one }, { id: two }] = [await newFolder(me, 'one'), await newFolder(me, 'two')];
    const id = await createWorkflow(me, 'wandering');
    const ref = { id, type: 'WORKFLOW' };
    expect(await me.post(ENTITIES, { entities: [ref], folder_id: one })).toEqual({ moved_count: 1 });
    expect((await readWorkflow(me, id)).workflow.folder_id).toBe(one);
    await saveWorkflow(me, { workflow_id: id, folder_id: two });
    expect((await readWorkflow(me, id)).workflow.folder_id).toBe(two);
    await saveWorkflow(me, { workflow_id: id, folder_id: null });
    expect((await readWorkflow(me, id)).workflow.folder_id).toBe(two);
    await me.post(ENTITIES, { entities: [ref], folder_id: null });
    expect((await readWorkflow(me, id)).workflow.folder_id).toBeNull();
    const publisher = await clientOf(app, 1, { role: 'publisher' });
    await publisher.post(ENTITIES, { entities: [ref], folder_id: one }, 403);
    await (await app.stranger()).post(ENTITIES, { entities: [ref], folder_id: null }, 404);
  });

  it('keeps it from being deleted alone, and goes with it', async () => {
    const { id: folder } = await newFolder(me, 'doomed');
    const external_ids = [{ source: 'crm', external_id: 'doomed' }];
    const id = await createWorkflow(me, 'doomed', { folder_id: folder, external_ids, release_labels: ['prod'] });
    const body = { entities: [{ id: folder, type: 'FOLDER' }] };
    expect(await me.delete(ENTITIES, 400, body)).toMatchObject({ error: 'folder_not_empty' });
    const publisher = await clientOf(app, 1, { role: 'publisher' });
    await publisher.delete(ENTITIES, 403, { ...body, cascade: true });
    expect(await me.delete(ENTITIES, 200, { ...body, cascade: true })).toEqual({ moved_count: 2 });
    await me.get(workflowPath(id), 404);
    expect(await deletions(id)).toEqual([{ name: 'doomed' }]);
    expect((await readWorkflow(me, await createWorkflow(me, 'doomed', { external_ids }))).external_ids).toEqual(
      external_ids,
    );
  });

  it('is deleted by itself, and then does not keep its folder', async () => {
    const { id: folder } = await newFolder(me, 'emptied');
    const id = await createWorkflow(me, 'single', { folder_id: folder });
    const ref = { id, type: 'WORKFLOW' };
    await (await app.stranger()).request('DELETE', ENTITIES, { entities: [ref] });
    expect(await me.delete(ENTITIES, 200, { entities: [ref] })).toEqual({ moved_count: 1 });
    await me.delete(ENTITIES, 404, { entities: [ref] });
    expect(await deletions(id)).toEqual([{ name: 'single' }]);
    await me.delete(ENTITIES, 200, { entities: [{ id: folder, type: 'FOLDER' }] });
  });

  it('is not left behind when it is saved into a folder that is being deleted', async () => {
    for (const name of ['contested 1', 'contested 2', 'contested 3', 'contested 4']) {
      const { id: folder_id } = await newFolder(me, name);
      const entity = { id: folder_id, type: 'FOLDER' };
      const [saved, deleted] = await Promise.all([
        me.request('POST', SAVE, { name, folder_id, ...graphOf() }),
        me.request('DELETE', ENTITIES, { entities: [entity], cascade: true }),
      ]);
      const outcomes = [saved.status, (deleted.body as { moved_count: number }).moved_count];
      expect([
        [201, 2],
        [404, 1],
      ]).toContainEqual(outcomes);
      await me.get(workflowPath(name), 404);
    }
  });
});
