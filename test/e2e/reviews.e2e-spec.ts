import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, settled, type TestSheet, versionOf } from '../support/factories.js';
import { logCall, send, span, traceId } from '../support/otlp.js';
import { joinTogether } from '../support/people.js';
import { clientOf } from '../support/prompts.js';
import {
  answerAll,
  type Answered,
  answerItem,
  listItems,
  newQueue,
  nextItem,
  QUEUES,
  readAgreement,
  readItem,
  readQueue,
} from '../support/reviews.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';

let app: TestApp;
let me: Client;
let workspace: number;
let ann: Client;
let bob: Client;
let viewer: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  const joined = await joinTogether(app, me, [['contributor'], ['contributor'], ['viewer']]);
  workspace = joined.workspace;
  [ann, bob, viewer] = joined.browsers as [Client, Client, Client];
});
afterAll(() => app.stop());

const ALL = { filter_group: { filters: [] } };
const rowQueue = (sheet: TestSheet, body: object = {}, items: object | undefined = ALL) =>
  newQueue(me, { subject: 'row', sheet_id: sheet.id, ...body }, items);

const human = (sheet: TestSheet, type: 'number' | 'string', more: object = {}) =>
  addColumn(me, sheet, {
    title: 'People',
    type: 'HUMAN',
    config: { data_type: type, ui_element: { type: type === 'number' ? 'number' : 'text', ...more } },
  });

describe('leases', () => {
  it('never give an item to two reviewers, however many ask at once', async () => {
    const sheet = await newSheet(
      me,
      Array.from({ length: 30 }, (_, row) => `text ${row}`),
    );
    const queue = await rowQueue(sheet);
    const reviewers = await Promise.all(
      Array.from({ length: 8 }, () => clientOf(app, workspace, { roles: ['contributor'] })),
    );
    const seen = await Promise.all(reviewers.map((reviewer) => answerAll(reviewer, queue, () => true)));
    const all = seen.flat();
    expect(all).toHaveLength(30);
    expect(new Set(all).size).toBe(30);
    expect(await readQueue(me, queue)).toMatchObject({ counts: { items: 30, finished: 30, leased: 0 } });
  });

  it('stay with their reviewer until they expire, whichever key of the person is used', async () => {
    const queue = await rowQueue(await newSheet(me, ['one', 'two']));
    const first = (await nextItem(ann, queue))!;
    const own = (await ann.post('/api/public/v2/me/api-keys', { name: 'own' }, 201)) as { secret: string };
    expect((await nextItem(app.clientWith(own.secret), queue))!.id).toBe(first.id);
    const second = (await nextItem(bob, queue))!;
    expect(second.id).not.toBe(first.id);
    expect(await nextItem(me, queue)).toBeNull();
    await app.sql('UPDATE review_items SET leased_until = now() WHERE id = $1', [first.id]);
    expect((await nextItem(me, queue))!.id).toBe(first.id);
    const late = await ann.request('POST', `${QUEUES}/${queue}/items/${first.id}/answer`, { answer: true });
    expect([late.status, late.body]).toEqual([409, expect.objectContaining({ error: 'review_item_leased' })]);
    await app.sql('UPDATE review_items SET leased_until = now() WHERE id = $1', [first.id]);
    await answerItem(ann, queue, first.id, true);
    const tooLate = await me.request('POST', `${QUEUES}/${queue}/items/${first.id}/answer`, { answer: true });
    expect([tooLate.status, tooLate.body]).toEqual([409, expect.objectContaining({ error: 'review_item_finished' })]);
  });

  it('end with a skip, after which the item comes last', async () => {
    const queue = await rowQueue(await newSheet(me, ['one', 'two']));
    const skip = async (id: string) => me.post(`${QUEUES}/${queue}/items/${id}/skip`);
    const [first, second] = await listItems(me, queue);
    expect((await nextItem(me, queue))!.id).toBe(first!.id);
    await skip(first!.id);
    expect((await nextItem(ann, queue))!.id).toBe(first!.id);
    await ann.post(`${QUEUES}/${queue}/items/${first!.id}/skip`);
    expect((await nextItem(me, queue))!.id).toBe(second!.id);
    await skip(second!.id);
    expect((await nextItem(me, queue))!.id).toBe(first!.id);
    expect(await readQueue(me, queue)).toMatchObject({ answered_by_you: 0, left_for_you: 2, counts: { begun: 0 } });
  });
});

