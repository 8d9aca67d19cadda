import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet } from '../support/factories.js';
import { listItems, newQueue, QUEUES } from '../support/reviews.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

/** A queue of the only row of a new sheet. */
const rowQueue = async (body: object, items?: object) =>
  newQueue(me, { subject: 'row', sheet_id: (await newSheet(me, ['one'])).id, ...body }, items);

describe('a review queue', () => {
  it.each([
    [422, { rubric: null }],
    [422, { rubric: { kind: 'stars' } }],
    [422, { rubric: { kind: 'scale', min: 1, max: 10 } }],
    [422, { rubric: { kind: 'scale', min: 5, max: 1 } }],
    [422, { rubric: { kind: 'scale', min: 1.5, max: 3 } }],
    [422, { rubric: { kind: 'categories', labels: ['a', 'A '] } }],
    [422, { rubric: { kind: 'categories', labels: ['a'] } }],
    [422, { rubric: { kind: 'thumbs', labels: ['a', 'b'] } }],
    [422, { name: '' }],
    [422, { name: 'x'.repeat(256) }],
    [422, { subject: 'span' }],
    [422, { reviewers_per_item: 4 }],
    [422, { sheet_id: 'here' }],
    [400, {}],
    [400, { subject: 'trace', score_name: 'people' }],
    [400, { subject: 'request', score_name: 'x', rubric: { kind: 'categories', labels: ['a', 'b'] } }],
    [400, { subject: 'request', judge_column_id: '0198c0de-0000-7000-8000-000000000000' }],
    [404, { sheet_id: '0198c0de-0000-7000-8000-000000000000' }],
    [201, { subject: 'trace', name: 'a\u0000b\ud800' }],
  ])('is answered with %i for %j', async (status, body) => {
    const given = { name: 'Tone', subject: 'row', rubric: { kind: 'thumbs' }, ...body };
    const answer = await me.request('POST', QUEUES, given);
    expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  });

  it.each([
    [400, {}],
    [400, { row_indices: [0], filter_group: { filters: [] } }],
    [400, { trace_ids: ['a'] }],
    [400, { q: 'words' }],
    [422, { row_indices: [-1] }],
    [422, { row_indices: [1e12] }],
    [422, { row_indices: 'all' }],
    [422, { disagreeing_column_ids: ['0198c0de-0000-7000-8000-000000000000'] }],
    [422, { filter_group: { filters: [{ field: 'nothing', operator: 'is', value: 1 }] } }],
    [200, { row_indices: [] }],
  ])('answers %i to the items %j', async (status, body) => {
    const queue = await rowQueue({});
    const answer = await me.request('POST', `${QUEUES}/${queue}/items`, body);
    expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  });

  it.each([
    [400, 5],
    [400, true],
    [400, 1e300],
    [422, null],
    [422, {}],
    [422, ['a']],
    [400, 'a\u0000'],
  ])('answers %i to the answer %j', async (status, answer) => {
    const rubric = { kind: 'scale', min: 1, max: 3 };
    const queue = await rowQueue({ rubric }, { row_indices: [0] });
    const [item] = await listItems(me, queue);
    const given = await me.request('POST', `${QUEUES}/${queue}/items/${item!.id}/answer`, { answer });
    expect([given.status, given.body]).toEqual([status, expect.anything()]);
  });
});
