import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { ask, fileBody, listDatasets, newGroup, versionFromFile } from '../support/datasets.js';
import { newDataset, newReport } from '../support/evaluations.js';
import { EXPORTS, finishedExport } from '../support/exports.js';
import { newSheet, readRows } from '../support/factories.js';
import { logCall, traceId } from '../support/otlp.js';
import { clientOf, labelsOf, patchPrompt, promptBody, PUBLISH, publishPrompt, readPrompt } from '../support/prompts.js';
import { createSkills, pullSkills, saveSkills, skillUrl } from '../support/skills.js';
import { createTool, readTool } from '../support/tools.js';
import { askToAddTrace, traceBody } from '../support/traces.js';
import { TestApp } from '../support/test-app.js';

const ENTITIES = '/api/public/v2/folders/entities';
const NOWHERE = '0198c0de-0000-7000-8000-000000000000';

let app: TestApp;
let me: Client;
let workspace: number;
const withRoles = (...roles: string[]) => clientOf(app, workspace, { roles });

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  ({ workspace_id: workspace } = await publishPrompt(me, 'greeting'));
});
afterAll(() => app.stop());

const refusal = (permission: string) => ({
  success: false,
  error: 'permission_missing',
  message: `This API key lacks the permission ${permission}.`,
});

/** Families whose errors have no code. */
function briefRefusal(permission: string) {
  const { success, message } = refusal(permission);
  return { success, message };
}

describe('labels', () => {
  it('on a skill collection need SKILL_DEPLOY in addition to the permission to save', async () => {
    const { skill_collection: collection } = await createSkills(me, 'labelled', { 'a/SKILL.md': 'A' });
    const url = `${skillUrl(collection.id)}/versions`;
    const body = { commit_message: 'For production', release_label: 'prod' };
    const contributor = await withRoles('contributor');
    expect(await contributor.post(url, body, 403)).toEqual(briefRefusal('SKILL_DEPLOY'));
    expect(await (await withRoles('publisher')).post(url, body, 403)).toEqual(briefRefusal('SKILL_EDIT'));
    expect((await pullSkills(me, collection.id)).version).toMatchObject({ number: 1, release_label: null });
    expect(await saveSkills(contributor, collection.id, { commit_message: 'No label' })).toMatchObject({ number: 2 });
    const both = await withRoles('contributor', 'publisher');
    expect(await saveSkills(both, collection.id, body)).toMatchObject({ number: 3, release_label: 'prod' });
  });

  it('on a prompt need PROMPT_DEPLOY when published and patched, and an empty list needs nothing', async () => {
    await publishPrompt(me, 'labelled');
    const contributor = await withRoles('contributor');
    const both = await withRoles('contributor', 'publisher');
    const [plain, labelled] = [promptBody('labelled'), promptBody('labelled', { labels: ['prod'] })];
    expect(await contributor.post(PUBLISH, labelled, 403)).toEqual(refusal('PROMPT_DEPLOY'));
    expect(await contributor.patch(`${PUBLISH}/labelled`, { release_labels: ['prod'] }, 403)).toEqual(
      refusal('PROMPT_DEPLOY'),
    );
    await contributor.post(PUBLISH, { ...plain, release_labels: [] }, 201);
    await contributor.patch(`${PUBLISH}/labelled`, { release_labels: [] }, 201);
    expect(await labelsOf(me, 'labelled')).toEqual({});
    await both.post(PUBLISH, labelled, 201);
    await patchPrompt(both, 'labelled', { release_labels: ['dev'] });
    expect(Object.keys(await labelsOf(me, 'labelled'))).toEqual(['dev', 'prod']);
  });
});

describe('a folder with many kinds of things', () => {
  it('is deleted with all of them by who may delete each of them; for others nothing is deleted', async () => {
    const { folder } = (await me.post('/api/public/v2/folders', { name: 'All' }, 201)) as { folder: { id: number } };
    const inFolder = { folder_id: folder.id };
    await publishPrompt(me, 'kept', { folderId: folder.id });
    const group = await newGroup(me, { name: 'kept group', ...inFolder });
    const tool = await createTool(me, 'kept_tool', inFolder);
    const { skill_collection: skills } = await createSkills(me, 'kept skills', {}, inFolder);
    const everything = { entities: [{ id: folder.id, type: 'FOLDER' }], cascade: true };
    for (const roles of [['viewer'], ['publisher'], ['publisher', 'developer']]) {
      const client = await withRoles(...roles);
      const answer = await client.request('DELETE', ENTITIES, everything);
      expect(answer).toMatchObject({ status: 403, body: { message: expect.stringMatching(/_DELETE\.$/) } });
      const moved = { entities: [{ id: group.id, type: 'DATASET' }], folder_id: null };
      expect(await client.post(ENTITIES, moved, 403)).toEqual(refusal('DATASET_EDIT'));
    }
    await readPrompt(me, 'kept');
    await readTool(me, tool);
    await pullSkills(me, skills.id);
    const contributor = await withRoles('contributor');
    expect(await contributor.delete(ENTITIES, 200, everything)).toEqual({ moved_count: 5 });
    await me.get('/prompt-templates/kept', 404);
  });
});