describe('answers', () => {
  it('by others are hidden until the own one, also from administrators and in lists', async () => {
    const queue = await rowQueue(await newSheet(me, ['one']), { reviewers_per_item: 2 });
    const { id } = (await nextItem(ann, queue))!;
    expect((await answerItem(ann, queue, id, true, 'polite')).item.answers).toHaveLength(1);
    for (const client of [bob, me, viewer]) {
      expect(await readItem(client, queue, id)).toMatchObject({ state: 'open', answers: null, judge: null });
      expect((await listItems(client, queue))[0]).toMatchObject({ answers: null });
    }
    expect(await nextItem(bob, queue)).toMatchObject({ id, answers: null });
    expect(await nextItem(ann, queue)).toBeNull();
    const { item } = await answerItem(bob, queue, id, false);
    expect(item).toMatchObject({ state: 'disagreement', result: null });
    expect(item.answers).toMatchObject([
      { answer: true, is_yours: false, comment: 'polite', revised: false },
      { answer: false, is_yours: true, revised: false },
    ]);
    expect((await readItem(viewer, queue, id)).answers).toHaveLength(2);
  });

  it('can be replaced and withdrawn, and say that others could be seen', async () => {
    const sheet = await newSheet(me, ['one']);
    const column = await human(sheet, 'number');
    const queue = await rowQueue(sheet, { reviewers_per_item: 2, human_column_id: column.id });
    const { id } = (await nextItem(ann, queue))!;
    await answerItem(ann, queue, id, false);
    expect((await answerItem(ann, queue, id, true)).item.answers).toMatchObject([{ answer: true, revised: false }]);
    await answerItem(bob, queue, id, false);
    const changed = await answerItem(bob, queue, id, true);
    expect(changed.item).toMatchObject({ state: 'finished', result: true });
    expect(changed.item.answers!.map(({ revised }) => revised)).toEqual([false, true]);
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toBe(1);
    const version = await versionOf(me, sheet);
    await answerItem(bob, queue, id, true);
    expect(await versionOf(me, sheet)).toBe(version);
    const withdrawn = (await bob.delete(`${QUEUES}/${queue}/items/${id}/answer`)) as Answered;
    expect(withdrawn.item).toMatchObject({ state: 'open', result: null, answers: null });
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toBeNull();
    await bob.delete(`${QUEUES}/${queue}/items/${id}/answer`, 404);
  });

  it('are marked when they follow one that was withdrawn after others could be seen', async () => {
    const queue = await rowQueue(await newSheet(me, ['one']), { reviewers_per_item: 2 });
    const { id } = (await nextItem(ann, queue))!;
    const withdraw = (client: Client) => client.delete(`${QUEUES}/${queue}/items/${id}/answer`);
    const marks = ({ item }: Answered) => item.answers!.map(({ revised, is_yours: own }) => [own, revised]);
    await answerItem(ann, queue, id, true);
    await withdraw(ann);
    await answerItem(ann, queue, id, true);
    expect(marks(await answerItem(bob, queue, id, false))).toEqual([
      [false, false],
      [true, false],
    ]);
    await withdraw(bob);
    await bob.post(`${QUEUES}/${queue}/items/${id}/skip`);
    expect(await nextItem(bob, queue)).toMatchObject({ id, answers: null });
    expect(marks(await answerItem(ann, queue, id, true, 'only a comment'))).toEqual([[true, false]]);
    expect(marks(await answerItem(bob, queue, id, true))).toContainEqual([true, true]);
    expect((await readAgreement(me, queue)).reviewers).toMatchObject([{ item_count: 1, revised_count: 1 }]);
    await withdraw(ann);
    await withdraw(bob);
    expect(await readItem(me, queue, id)).toMatchObject({ state: 'open', answers: null });
    expect(marks(await answerItem(me, queue, id, true))).toEqual([[true, true]]);
  });

  it('are not marked when nobody else or nothing could be seen before the withdrawal', async () => {
    const withdraw = (client: Client, queue: string, id: string) =>
      client.delete(`${QUEUES}/${queue}/items/${id}/answer`);
    const single = await rowQueue(await newSheet(me, ['one']));
    const [one] = await listItems(me, single);
    await answerItem(ann, single, one!.id, true);
    await withdraw(ann, single, one!.id);
    expect((await answerItem(ann, single, one!.id, false)).item.answers).toMatchObject([{ revised: false }]);
    await withdraw(ann, single, one!.id);
    expect((await answerItem(bob, single, one!.id, false)).item.answers).toMatchObject([{ revised: true }]);

    const triple = await rowQueue(await newSheet(me, ['one']), { reviewers_per_item: 3 });
    const [item] = await listItems(me, triple);
    await answerItem(bob, triple, item!.id, true);
    await answerItem(ann, triple, item!.id, true);
    await withdraw(ann, triple, item!.id);
    const blind = (await answerItem(me, triple, item!.id, false)).item.answers!;
    expect(blind.map(({ revised }) => revised)).toEqual([false, false]);
  });

  it('that disagree are decided by somebody, once and for all reviewers', async () => {
    const sheet = await newSheet(me, ['one', 'two']);
    const column = await human(sheet, 'string');
    const rubric = { kind: 'categories', labels: ['good', 'too long', 'wrong'] };
    const queue = await rowQueue(sheet, { rubric, reviewers_per_item: 2, human_column_id: column.id });
    const items = await listItems(me, queue);
    const [first, second] = [items[0]!, items[1]!];
    for (const [client, answer] of [
      [ann, 'good'],
      [bob, 'wrong'],
    ] as const) {
      await answerItem(client, queue, first.id, answer);
      await answerItem(client, queue, second.id, 'too long');
    }
    const decide = (id: string, answer: unknown) =>
      me.request('POST', `${QUEUES}/${queue}/items/${id}/decide`, { answer });
    expect((await decide(second.id, 'good')).body).toMatchObject({ error: 'review_item_undecidable' });
    expect((await decide(first.id, 'bad')).body).toMatchObject({ error: 'review_answer_unfit' });
    expect((await decide(first.id, 'wrong')).body).toMatchObject({ item: { state: 'finished', result: 'wrong' } });
    expect((await cellsOf(me, sheet, column.id)).map(({ value }) => value)).toEqual(['wrong', 'too long']);
    const change = await ann.request('POST', `${QUEUES}/${queue}/items/${first.id}/answer`, { answer: 'wrong' });
    expect(change.body).toMatchObject({ error: 'review_item_decided' });
    expect(await listItems(me, queue, '&differs=reviewers')).toMatchObject([{ id: first.id }]);
    expect(await listItems(me, queue, '&state=disagreement')).toEqual([]);
  });

  it('on a scale give their mean when they lie one apart', async () => {
    const sheet = await newSheet(me, ['one', 'two']);
    const column = await human(sheet, 'number', { min: 1, max: 5 });
    const queue = await rowQueue(sheet, {
      rubric: { kind: 'scale', min: 1, max: 5 },
      reviewers_per_item: 2,
      human_column_id: column.id,
    });
    await answerAll(ann, queue, (row) => (row === '0' ? 4 : 1));
    await answerAll(bob, queue, (row) => (row === '0' ? 5 : 3));
    expect(await listItems(me, queue)).toMatchObject([
      { state: 'finished', result: 4.5 },
      { state: 'disagreement', result: null },
    ]);
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toBe(4.5);
  });

  it('are stored even if the column of the results has been changed meanwhile', async () => {
    const sheet = await newSheet(me, ['one']);
    const column = await human(sheet, 'number');
    const queue = await rowQueue(sheet, { human_column_id: column.id });
    await me.delete(`${sheet.path}/columns/${column.id}`);
    const answered = await answerItem(me, queue, (await nextItem(me, queue))!.id, true);
    expect(answered.item).toMatchObject({ state: 'finished', result: true });
    expect(answered.result_problem).toContain('column');
  });
});

