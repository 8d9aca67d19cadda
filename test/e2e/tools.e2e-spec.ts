import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createTool, definitionOf, executionOf, readTool, saveVersion, TOOLS } from '../support/tools.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const managed = (id: number) => `/api/admin/v1/workspaces/1/tools/${id}`;
const label = (id: number, name: string, version: number, status = 200) =>
  me.put(`${managed(id)}/labels/${encodeURIComponent(name)}`, { version_number: version }, status);

interface List {
  tool_registries: { id: number; name: string; external_ids: object[] }[];
}
const list = async (query = '') => ((await me.get(TOOLS + query)) as List).tool_registries;

describe('a tool', () => {
  it('is created with its first version, and read by its id and by its name', async () => {
    const body = {
      name: 'get weather / today',
      description: 'Reports the weather.',
      tool_definition: { ...definitionOf('weather'), cache: { z: 1, a: 2 } },
      execution: executionOf('python', 'return 1'),
      response_schema: { type: 'number' },
      commit_message: 'First',
      external_ids: [{ source: 'crm', external_id: 'weather-1' }],
    };
    const created = (await me.post(TOOLS, body, 201)) as { tool_registry: { id: number } };
    expect(created).toMatchObject({
      success: true,
      tool_registry: { name: body.name, description: body.description, folder_id: null, workspace_id: 1 },
      version: { version_number: 1, number: 1, tool_definition: body.tool_definition, execution: body.execution },
      external_ids: body.external_ids,
    });
    const { id } = created.tool_registry;
    const read = await readTool(me, id);
    expect(read).toMatchObject({
      id,
      labels: [],
      version: { number: 1, response_schema: body.response_schema, commit_message: 'First' },
      tool_definition: body.tool_definition,
      external_ids: body.external_ids,
    });
    // The order of keys matters to models.
    expect(JSON.stringify(read.version.tool_definition)).toBe(JSON.stringify(body.tool_definition));
    expect(await readTool(me, body.name)).toEqual(read);
  });

  it('is meant by a number that is its id rather than by one that is the name of another', async () => {
    const first = await createTool(me, 'first of two');
    const second = await createTool(me, String(first));
    const uuid = '0198c0de-0000-7000-8000-000000000001';
    expect((await readTool(me, first)).id).toBe(first);
    expect((await readTool(me, second)).name).toBe(String(first));
    expect((await readTool(me, await createTool(me, `0${first}`))).name).toBe(`0${first}`);
    expect((await readTool(me, `0${first}`)).name).toBe(`0${first}`);
    await createTool(me, uuid);
    expect((await readTool(me, uuid)).name).toBe(uuid);
    // A name is not accepted in place of an id.
    await createTool(me, '999998');
    await me.delete(managed(999_998), 404);
    await label(999_998, 'prod', 1, 404);
    await createTool(me, '99999999999999999999');
    expect((await readTool(me, '99999999999999999999')).name).toBe('99999999999999999999');
  });

  it('has a name of its own, also when two come at once, and it is free again when the tool is deleted', async () => {
    const body = { name: 'only one', tool_definition: definitionOf('one') };
    const answers = await Promise.all([1, 2, 3].map(() => me.request('POST', TOOLS, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await me.post(TOOLS, body, 409)).toMatchObject({ success: false, error: 'tool_name_taken' });
    const { id } = await readTool(me, 'only one');
    await me.delete(managed(id));
    const again = await createTool(me, 'only one');
    expect((await readTool(me, 'only one')).id).toBe(again);
    await me.get(`${TOOLS}/${id}`, 404);
    await me.delete(managed(id), 404);
    await me.post(`${TOOLS}/${id}/versions`, { tool_definition: {} }, 404);
  });

  it('can be renamed and described', async () => {
    const id = await createTool(me, 'before');
    await createTool(me, 'occupied');
    expect(await me.patch(managed(id), { name: ' after ', description: 'New' })).toMatchObject({
      tool_registry: { id, name: 'after', description: 'New', version: { number: 1 } },
    });
    expect(await me.patch(managed(id), { description: null })).toMatchObject({
      tool_registry: { name: 'after', description: null },
    });
    expect(await me.patch(managed(id), { name: 'occupied' }, 409)).toMatchObject({ error: 'tool_name_taken' });
    await me.get(`${TOOLS}/before`, 404);
  });

  it('is created with its external ids or not at all', async () => {
    const external_ids = [{ source: 'crm', external_id: 'taken' }];
    await createTool(me, 'holder', { external_ids });
    const body = { name: 'second holder', tool_definition: {}, external_ids };
    const refused = await me.post(TOOLS, body, 409);
    expect(refused).toEqual({ success: false, message: expect.stringContaining('crm/taken') });
    await me.get(`${TOOLS}/second holder`.replace(' ', '%20'), 404);
  });

  it.each([
    [{}],
    [{ name: 'x' }],
    [{ name: 'x', tool_definition: null }],
    [{ name: 'x', tool_definition: 'text' }],
    [{ name: 'x', tool_definition: [] }],
    [{ name: 'x', tool_definition: { function: { name: 7 } } }],
    [{ name: '', tool_definition: {} }],
    [{ name: null, tool_definition: {} }],
    [{ name: 'x'.repeat(256), tool_definition: {} }],
    [{ name: 'x', tool_definition: {}, execution: {} }],
    [{ name: 'x', tool_definition: {}, execution: { type: 'shell', language: 'python', code: '' } }],
    [{ name: 'x', tool_definition: {}, execution: { type: 'code', language: 'ruby', code: '' } }],
    [{ name: 'x', tool_definition: {}, execution: { type: 'code', language: 'python', code: 7 } }],
    [
      {
        name: 'x',
        tool_definition: {},
        execution: { type: 'code', language: 'python', code: 'x'.repeat((1 << 20) + 1) },
      },
    ],
    [{ name: 'x', tool_definition: {}, folder_id: 0 }],
    [{ name: 'x', tool_definition: {}, folder_id: 1e300 }],
    [{ name: 'x', tool_definition: {}, external_ids: [{ source: 'a' }] }],
  ])('is refused: %j', async (body) => {
    await me.post(TOOLS, body, 422);
  });

  it('is refused in a folder that does not exist', async () => {
    expect(await me.post(TOOLS, { name: 'lost', tool_definition: {}, folder_id: 999_999 }, 404)).toMatchObject({
      error: 'folder_not_found',
    });
  });
});

describe('the versions of a tool', () => {
  it('are numbered from 1 without gaps, also when many are saved at once, and never change', async () => {
    const id = await createTool(me, 'versioned');
    const numbers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => saveVersion(me, id, definitionOf(`v${index}`))),
    );
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await readTool(me, id)).version.number).toBe(9);
    await Promise.all(
      numbers.map(async (number, index) => {
        const { version } = await readTool(me, id, `?version=${number}`);
        expect(version).toMatchObject({ number, tool_definition: definitionOf(`v${index}`) });
      }),
    );
    expect((await readTool(me, id, '?version=1')).version.tool_definition).toEqual(definitionOf('versioned'));
  });

  it('are not created twice for one Idempotency-Key', async () => {
    const id = await createTool(me, 'retried');
    const client = me.with({ 'idempotency-key': 'tool-version-retry' });
    const first = await saveVersion(client, id, {});
    expect(await saveVersion(client, id, {})).toBe(first);
    expect((await readTool(me, id)).version.number).toBe(2);
  });

  it('are found by a label before a number, and are not found otherwise', async () => {
    const id = await createTool(me, 'labelled');
    await saveVersion(me, id, {});
    await saveVersion(me, id, {});
    expect(await label(id, 'prod', 1)).toMatchObject({ success: true, label: { name: 'prod', version_number: 1 } });
    expect((await readTool(me, id, '?label=prod')).version.number).toBe(1);
    expect((await readTool(me, id, '?label=prod&version=2')).version.number).toBe(1);
    expect((await readTool(me, id, '?version=2')).version.number).toBe(2);
    await label(id, 'prod', 3);
    const { version, labels } = await readTool(me, id, '?label=prod');
    expect([version.number, labels]).toEqual([3, [expect.objectContaining({ name: 'prod', version_number: 3 })]]);

    const missing = (query: string) => me.get(`${TOOLS}/${id}${query}`, 404);
    expect(await missing('?label=nowhere')).toMatchObject({ error: 'tool_label_not_found' });
    expect(await missing('?version=4')).toMatchObject({ error: 'tool_version_not_found' });
    await label(id, 'prod', 4, 404);
    await me.get(`${TOOLS}/${id}?version=0`, 422);
    await me.get(`${TOOLS}/${id}?version=one`, 422);
    expect(await me.delete(`${managed(id)}/labels/prod`)).toEqual({ success: true });
    await me.delete(`${managed(id)}/labels/prod`, 404);
    await missing('?label=prod');
  });

  it('get their labels when they are saved, or are not saved', async () => {
    const id = await createTool(me, 'labelled at once', { release_labels: ['beta', 'prod'] });
    const body = { tool_definition: definitionOf('second'), release_labels: ['prod', 'prod'] };
    await me.post(`${TOOLS}/${id}/versions`, body, 201);
    const placed = (await readTool(me, id)).labels.map(({ name, version_number: number }) => [name, number]);
    expect(placed).toEqual([
      ['beta', 1],
      ['prod', 2],
    ]);
    const contributor = await clientOf(app, 1, { role: 'contributor' });
    await contributor.post(`${TOOLS}/${id}/versions`, body, 403);
    await contributor.post(TOOLS, { ...body, name: 'labelled by whom' }, 403);
    await me.post(`${TOOLS}/${id}/versions`, { ...body, release_labels: [''] }, 422);
    expect((await readTool(me, id)).version.number).toBe(2);
    expect((await list()).map(({ name }) => name)).not.toContain('labelled by whom');
  });

  it('are found by a label that the request spells with other code points', async () => {
    const id = await createTool(me, 'spelled');
    await label(id, 'caf\u00e9', 1);
    await saveVersion(me, id, {});
    const decomposed = `?label=${encodeURIComponent('cafe\u0301')}`;
    expect((await readTool(me, id, decomposed)).version.number).toBe(1);
    await label(id, 'cafe\u0301', 2);
    expect((await readTool(me, id, decomposed)).version.number).toBe(2);
    const composed = encodeURIComponent('caf\u00e9');
    await me.delete(`${managed(id)}/labels/${composed}`);
    expect((await readTool(me, id, `?label=${composed}`)).version.number).toBe(2);
    await me.delete(`${managed(id)}/labels/${composed}`);
    await me.get(`${TOOLS}/${id}${decomposed}`, 404);
  });

  it('are read as one of them while a label moves', async () => {
    const id = await createTool(me, 'moving');
    await saveVersion(me, id, definitionOf('two'));
    await label(id, 'prod', 1);
    const moves = Array.from({ length: 10 }, (_, index) => label(id, 'prod', (index % 2) + 1));
    const reads = Array.from({ length: 20 }, () => readTool(me, id, '?label=prod'));
    await Promise.all(moves);
    for (const { version } of await Promise.all(reads)) {
      const name = version.number === 1 ? 'moving' : 'two';
      expect(version.tool_definition).toEqual(definitionOf(name));
    }
  });

  it('keep the order of a label that has any name', async () => {
    const id = await createTool(me, 'oddly labelled');
    for (const name of ['a/b', 'ü 🎉', '%', 'x'.repeat(255)]) {
      await label(id, name, 1);
      expect((await readTool(me, id, `?label=${encodeURIComponent(name)}`)).version.number).toBe(1);
    }
    await label(id, 'x'.repeat(256), 1, 422);
    await label(id, ' ', 1, 422);
  });
});