describe('a copy to a table', () => {
  it('needs TABLE_CREATE for a new table and TABLE_EDIT for one that is there, before it is asked whether there is anything to copy', async () => {
    const dataset = await newDataset(me, [{ question: 'Hi' }]);
    const pipeline = await newReport(me, dataset, []);
    const table = await newSheet(me);
    const paths = [
      `/api/public/v2/datasets/${dataset.id}/to-table`,
      `/api/public/v2/evaluations/${pipeline.id}/to-table`,
    ];
    const publisher = await withRoles('publisher');
    for (const path of paths) {
      expect(await publisher.post(path, {}, 403)).toEqual(refusal('TABLE_CREATE'));
      expect(await publisher.post(path, { table_id: table.tableId }, 403)).toEqual(refusal('TABLE_EDIT'));
      expect(await publisher.post(path, { table_id: NOWHERE }, 404)).toMatchObject({ error: 'table_not_found' });
    }
    const tables = (await me.get('/api/public/v2/tables')) as { count: number };
    expect(tables.count).toBe(1);
  });
});

describe('a row of a trace', () => {
  it('needs TABLE_EDIT for a sheet and DATASET_EDIT for a dataset, after both were found', async () => {
    const id = traceId();
    await logCall(me, {}, { traceId: id });
    const [sheet, group] = [await newSheet(me), await newGroup(me)];
    const publisher = await withRoles('publisher');
    expect(await askToAddTrace(publisher, traceBody(sheet, id))).toMatchObject({
      status: 403,
      body: refusal('TABLE_EDIT'),
    });
    const nowhere = traceBody({ ...sheet, id: NOWHERE }, id);
    expect(await askToAddTrace(publisher, nowhere)).toMatchObject({ status: 404, body: { error: 'sheet_not_found' } });
    expect(await askToAddTrace(publisher, { dataset_group_id: group.id, trace_id: id })).toMatchObject({
      status: 403,
      body: refusal('DATASET_EDIT'),
    });
    expect(await askToAddTrace(publisher, { dataset_group_id: 999_999, trace_id: id })).toMatchObject({ status: 404 });
    expect((await readRows(me, sheet)).data).toHaveLength(1);
  });
});

describe('versions of a dataset', () => {
  it('cannot be created without DATASET_EDIT, on any route', async () => {
    const group = await newGroup(me);
    await versionFromFile(me, group.id, 'question\nHi\n');
    const log = await logCall(me);
    const before = await listDatasets(me, `dataset_group_id=${group.id}`);
    const ways: [route: string, body: object][] = [
      ['from-file', fileBody('question\nHo\n')],
      ['from-filter-params', { request_log_ids: [log] }],
      ['create-draft', {}],
      ['add-request-log', { request_log_id: log }],
      ['save-draft', {}],
    ];
    for (const client of [await withRoles('viewer'), await withRoles('publisher', 'developer')]) {
      for (const [route, body] of ways) {
        const answer = await ask(client, route, group.id, body);
        expect([route, answer.status, answer.body]).toEqual([route, 403, refusal('DATASET_EDIT')]);
        expect([route, (await ask(client, route, 999_999, body)).status]).toEqual([route, 404]);
      }
    }
    expect(await listDatasets(me, `dataset_group_id=${group.id}`)).toEqual(before);
  });
});

describe('an export', () => {
  it('is deleted by the key that started it, whatever its role, and by an ADMIN', async () => {
    const viewer = await withRoles('viewer');
    const [own, other] = [
      await finishedExport(viewer, { source: 'requests', format: 'csv' }),
      await finishedExport(me, { source: 'requests', format: 'csv' }),
    ];
    expect(await viewer.delete(`${EXPORTS}/${other.id}`, 403)).toEqual(refusal('ADMIN'));
    await viewer.delete(`${EXPORTS}/${own.id}`);
    await me.delete(`${EXPORTS}/${other.id}`);
  });
});