describe('requests and traces', () => {
  it('are added by search or id once, get a score, and are gone when they are deleted', async () => {
    const logs = [await logCall(me), await logCall(me)];
    const search = {
      filter_group: { logic: 'OR', filters: logs.map((value) => ({ field: 'pl_id', operator: 'is', value })) },
    };
    const queue = await newQueue(me, {
      subject: 'request',
      score_name: 'people',
      rubric: { kind: 'scale', min: 1, max: 5 },
    });
    const add = (body: object) => me.post(`${QUEUES}/${queue}/items`, body);
    expect(await add({ request_log_ids: [logs[0], logs[0], 999_999_999] })).toMatchObject({ added_count: 1 });
    expect(await add(search)).toMatchObject({ added_count: 1, known_count: 1 });
    await answerAll(me, queue, () => 4);
    expect((await readLog(me, logs[0]!)).scores).toMatchObject([{ name: 'people', score: 75 }]);
    const [first] = await listItems(me, queue);
    await me.delete(`${QUEUES}/${queue}/items/${first!.id}/answer`);
    expect((await readLog(me, logs[0]!)).scores).toEqual([]);
    await app.sql('DELETE FROM request_scores WHERE log_id = ANY($1)', [logs]);
    await app.sql('DELETE FROM request_logs WHERE id = $1', [logs[1]]);
    expect((await listItems(me, queue)).map((item) => item.is_gone)).toEqual([false, true]);
  });

  it('that are gone are given to nobody and show no comments', async () => {
    const traces = [traceId(), traceId()];
    for (const id of traces) await send(me, [span({ traceId: id })]);
    const queue = await newQueue(
      me,
      { subject: 'trace', reviewers_per_item: 2 },
      { trace_ids: [...traces, 'nowhere'] },
    );
    expect((await listItems(me, queue)).map((item) => item.subject_id)).toEqual(traces);
    const [first, second] = await listItems(me, queue);
    await answerItem(me, queue, first!.id, true, 'it says: secret');
    await app.sql('UPDATE traces SET span_count = 0 WHERE trace_id = $1', [traces[0]]);
    expect(await readItem(me, queue, first!.id)).toMatchObject({ is_gone: true, answers: [{ comment: null }] });
    expect(await answerAll(ann, queue, () => true)).toEqual([traces[1]]);
    const late = await ann.request('POST', `${QUEUES}/${queue}/items/${first!.id}/answer`, { answer: true });
    expect(late.body).toMatchObject({ error: 'review_item_gone' });
    expect(second!.is_gone).toBe(false);
  });
});