describe('the list of tools', () => {
  it('shows the latest updated first, and can be sorted and filtered', async () => {
    const ids: number[] = [];
    for (const name of ['list b', 'list a', 'list c']) {
      const external_ids = [{ source: 'list', external_id: name }];
      ids.push(await createTool(me, name, { external_ids }));
    }
    await saveVersion(me, ids[0]!, {});
    const ours = (tools: List['tool_registries']) => tools.map(({ id }) => id).filter((id) => ids.includes(id));
    expect(ours(await list())).toEqual([ids[0], ids[2], ids[1]]);
    expect(ours(await list('?sort_by=name&sort_order=asc'))).toEqual([ids[1], ids[0], ids[2]]);
    expect(ours(await list('?sort_by=id'))).toEqual([ids[2], ids[1], ids[0]]);
    const found = await list(`?external_source=list&external_id=${encodeURIComponent('list a')}`);
    expect(found).toEqual([
      expect.objectContaining({ id: ids[1], external_ids: [{ source: 'list', external_id: 'list a' }] }),
    ]);
    expect(await list('?created_after=2999-01-01')).toEqual([]);
    expect(await list('?created_by_email=nobody@example.com')).toEqual([]);
    await me.get(`${TOOLS}?external_source=list`, 422);
    await me.get(`${TOOLS}?sort_by=size`, 422);
  });

  it('is another one in another workspace, where names are free', async () => {
    const stranger = await app.stranger();
    const id = await createTool(me, 'mine and yours');
    await createTool(stranger, 'mine and yours');
    expect(await stranger.get(TOOLS)).toMatchObject({ tool_registries: [{ name: 'mine and yours' }] });
    await stranger.get(`${TOOLS}/${id}`, 404);
    await stranger.post(`${TOOLS}/${id}/versions`, { tool_definition: {} }, 404);
    await stranger.delete(managed(id), 404);
  });
});

