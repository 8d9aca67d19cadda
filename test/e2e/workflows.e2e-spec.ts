import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import {
  countNode,
  createWorkflow,
  graphOf,
  managedWorkflow,
  patchPath,
  patchWorkflow,
  type ReadNode,
  readWorkflow,
  SAVE,
  type SavedWorkflow,
  saveWorkflow,
  workflowPath,
  WORKFLOWS,
} from '../support/workflows.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const uuid = expect.stringMatching(UUID) as string;

const longWords = {
  source_node_name: 'Length',
  target_node_name: 'Long',
  is_and: true,
  conditionals: [
    {
      position: 0,
      operator: '>',
      left_config: { type: 'source', source: { name: 'Length' } },
      right_config: { type: 'static_value', static_value: 5 },
    },
  ],
};
const twoNodes = {
  ...graphOf(countNode('Length', 'question', { is_output_node: false }), {
    name: 'Long',
    node_type: 'PROMPT_TEMPLATE',
    configuration: {
      inline_template: {
        inline: true,
        prompt_template: { type: 'completion', content: [{ type: 'text', text: 'Shorten {q}' }] },
        metadata: { z: 1, a: { y: 2, b: 3 } },
      },
      prompt_template_variable_mappings: { q: 'question' },
    },
    dependencies: ['Length', 'question'],
    is_output_node: true,
  }),
  edges: [longWords],
};

