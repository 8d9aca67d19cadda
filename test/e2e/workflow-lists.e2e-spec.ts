import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import { createWorkflow, managedWorkflow, saveWorkflow, WORKFLOWS } from '../support/workflows.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

interface Listed {
  id: number;
  name: string;
  user_id: number | null;
  is_deleted: boolean;
  latest_version_number: number;
  release_labels: string[];
  external_ids: object[];
}
const list = async (query = '') =>
  (await me.get(WORKFLOWS + query)) as { items: Listed[]; total: number; pages: number; has_next: boolean };

describe('the list of workflows', () => {
  it('is paged, the newest first, and can be sorted and filtered', async () => {
    const stranger = await app.stranger();
    const ids: number[] = [];
    for (const name of ['list b', 'list a', 'LIST c']) {
      const external_ids = [{ source: 'list', external_id: name }];
      ids.push(await createWorkflow(stranger, name, { external_ids, tags: ['all', name, `${name},x`] }));
    }
    await saveWorkflow(stranger, { workflow_id: ids[0], release_labels: ['z', 'a'] });
    const listed = async (query: string) =>
      ((await stranger.get(WORKFLOWS + query)) as { items: Listed[] }).items.map(({ id }) => ids.indexOf(id));
    expect(await listed('')).toEqual([2, 1, 0]);
    expect(await listed('?sort_by=updated_at')).toEqual([0, 2, 1]);
    expect(await listed('?sort_by=id&sort_order=asc')).toEqual([0, 1, 2]);
    expect(await listed('?name=list%20C')).toEqual([2]);
    expect(await listed('?tags=all&tags=list%20a')).toEqual([1]);
    expect(await listed('?tags=all,list%20a')).toEqual([1]);
    expect(await listed('?tags=list%20b,x')).toEqual([0]);
    expect(await listed('?tags=all,x')).toEqual([]);
    expect(await listed(`?external_source=list&external_id=${encodeURIComponent('list a')}`)).toEqual([1]);
    expect(await listed('?created_after=2999-01-01')).toEqual([]);
    expect(await listed('?created_by_email=nobody@example.com')).toEqual([]);
    expect(await stranger.get(`${WORKFLOWS}?per_page=1&page=3`)).toMatchObject({
      items: [
        {
          id: ids[0],
          name: 'list b',
          is_deleted: false,
          latest_version_number: 2,
          release_labels: ['a', 'z'],
          external_ids: [{ source: 'list', external_id: 'list b' }],
        },
      ],
      page: 3,
      per_page: 1,
      pages: 3,
      total: 3,
      has_next: false,
      has_prev: true,
      next_num: null,
      prev_num: 2,
    });
    expect(await stranger.get(`${WORKFLOWS}?page=99`)).toMatchObject({ items: [], total: 3 });
  });

  it('shows deleted ones on request only', async () => {
    const id = await createWorkflow(me, 'soon deleted');
    const kept = await createWorkflow(me, 'soon not deleted');
    await me.delete(managedWorkflow(id));
    const found = async (status: string) =>
      (await list(`?name=soon&per_page=100${status}`)).items.map((item) => [item.id, item.is_deleted]);
    expect(await found('')).toEqual([[kept, false]]);
    expect(await found('&status=deleted')).toEqual([[id, true]]);
    expect(await found('&status=all')).toEqual([
      [kept, false],
      [id, true],
    ]);
  });

  it.each(['?page=0', '?per_page=101', '?per_page=x', '?sort_by=size', '?external_source=list', '?status=gone'])(
    'is refused with %s',
    async (query) => {
      await me.get(WORKFLOWS + query, 422);
    },
  );
});