describe('what a key may do with tools', () => {
  const ROLES: [role: string, edit: boolean, deploy: boolean][] = [
    ['member', true, true],
    ['contributor', true, false],
    ['publisher', false, true],
    ['viewer', false, false],
  ];
  it.each(ROLES)('depends on its role: %s', async (role, edit, deploy) => {
    const client = await clientOf(app, 1, { role });
    const status = (allowed: boolean, success: number) => (allowed ? success : 403);
    const id = await createTool(me, `for ${role}`);
    await client.get(`${TOOLS}/${id}`);
    await client.post(TOOLS, { name: `of ${role}`, tool_definition: {} }, status(edit, 201));
    const version = { tool_definition: definitionOf('second') };
    await client.post(`${TOOLS}/${id}/versions`, version, status(edit, 201));
    const inputs = { execution: executionOf('javascript', 'return 1') };
    await client.post(`${TOOLS}/${id}/test-execute`, inputs, status(edit, 200));
    await client.patch(managed(id), { description: 'x' }, status(edit, 200));
    await client.put(`${managed(id)}/labels/prod`, { version_number: 1 }, status(deploy, 200));
    await me.put(`${managed(id)}/labels/prod`, { version_number: 1 });
    await client.delete(`${managed(id)}/labels/nowhere`, 404);
    await client.delete(`${managed(id)}/labels/prod`, deploy ? 200 : 403);
    await client.delete(managed(id), status(edit, 200));
  });
});