describe('a workflow', () => {
  it('is created with its first version, and read by its id and by its name', async () => {
    const body = {
      name: 'triage / today',
      ...twoNodes,
      commit_message: 'First',
      release_labels: ['prod', ' staging ', 'prod'],
      external_ids: [{ source: 'crm', external_id: 'triage-1' }],
      tags: ['support'],
    };
    const created = (await me.post(SAVE, body, 201)) as SavedWorkflow;
    expect(created).toEqual({
      success: true,
      message: 'Version 1 of the workflow was saved.',
      workflow_id: expect.any(Number),
      workflow_name: body.name,
      workflow_version_id: expect.any(Number),
      version_number: 1,
      base_version: null,
      release_labels: ['prod', 'staging'],
      nodes: [
        { id: uuid, name: 'Length', node_type: 'COUNT', is_output_node: false },
        { id: uuid, name: 'Long', node_type: 'PROMPT_TEMPLATE', is_output_node: true },
      ],
      required_input_variables: { question: 'string' },
      external_ids: body.external_ids,
    });
    const { workflow_id: id, workflow_version_id: versionId } = created;
    const read = await readWorkflow(me, id);
    expect(read).toEqual({
      success: true,
      workflow_id: id,
      workflow_name: body.name,
      version: 1,
      version_number: 1,
      workflow_version_id: versionId,
      commit_message: 'First',
      required_input_variables: { question: 'string' },
      release_labels: ['prod', 'staging'],
      created_at: expect.any(String),
      nodes: body.nodes.map((node, index) => ({
        ...node,
        id: created.nodes[index]!.id,
        workflow_version_id: versionId,
      })),
      edges: [{ ...longWords, id: uuid }],
      external_ids: body.external_ids,
      workflow: {
        id,
        workspace_id: 1,
        user_id: 1,
        name: body.name,
        is_draft: false,
        is_deleted: false,
        tags: ['support'],
        folder_id: null,
        latest_version_number: 1,
      },
    });
    // The order of keys matters to models.
    expect(JSON.stringify(read.nodes[1]!.configuration)).toBe(
      JSON.stringify((body.nodes[1] as ReadNode).configuration),
    );
    expect(await readWorkflow(me, body.name)).toEqual(read);
  });

  it('is meant by a number that is its id rather than by one that is the name of another', async () => {
    const first = await createWorkflow(me, 'first of two');
    const second = await createWorkflow(me, String(first));
    expect((await readWorkflow(me, first)).workflow_id).toBe(first);
    expect((await readWorkflow(me, second)).workflow_name).toBe(String(first));
    // Digits given as a name are compared with names only, not with ids.
    expect((await saveWorkflow(me, { workflow_name: String(first) })).workflow_id).toBe(second);
    await me.post(SAVE, { ...graphOf(), workflow_name: String(second) }, 404);
    const free = '999998';
    const named = await createWorkflow(me, free);
    expect((await readWorkflow(me, free)).workflow_id).toBe(named);
    await me.post(SAVE, { ...graphOf(), workflow_id: Number(free) }, 404);
    await me.delete(managedWorkflow(Number(free)), 404);
    for (const name of [
      `0${first}`,
      '0198c0de-0000-7000-8000-000000000001',
      '99999999999999999999',
      'a?b#c%',
      'ü 🎉',
    ]) {
      await createWorkflow(me, name);
      expect((await readWorkflow(me, name)).workflow_name).toBe(name);
    }
  });

  it('has a name of its own, also when several come at once, and it is free again when the workflow is deleted', async () => {
    const body = { name: 'only one', ...graphOf() };
    const answers = await Promise.all([1, 2, 3].map(() => me.request('POST', SAVE, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(await me.post(SAVE, body, 400)).toMatchObject({ success: false, error: 'workflow_name_taken' });
    const { workflow_id: id } = await readWorkflow(me, 'only one');
    await me.put(`${managedWorkflow(id)}/labels/prod`, { version_number: 1 });
    expect(await me.delete(managedWorkflow(id))).toEqual({ success: true });
    const again = await createWorkflow(me, 'only one');
    expect((await readWorkflow(me, 'only one')).workflow_id).toBe(again);
    expect(await me.get(workflowPath(id), 404)).toMatchObject({ success: false, error: 'workflow_not_found' });
    await me.get(`${workflowPath(id)}?label=prod`, 404);
    await me.get(`${workflowPath(id)}/labels`, 404);
    await me.delete(managedWorkflow(id), 404);
    await me.post(SAVE, { ...graphOf(), workflow_id: id }, 404);
    await me.patch(patchPath(id), {}, 404);
  });

  it('can be renamed and get other tags', async () => {
    const id = await createWorkflow(me, 'before', { tags: ['a'] });
    await createWorkflow(me, 'occupied');
    expect(await me.patch(managedWorkflow(id), { name: ' after ', tags: ['b', 'b', 'c'] })).toMatchObject({
      workflow_name: 'after',
      version: 1,
      workflow: { name: 'after', tags: ['b', 'c'] },
    });
    expect(await me.patch(managedWorkflow(id), { tags: [] })).toMatchObject({ workflow: { name: 'after', tags: [] } });
    expect(await me.patch(managedWorkflow(id), { name: 'occupied' }, 400)).toMatchObject({
      error: 'workflow_name_taken',
    });
    await me.get(workflowPath('before'), 404);
  });

  it('is created with its external ids or not at all', async () => {
    const external_ids = [{ source: 'crm', external_id: 'taken' }];
    await createWorkflow(me, 'holder', { external_ids });
    const refused = await me.post(SAVE, { name: 'second holder', ...graphOf(), external_ids }, 409);
    expect(refused).toEqual({ success: false, message: expect.stringContaining('crm/taken') });
    await me.get(workflowPath('second holder'), 404);
    // External ids that it already has are no conflict, and new ones are added.
    const more = [...external_ids, { source: 'crm', external_id: 'more' }];
    expect((await saveWorkflow(me, { workflow_name: 'holder', external_ids: more })).external_ids).toEqual(more);
    const other = await createWorkflow(me, 'other holder');
    await me.post(SAVE, { ...graphOf(), workflow_id: other, external_ids }, 409);
    expect((await readWorkflow(me, other)).version).toBe(1);
    const path = `${workflowPath(other)}/external-ids`;
    expect(await me.post(path, { source: 'erp', external_id: 'a/b' }, 201)).toMatchObject({ success: true });
    expect(await me.get(path)).toMatchObject({ external_ids: [{ source: 'erp', external_id: 'a/b' }] });
    await me.delete(`${path}/erp/a%2Fb`);
    expect((await readWorkflow(me, other)).external_ids).toEqual([]);
    await me.delete(managedWorkflow((await readWorkflow(me, 'holder')).workflow_id));
    await createWorkflow(me, 'heir', { external_ids });
  });
});

describe('the versions of a workflow', () => {
  it('are numbered from 1 without gaps, also when many are saved at once, and never change', async () => {
    const id = await createWorkflow(me, 'versioned');
    const before = await readWorkflow(me, id);
    const saved = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) =>
        saveWorkflow(me, { workflow_id: id, ...graphOf(countNode(`new ${index}`)) }),
      ),
      ...Array.from({ length: 4 }, (_, index) =>
        patchWorkflow(me, id, {
          nodes: { [`patch ${index}`]: { node_type: 'COUNT', configuration: { source: 'question', type: 'chars' } } },
        }),
      ),
    ]);
    const numbers = saved.map(({ version_number }) => version_number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { version_number, nodes } of saved) {
      expect((await readWorkflow(me, id, `?version=${version_number}`)).nodes).toMatchObject(nodes);
    }
    // Patches at once start from each other: none of them is lost unless a whole version came after it.
    for (const { base_version, version_number } of saved) {
      if (base_version !== null) expect(base_version).toBe(version_number - 1);
    }
    const { release_labels: _, workflow: __, ...first } = await readWorkflow(me, id, '?version=1');
    expect(first).toMatchObject({ ...first, nodes: before.nodes, workflow_version_id: before.workflow_version_id });
    expect((await readWorkflow(me, id)).version).toBe(9);
  });

  it('are saved by id, by name or by both, and a new name makes a new workflow', async () => {
    const id = await createWorkflow(me, 'addressed', { tags: ['kept'] });
    expect(await saveWorkflow(me, { workflow_id: id })).toMatchObject({ workflow_id: id, version_number: 2 });
    expect(await saveWorkflow(me, { workflow_name: 'addressed' })).toMatchObject({
      workflow_id: id,
      version_number: 3,
    });
    const both = await saveWorkflow(me, { workflow_id: id, workflow_name: 'addressed', tags: [] });
    expect(both).toMatchObject({ version_number: 4, base_version: null, release_labels: null });
    expect((await readWorkflow(me, id)).workflow.tags).toEqual(['kept']);
    await saveWorkflow(me, { workflow_id: id, tags: ['new'] });
    expect((await readWorkflow(me, id)).workflow.tags).toEqual(['new']);
  });

  it.each([
    [{}, 'workflow_unnamed', 400],
    [{ name: null, workflow_id: null }, 'workflow_unnamed', 400],
    [{ name: 'x', workflow_id: 1 }, 'workflow_named_twice', 400],
    [{ name: 'x', workflow_name: 'x' }, 'workflow_named_twice', 400],
    [{ workflow_id: 999_999 }, 'workflow_not_found', 404],
    [{ workflow_name: 'nobody' }, 'workflow_not_found', 404],
    [{ name: 'lost', folder_id: 999_999 }, 'folder_not_found', 404],
  ])('are not saved with %j', async (body, error, status) => {
    expect(await me.post(SAVE, { ...graphOf(), ...body }, status)).toMatchObject({ success: false, error });
  });

  it('are not saved when the id and the name mean two', async () => {
    const id = await createWorkflow(me, 'one of two');
    await createWorkflow(me, 'two of two');
    const body = { ...graphOf(), workflow_id: id, workflow_name: 'two of two' };
    expect(await me.post(SAVE, body, 400)).toMatchObject({ error: 'workflow_identifiers_differ' });
  });

  it('are not saved twice for one Idempotency-Key', async () => {
    const id = await createWorkflow(me, 'retried');
    const client = me.with({ 'idempotency-key': 'workflow-version-retry' });
    const first = await saveWorkflow(client, { workflow_id: id });
    expect(await saveWorkflow(client, { workflow_id: id })).toEqual(first);
    expect((await readWorkflow(me, id)).version).toBe(2);
  });

  it('are listed, the newest first', async () => {
    const id = await createWorkflow(me, 'listed versions', { commit_message: 'One' });
    await saveWorkflow(me, { workflow_id: id, release_labels: ['b', 'a'] });
    await saveWorkflow(me, { workflow_id: id });
    expect(await me.get(`${managedWorkflow(id)}/versions`)).toMatchObject({
      total: 3,
      items: [
        { version_number: 3, release_labels: [], created_by: 1 },
        { version_number: 2, release_labels: ['a', 'b'] },
        { version_number: 1, commit_message: 'One' },
      ],
    });
    expect(await me.get(`${managedWorkflow(id)}/versions?page=2&per_page=2`)).toMatchObject({
      total: 3,
      pages: 2,
      items: [{ version_number: 1 }],
    });
    await me.get(`${managedWorkflow(999_999)}/versions`, 404);
  });
});