describe('agreement', () => {
  it('compares reviewers with each other and every version of the judge with the results', async () => {
    const texts = ['good day', 'good morning', 'fine day', 'fine evening', 'bad day', 'bad luck'];
    const sheet = await newSheet(me, texts);
    const judge = (value: string) => ({ source: 'Column A', value });
    const column = await addColumn(me, sheet, { title: 'Judge', type: 'CONTAINS', config: judge('good') });
    await settled(me, sheet);
    const queue = await rowQueue(sheet, { reviewers_per_item: 2, judge_column_id: column.id });
    const isGood = (row: string) => !texts[Number(row)]!.includes('bad');
    expect((await nextItem(ann, queue))!.judge).toBeNull();
    await answerAll(ann, queue, isGood);
    expect((await readItem(ann, queue, (await listItems(ann, queue))[0]!.id)).judge).toBe('true');
    expect((await readAgreement(bob, queue)).reviewers).toEqual([]);
    await answerAll(bob, queue, (row) => row !== '5' && (isGood(row) || row === '4'));
    await me.patch(`${sheet.path}/columns/${column.id}`, { config: judge('day') });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    const { weights, reviewers, judge_versions: versions } = await readAgreement(viewer, queue);
    expect(weights).toBe('none');
    expect(reviewers).toMatchObject([{ item_count: 6, agreement: 5 / 6, kappa_reason: null, revised_count: 0 }]);
    // 4 yes by both, 1 no by both: expected agreement 22/36.
    expect(reviewers[0]!.kappa).toBeCloseTo((30 / 36 - 22 / 36) / (14 / 36), 10);
    expect(versions).toMatchObject([
      { judge_version: 1, item_count: 5, agreement: 3 / 5, unreadable_count: 0 },
      { judge_version: 2, item_count: 5, agreement: 3 / 5 },
    ]);
    expect(await listItems(me, queue, '&differs=judge')).toMatchObject([{ subject_id: '1' }, { subject_id: '3' }]);
  });

  it('adds rows where judges disagree', async () => {
    const sheet = await newSheet(me, ['good day', 'good night', 'fine day', 'bad']);
    const columns = [];
    for (const value of ['good', 'day']) {
      columns.push(
        await addColumn(me, sheet, { title: value, type: 'CONTAINS', config: { source: 'Column A', value } }),
      );
    }
    await settled(me, sheet);
    const queue = await rowQueue(sheet, {}, { disagreeing_column_ids: columns.map(({ id }) => id) });
    expect((await listItems(me, queue)).map((item) => item.subject_id)).toEqual(['1', '2']);
  });

  it('gives examples of every answer for a judge', async () => {
    const sheet = await newSheet(me, ['one {x}', 'two', 'three', 'four']);
    const queue = await rowQueue(sheet);
    await answerAll(me, queue, (row) => row !== '3');
    const { examples, prompt } = (await me.get(`${QUEUES}/${queue}/few-shot?example_count=2`)) as {
      examples: { text: string; answer: unknown }[];
      prompt: string;
    };
    expect(examples.map(({ text, answer }) => [text, answer])).toEqual([
      ['one {x}', true],
      ['four', false],
    ]);
    expect(prompt).toContain('"one {{x}}"');
    await addColumn(me, sheet, { title: 'Few-shot', type: 'LLM_ASSERTION', config: { source: 'Column A', prompt } });
    const traces = await newQueue(me, { subject: 'trace' });
    await me.get(`${QUEUES}/${traces}/few-shot`, 400);
  });
});