describe('a tool in a folder', () => {
  const FOLDERS = '/api/public/v2/folders';
  const ENTITIES = `${FOLDERS}/entities`;
  const newFolder = async (name: string) =>
    ((await me.post(FOLDERS, { name }, 201)) as { folder: { id: number } }).folder.id;

  it('is not listed there, keeps it from being deleted alone, and goes with it, with its variables and external ids', async () => {
    const folder_id = await newFolder('with a tool');
    const external_ids = [{ source: 'crm', external_id: 'in a folder' }];
    const id = await createTool(me, 'in a folder', { folder_id, external_ids });
    await me.post(`${TOOLS}/${id}/env-vars`, { key: 'GOES', value: 'with it' }, 201);
    expect(await me.get(`${ENTITIES}?folder_id=${folder_id}`)).toEqual({ entities: [] });
    const body = { entities: [{ id: folder_id, type: 'FOLDER' }] };
    expect(await me.delete(ENTITIES, 400, body)).toMatchObject({ error: 'folder_not_empty' });
    const publisher = await clientOf(app, 1, { role: 'publisher' });
    await publisher.delete(ENTITIES, 403, { ...body, cascade: true });
    expect(await me.delete(ENTITIES, 200, { ...body, cascade: true })).toEqual({ moved_count: 2 });
    await me.get(`${TOOLS}/${id}`, 404);
    expect(await app.sql('SELECT 1 FROM env_vars WHERE tool_id = $1', [id])).toEqual([]);
    await createTool(me, 'after it', { external_ids });
    const { data: entries } = (await me.get(`/api/admin/v1/workspaces/1/audit-entries?entity_id=${id}`)) as {
      data: { action: string }[];
    };
    expect(entries.map(({ action }) => action)).toContain('tool.delete');
  });

  it('does not keep the folder once it is deleted', async () => {
    const folder_id = await newFolder('with a deleted tool');
    await me.delete(managed(await createTool(me, 'deleted in a folder', { folder_id })));
    await me.delete(ENTITIES, 200, { entities: [{ id: folder_id, type: 'FOLDER' }] });
  });
});