describe('another workspace', () => {
  it('has other workflows, whose names are free', async () => {
    const stranger = await app.stranger();
    const id = await createWorkflow(me, 'mine and yours', { release_labels: ['prod'] });
    await createWorkflow(stranger, 'mine and yours');
    expect((await stranger.get(WORKFLOWS)) as object).toMatchObject({ total: 1, items: [{ name: 'mine and yours' }] });
    for (const path of [workflowPath(id), `${workflowPath(id)}/labels`, `${workflowPath(id)}/external-ids`]) {
      await stranger.get(path, 404);
    }
    await stranger.post(SAVE, { ...graphOf(), workflow_id: id }, 404);
    await stranger.patch(patchPath(id), {}, 404);
    await stranger.delete(managedWorkflow(id), 404);
  });
});

describe('what a key may do with workflows', () => {
  const ROLES: [role: string, edit: boolean, deploy: boolean][] = [
    ['member', true, true],
    ['contributor', true, false],
    ['publisher', false, true],
    ['viewer', false, false],
  ];
  it.each(ROLES)('depends on its role: %s', async (role, edit, deploy) => {
    const client = await clientOf(app, 1, { role });
    const status = (allowed: boolean, success: number) => (allowed ? success : 403);
    const id = await createWorkflow(me, `for ${role}`);
    await client.get(workflowPath(id));
    await client.get(`${workflowPath(id)}/labels`);
    const labelled = { release_labels: ['prod'] };
    await client.post(SAVE, { ...graphOf(), name: `of ${role}` }, status(edit, 201));
    await client.post(SAVE, { ...graphOf(), name: `labelled of ${role}`, ...labelled }, status(edit && deploy, 201));
    await client.post(SAVE, { ...graphOf(), workflow_id: id }, status(edit, 201));
    await client.post(SAVE, { ...graphOf(), workflow_id: id, ...labelled }, status(edit && deploy, 201));
    await client.post(SAVE, { nodes: [], workflow_id: id }, status(edit, 400));
    await client.patch(patchPath(id), {}, status(edit, 201));
    await client.patch(patchPath(id), labelled, status(edit && deploy, 201));
    await client.patch(managedWorkflow(id), { tags: ['x'] }, status(edit, 200));
    await client.put(`${managedWorkflow(id)}/labels/prod`, { version_number: 1 }, status(deploy, 200));
    if (!deploy) await me.put(`${managedWorkflow(id)}/labels/prod`, { version_number: 1 });
    await client.delete(`${managedWorkflow(id)}/labels/prod`, status(deploy, 200));
    await client.delete(managedWorkflow(id), status(edit, 200));
  });
});