describe('a queue', () => {
  it('changes its rubric only while nothing is answered, and gives nothing when it is closed', async () => {
    const queue = await rowQueue(await newSheet(me, ['one']));
    const patch = (body: object) => me.request('PATCH', `${QUEUES}/${queue}`, body);
    expect((await patch({ rubric: { kind: 'scale', min: 0, max: 4 } })).status).toBe(200);
    const { id } = (await nextItem(me, queue))!;
    await answerItem(me, queue, id, 4);
    await me.delete(`${QUEUES}/${queue}/items/${id}/answer`);
    expect((await patch({ rubric: { kind: 'scale', min: 0, max: 3 } })).status).toBe(200);
    await answerItem(me, queue, id, 3);
    expect((await patch({ rubric: { kind: 'thumbs' } })).body).toMatchObject({ error: 'review_rubric_fixed' });
    expect((await patch({ state: 'closed', name: 'Done' })).status).toBe(200);
    for (const path of ['next', 'items', `items/${id}/answer`]) {
      const answer = await me.request(
        'POST',
        `${QUEUES}/${queue}/${path}`,
        path === 'next' ? undefined : path === 'items' ? ALL : { answer: 3 },
      );
      expect([path, answer.body]).toEqual([path, expect.objectContaining({ error: 'review_queue_closed' })]);
    }
  });

  it('is for people who may edit tables, of its own workspace', async () => {
    const queue = await rowQueue(await newSheet(me, ['one']));
    const [item] = await listItems(viewer, queue);
    for (const [path, body] of [['next'], [`items/${item!.id}/answer`, { answer: true }], ['items', ALL]] as const) {
      expect((await viewer.request('POST', `${QUEUES}/${queue}/${path}`, body)).status).toBe(403);
    }
    const stranger = await app.stranger();
    const sheet = await newSheet(stranger, ['one']);
    const foreign = await newQueue(stranger, { subject: 'row', sheet_id: sheet.id }, ALL);
    const [other] = await listItems(stranger, foreign);
    for (const [id, of] of [
      [foreign, other!.id],
      [queue, other!.id],
      [foreign, item!.id],
    ]) {
      const url = `${QUEUES}/${id}/items/${of}/answer`;
      expect((await me.request('POST', url, { answer: true })).status).toBe(404);
    }
    const borrowed = { name: 'x', subject: 'row', sheet_id: sheet.id, rubric: { kind: 'thumbs' } };
    expect((await me.request('POST', QUEUES, borrowed)).body).toMatchObject({ error: 'review_sheet_not_found' });
  });

  it('outlives its sheet, whose items are gone then, and is deleted with its answers', async () => {
    const sheet = await newSheet(me, ['one']);
    const queue = await rowQueue(sheet);
    await answerItem(me, queue, (await nextItem(me, queue))!.id, true);
    await me.delete(`/api/public/v2/tables/${sheet.tableId}`);
    expect(await readQueue(me, queue)).toMatchObject({ table_id: null, left_for_you: 0, counts: { items: 1 } });
    expect(await listItems(me, queue)).toMatchObject([{ is_gone: true }]);
    await me.delete(`${QUEUES}/${queue}`);
    await me.get(`${QUEUES}/${queue}`, 404);
    expect(await app.sql('SELECT FROM review_answers WHERE queue_id = $1', [queue])).toEqual([]);
  });
});
