import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import {
  countNode,
  createWorkflow,
  graphOf,
  managedWorkflow,
  patchWorkflow,
  readWorkflow,
  saveWorkflow,
  workflowPath,
} from '../support/workflows.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

describe('the labels of a workflow', () => {
  const label = (id: number, name: string, version: number, status = 200) =>
    me.put(`${managedWorkflow(id)}/labels/${encodeURIComponent(name)}`, { version_number: version }, status);

  it('name one version each, and move', async () => {
    const id = await createWorkflow(me, 'labelled', { release_labels: ['prod'] });
    const second = await saveWorkflow(me, { workflow_id: id, release_labels: ['staging'] });
    expect((await readWorkflow(me, id, '?label=prod')).version).toBe(1);
    expect((await readWorkflow(me, id, '?label=staging')).version).toBe(2);
    expect(await me.get(`${workflowPath('labelled')}/labels`)).toEqual({
      success: true,
      release_labels: [
        expect.objectContaining({ release_label: 'prod', workflow_version_number: 1 }),
        {
          release_label: 'staging',
          release_label_id: expect.any(Number),
          workflow_version_id: second.workflow_version_id,
          workflow_version_number: 2,
        },
      ],
    });
    await saveWorkflow(me, { workflow_id: id, release_labels: ['prod'] });
    expect(await readWorkflow(me, id)).toMatchObject({ version: 3, release_labels: ['prod'] });
    expect((await readWorkflow(me, id, '?version=1')).release_labels).toEqual([]);
    await patchWorkflow(me, id, { base_label: 'staging', release_labels: ['prod', 'new'] });
    expect((await readWorkflow(me, id, '?label=new')).release_labels).toEqual(['new', 'prod']);
    expect(await label(id, 'prod', 1)).toMatchObject({ label: { release_label: 'prod', workflow_version_number: 1 } });
    expect((await readWorkflow(me, id, '?label=prod')).version).toBe(1);
    expect(await me.delete(`${managedWorkflow(id)}/labels/prod`)).toEqual({ success: true });
    await me.delete(`${managedWorkflow(id)}/labels/prod`, 404);
    await label(id, 'prod', 9, 404);
  });

  it('are not found, or contradict a number', async () => {
    const id = await createWorkflow(me, 'asked', { release_labels: ['prod', 'caf\u00e9'] });
    const asked = (query: string, status: number) => me.get(workflowPath(id) + query, status);
    expect(await asked('?label=nowhere', 404)).toMatchObject({ error: 'workflow_label_not_found' });
    expect(await asked('?version=2', 404)).toMatchObject({ error: 'workflow_version_not_found' });
    expect(await asked('?version=1&label=prod', 400)).toMatchObject({ error: 'workflow_version_ambiguous' });
    expect(await asked('?version=9&label=nowhere', 400)).toMatchObject({ error: 'workflow_version_ambiguous' });
    await asked('?version=0', 422);
    await asked('?version=one', 422);
    expect(await asked('?version=1&label=', 200)).toMatchObject({ version: 1 });
    expect(await asked(`?label=${encodeURIComponent('cafe\u0301')}`, 200)).toMatchObject({ version: 1 });
  });

  it('show one version as a whole while they move', async () => {
    const id = await createWorkflow(me, 'moving', { release_labels: ['prod'] });
    await saveWorkflow(me, { workflow_id: id, ...graphOf(countNode('Second')) });
    const moves = Array.from({ length: 12 }, (_, index) => label(id, 'prod', (index % 2) + 1));
    const reads = Array.from({ length: 24 }, () => readWorkflow(me, id, '?label=prod'));
    await Promise.all(moves);
    for (const { version, nodes, release_labels } of await Promise.all(reads)) {
      expect([nodes[0]!.name, release_labels]).toEqual([version === 1 ? 'Length' : 'Second', ['prod']]);
    }
  });

  it('end on one version when several versions want them at once', async () => {
    const id = await createWorkflow(me, 'contended');
    const saved = await Promise.all(
      Array.from({ length: 6 }, () => saveWorkflow(me, { workflow_id: id, release_labels: ['b', 'a'] })),
    );
    const last = Math.max(...saved.map(({ version_number }) => version_number));
    expect(last).toBe(7);
    expect(await readWorkflow(me, id, '?label=a')).toMatchObject({ version: last, release_labels: ['a', 'b'] });
  });
});
