import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, settled, type TestSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { joinTogether } from '../support/people.js';
import { clientOf } from '../support/prompts.js';
import {
  answerAll,
  answerItem,
  answerQuestions,
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
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  const joined = await joinTogether(app, me, [['contributor'], ['contributor']]);
  workspace = joined.workspace;
  [ann, bob] = joined.browsers as [Client, Client];
});
afterAll(() => app.stop());

const ALL = { filter_group: { filters: [] } };
const TONE = { name: 'Tone', rubric: { kind: 'scale', min: 1, max: 5 } };
const RIGHT = { name: 'Right?', rubric: { kind: 'thumbs' } };
const TOPIC = { name: 'Topic', rubric: { kind: 'categories', labels: ['billing', 'travel'] }, required: false };
const THREE = [TONE, RIGHT, TOPIC];

const create = (body: object) => me.request('POST', QUEUES, { name: 'Many', subject: 'trace', ...body });
const rowQueue = (sheet: TestSheet, questions: object[], body: object = {}) =>
  newQueue(me, { subject: 'row', sheet_id: sheet.id, rubric: undefined, questions, ...body }, ALL);
const human = (sheet: TestSheet, title: string, type: 'number' | 'string') =>
  addColumn(me, sheet, {
    title,
    type: 'HUMAN',
    config: { data_type: type, ui_element: { type: type === 'number' ? 'number' : 'text' } },
  });
const send = (client: Client, queue: string, item: string, body: object, verb = 'answer') =>
  client.request('POST', `${QUEUES}/${queue}/items/${item}/${verb}`, body);

describe('questions', () => {
  it('are listed with their defaults, also the one of a queue that names none', async () => {
    const { status, body } = await create({ questions: THREE });
    expect(status).toBe(201);
    const { review_queue: queue } = body as { review_queue: { id: string; rubric: object } };
    expect(queue).toMatchObject({
      rubric: TONE.rubric,
      score_name: null,
      questions: [
        { ...TONE, required: true, human_column_id: null, judge_column_id: null, score_name: null },
        { ...RIGHT, required: true },
        { ...TOPIC, required: false },
      ],
    });
    const single = await newQueue(me, { subject: 'trace' });
    expect(await readQueue(me, single)).toMatchObject({
      rubric: { kind: 'thumbs' },
      questions: [{ name: 'answer', rubric: { kind: 'thumbs' }, required: true }],
    });
  });

  const rubric = { kind: 'thumbs' };
  const named = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `q${at}`, rubric }));
  it.each<[string, object, number]>([
    ['none', { questions: [] }, 422],
    ['nine', { questions: named(9) }, 422],
    ['as many as a body holds', { questions: named(20_000) }, 422],
    ['no list', { questions: 'Tone' }, 422],
    ['null without a rubric', { questions: null }, 422],
    ['neither', {}, 422],
    ['a name twice', { questions: [RIGHT, { ...RIGHT, name: ' right? ' }] }, 422],
    ['a blank name', { questions: [{ name: ' ', rubric }] }, 422],
    ['a long name', { questions: [{ name: 'x'.repeat(101), rubric }] }, 422],
    ['the name of a prototype', { questions: [{ name: '__proto__', rubric }] }, 422],
    ['no rubric', { questions: [{ name: 'x' }] }, 422],
    ['an unknown kind', { questions: [{ name: 'x', rubric: { kind: 'text' } }] }, 422],
    ['an unknown key', { questions: [{ ...RIGHT, requird: true }] }, 422],
    ['a first one that is not required', { questions: [{ ...RIGHT, required: false }] }, 422],
    ['a column that is no id', { questions: [{ ...RIGHT, human_column_id: 'x' }] }, 422],
    ['both', { rubric, questions: [RIGHT] }, 400],
    ['a score of the queue', { subject: 'request', questions: [RIGHT], score_name: 'x' }, 400],
    ['columns without rows', { questions: [{ ...RIGHT, judge_column_id: crypto.randomUUID() }] }, 400],
    ['a score of traces', { questions: [{ ...RIGHT, score_name: 'x' }] }, 400],
    ['a score of categories', { subject: 'request', questions: [RIGHT, { ...TOPIC, score_name: 'x' }] }, 400],
    [
      'one score for two',
      { subject: 'request', questions: [RIGHT, TONE].map((each) => ({ ...each, score_name: 'x' })) },
      400,
    ],
  ])('are refused: %s', async (_, body, status) => {
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ message: expect.any(String) })]);
  });

  it('may be named like what every object has, and with what PostgreSQL cannot store', async () => {
    const sheet = await newSheet(me, ['one']);
    const names = ['constructor', 'toString', '1', 'bad\0\uD800'];
    const queue = await rowQueue(
      sheet,
      names.map((name, at) => ({ ...RIGHT, name, required: at === 0 })),
    );
    const { id } = (await nextItem(me, queue))!;
    expect((await answerQuestions(me, queue, id, { constructor: true })).item.results).toEqual({ constructor: true });
    const { item } = await answerQuestions(me, queue, id, { constructor: true, 1: false, 'bad\0\uD800': true });
    expect(item.results).toEqual({ constructor: true, 1: false, 'bad\uFFFD\uFFFD': true });
    expect((await readAgreement(me, queue)).questions.map(({ name }) => name)).toContain('toString');
  });

  it('are replaced only while nothing is answered', async () => {
    const sheet = await newSheet(me, ['one']);
    const column = await human(sheet, 'People', 'number');
    const queue = await rowQueue(sheet, THREE);
    const patch = (body: object) => me.request('PATCH', `${QUEUES}/${queue}`, body);
    const both = { questions: [RIGHT], rubric: RIGHT.rubric };
    expect((await patch(both)).body).toMatchObject({ error: 'review_queue_inconsistent' });
    const unfit = { questions: [RIGHT, { ...TOPIC, human_column_id: column.id }] };
    expect((await patch(unfit)).body).toMatchObject({ error: 'review_queue_inconsistent' });
    const twice = { questions: [RIGHT, TONE].map((each) => ({ ...each, human_column_id: column.id })) };
    expect((await patch(twice)).body).toMatchObject({ error: 'review_queue_inconsistent' });
    const changed = await patch({ questions: [{ ...RIGHT, human_column_id: column.id.toUpperCase() }, TOPIC] });
    expect(changed.body).toMatchObject({
      review_queue: {
        rubric: RIGHT.rubric,
        human_column_id: column.id,
        questions: [{ name: 'Right?', human_column_id: column.id }, { name: 'Topic' }],
      },
    });
    // An older client knows the first one only.
    expect((await patch({ rubric: TONE.rubric })).body).toMatchObject({
      review_queue: { questions: [{ name: 'Right?', rubric: TONE.rubric }, { name: 'Topic' }] },
    });
    await answerQuestions(me, queue, (await nextItem(me, queue))!.id, { 'Right?': 3 });
    expect((await patch({ questions: [RIGHT] })).body).toMatchObject({ error: 'review_rubric_fixed' });
    expect((await patch({ name: 'Still', questions: null })).status).toBe(200);
  });
});

describe('one answer', () => {
  it('holds all questions, and is refused where it does not fit them', async () => {
    const queue = await rowQueue(await newSheet(me, ['one']), THREE);
    const { id } = (await nextItem(me, queue))!;
    const full = { Tone: 4, 'Right?': true };
    const refusals: [object, number, string][] = [
      [{}, 422, 'validation_error'],
      [{ answers: {} }, 422, 'validation_error'],
      [{ answer: null, answers: null }, 422, 'validation_error'],
      [{ answers: [4, true] }, 422, 'validation_error'],
      [{ answers: { ...full, Topic: { deep: [[]] } } }, 422, 'validation_error'],
      [{ answers: { ...full, Topic: null } }, 422, 'validation_error'],
      [{ answers: { ...full, ['x'.repeat(100_000)]: 1 } }, 422, 'validation_error'],
      [{ answer: 4 }, 400, 'review_answers_incomplete'],
      [{ answers: { Tone: 4, Topic: 'billing' } }, 400, 'review_answers_incomplete'],
      [{ answer: 4, answers: full }, 400, 'review_answers_ambiguous'],
      [{ answers: { ...full, tone: 4 } }, 400, 'review_question_unknown'],
      [{ answers: { ...full, toString: 4 } }, 400, 'review_question_unknown'],
      [{ answers: { ...full, Tone: 6 } }, 400, 'review_answer_unfit'],
      [{ answers: { ...full, Tone: true } }, 400, 'review_answer_unfit'],
      [{ answers: { ...full, Tone: 1e308 } }, 400, 'review_answer_unfit'],
      [{ answers: { ...full, 'Right?': 1 } }, 400, 'review_answer_unfit'],
      [{ answers: { ...full, Topic: 'Billing' } }, 400, 'review_answer_unfit'],
      [{ answers: { ...full, Topic: 'x\0\uD800' } }, 400, 'review_answer_unfit'],
    ];
    for (const [body, status, error] of refusals) {
      const answer = await send(me, queue, id, body);
      const named = status === 422 ? {} : { error };
      expect([body, answer.status, answer.body]).toEqual([body, status, expect.objectContaining(named)]);
    }
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`q${at}`, 1]));
    expect((await send(me, queue, id, { answers: many })).status).toBe(400);
    expect(await readItem(me, queue, id)).toMatchObject({ state: 'open', results: {}, answers: null });
    const { item } = await answerQuestions(me, queue, id, full, 'polite');
    expect(item).toMatchObject({ state: 'finished', result: 4, results: full });
    expect(item.answers).toMatchObject([{ answer: 4, answers: full, comment: 'polite', revised: false }]);
    const again = await answerQuestions(me, queue, id, { ...full, Topic: 'travel' });
    expect(again.item.results).toEqual({ ...full, Topic: 'travel' });
    expect((await listItems(me, queue))[0]).toMatchObject({ results: { Topic: 'travel' } });
  });

  it('from an older client answers the first question, if no other one is required', async () => {
    const queue = await rowQueue(await newSheet(me, ['one', 'two']), [TONE, TOPIC]);
    await answerAll(me, queue, () => 3);
    expect(await listItems(me, queue)).toMatchObject([
      { state: 'finished', result: 3, results: { Tone: 3 }, answers: [{ answer: 3, answers: { Tone: 3 } }] },
      { state: 'finished' },
    ]);
    const single = await newQueue(me, { subject: 'row', sheet_id: (await newSheet(me, ['one'])).id }, ALL);
    const { id } = (await nextItem(me, single))!;
    expect((await answerQuestions(me, single, id, { answer: true })).item).toMatchObject({
      result: true,
      results: { answer: true },
      answers: [{ answer: true, answers: { answer: true } }],
    });
  });

  it('that a process of the last release has stored has the first question only', async () => {
    const queue = await rowQueue(await newSheet(me, ['one']), THREE);
    const { id } = (await nextItem(me, queue))!;
    await answerQuestions(me, queue, id, { Tone: 4, 'Right?': true });
    await app.sql('UPDATE review_answers SET more_answers = NULL WHERE item_id = $1', [id]);
    await app.sql(`UPDATE review_items SET more_results = NULL WHERE id = $1`, [id]);
    expect(await readItem(me, queue, id)).toMatchObject({ results: { Tone: 4 }, answers: [{ answers: { Tone: 4 } }] });
    expect((await readAgreement(me, queue)).questions).toHaveLength(3);
  });

  it('is stored once by everybody, however many answer at once', async () => {
    const sheet = await newSheet(
      me,
      Array.from({ length: 12 }, (_, row) => `text ${row}`),
    );
    const columns = [await human(sheet, 'Tone', 'number'), await human(sheet, 'Right', 'string')];
    const questions = [TONE, RIGHT].map((each, at) => ({ ...each, human_column_id: columns[at]!.id }));
    const queue = await rowQueue(sheet, questions, { reviewers_per_item: 2 });
    const reviewers = await Promise.all(
      Array.from({ length: 4 }, () => clientOf(app, workspace, { roles: ['contributor'] })),
    );
    const work = async (client: Client) => {
      for (let item = await nextItem(client, queue); item; item = await nextItem(client, queue)) {
        await answerQuestions(client, queue, item.id, { Tone: 2, 'Right?': Number(item.subject_id) % 2 === 0 });
      }
    };
    await Promise.all(reviewers.map(work));
    // Reviewers who found all other items leased have stopped early.
    for (const client of reviewers) await work(client);
    expect(await readQueue(me, queue)).toMatchObject({ counts: { items: 12, finished: 12, disagreements: 0 } });
    expect((await cellsOf(me, sheet, columns[0]!.id)).every(({ value }) => value === 2)).toBe(true);
    const right = (await cellsOf(me, sheet, columns[1]!.id)).map(({ value }) => value);
    expect(right.slice(0, 4)).toEqual(['yes', 'no', 'yes', 'no']);
  });
});

describe('results', () => {
  it('are written for each question, and taken back', async () => {
    const log = await logCall(me);
    const questions = [{ ...TONE, score_name: 'tone' }, { ...RIGHT, score_name: 'right' }, TOPIC];
    const body = { subject: 'request', rubric: undefined, questions };
    const queue = await newQueue(me, body, { request_log_ids: [log] });
    const { id } = (await nextItem(me, queue))!;
    await answerQuestions(me, queue, id, { Tone: 4, 'Right?': true, Topic: 'billing' });
    const scores = async () =>
      Object.fromEntries((await readLog(me, log)).scores.map(({ name, score }) => [name, score]));
    expect(await scores()).toEqual({ tone: 75, right: 100 });
    await answerQuestions(me, queue, id, { Tone: 4, 'Right?': false });
    expect(await scores()).toEqual({ tone: 75, right: 0 });
    await me.delete(`${QUEUES}/${queue}/items/${id}/answer`);
    expect(await scores()).toEqual({});
  });

  it('are blind, and decided question by question where two reviewers disagree', async () => {
    const sheet = await newSheet(me, ['one']);
    const column = await human(sheet, 'Topics', 'string');
    const questions = [TONE, RIGHT, { ...TOPIC, human_column_id: column.id }];
    const queue = await rowQueue(sheet, questions, { reviewers_per_item: 2 });
    const { id } = (await nextItem(ann, queue))!;
    await answerQuestions(ann, queue, id, { Tone: 4, 'Right?': true, Topic: 'billing' });
    expect(await readItem(bob, queue, id)).toMatchObject({ answers: null, results: {}, judges: {}, disagreements: [] });
    const { item } = await answerQuestions(bob, queue, id, { Tone: 5, 'Right?': false, Topic: 'travel' });
    expect(item).toMatchObject({ state: 'disagreement', result: 4.5, disagreements: ['Right?', 'Topic'] });
    expect(item.results).toEqual({ Tone: 4.5 });
    expect(await listItems(me, queue, '&differs=reviewers')).toHaveLength(1);

    const decide = (body: object) => send(me, queue, id, body, 'decide');
    expect((await decide({ answers: { Tone: 3 } })).body).toMatchObject({ error: 'review_item_undecidable' });
    expect((await decide({ answers: { Topic: 'x' } })).body).toMatchObject({ error: 'review_answer_unfit' });
    expect((await decide({ answers: { Mood: 1 } })).body).toMatchObject({ error: 'review_question_unknown' });
    expect((await decide({ answers: { Topic: 'travel' } })).body).toMatchObject({
      item: { state: 'disagreement', results: { Tone: 4.5, Topic: 'travel' } },
    });
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toBe('travel');
    expect((await decide({ answers: { 'Right?': true } })).body).toMatchObject({
      item: { state: 'finished', results: { Tone: 4.5, 'Right?': true, Topic: 'travel' } },
    });
    expect((await decide({ answers: { Topic: 'billing' } })).body).toMatchObject({
      item: { state: 'finished', results: { 'Right?': true, Topic: 'billing' }, disagreements: ['Right?', 'Topic'] },
    });
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toBe('billing');
    const late = await send(ann, queue, id, { answers: { Tone: 1, 'Right?': true } });
    expect(late.body).toMatchObject({ error: 'review_item_decided' });
  });

  it('are the answer of one reviewer when the other left the question out', async () => {
    const queue = await rowQueue(await newSheet(me, ['one', 'two']), [RIGHT, TOPIC], { reviewers_per_item: 2 });
    const [first, second] = await listItems(me, queue);
    await answerQuestions(ann, queue, first!.id, { 'Right?': true, Topic: 'travel' });
    await answerQuestions(bob, queue, first!.id, { 'Right?': true });
    for (const client of [ann, bob]) await answerItem(client, queue, second!.id, false);
    expect(await listItems(me, queue)).toMatchObject([
      { state: 'finished', results: { 'Right?': true, Topic: 'travel' } },
      { state: 'finished', results: { 'Right?': false } },
    ]);
    expect(await listItems(me, queue, '&differs=reviewers')).toEqual([]);
    const [right, topic] = (await readAgreement(me, queue)).questions;
    expect(right!.reviewers).toMatchObject([{ item_count: 2, agreement: 1 }]);
    expect(topic!.reviewers).toEqual([]);
  });
});

describe('agreement', () => {
  it('is that of each question, with its judge, and examples are made for one of them', async () => {
    const texts = ['good day', 'good night', 'bad day', 'bad night'];
    const sheet = await newSheet(me, texts);
    const columns: { id: string }[] = [];
    for (const value of ['good', 'day']) {
      const config = { source: 'Column A', value };
      columns.push(await addColumn(me, sheet, { title: value, type: 'CONTAINS', config }));
    }
    await settled(me, sheet);
    const questions = ['Good?', 'Day?'].map((name, at) => ({ ...RIGHT, name, judge_column_id: columns[at]!.id }));
    const queue = await rowQueue(sheet, [...questions, TONE], { reviewers_per_item: 2 });
    for (const [client, isWrong] of [
      [ann, false],
      [bob, true],
    ] as const) {
      for (let item = await nextItem(client, queue); item; item = await nextItem(client, queue)) {
        const text = texts[Number(item.subject_id)]!;
        expect(item.judges).toEqual({});
        const answers = { 'Good?': text.includes('good'), 'Day?': text.includes('day') !== isWrong, Tone: 3 };
        await answerQuestions(client, queue, item.id, answers, `about ${text}`);
      }
    }
    const found = await readAgreement(me, queue);
    expect(found).toMatchObject({ weights: 'none', reviewers: found.questions[0]!.reviewers });
    expect(found.questions).toMatchObject([
      {
        name: 'Good?',
        weights: 'none',
        reviewers: [{ item_count: 4, agreement: 1, kappa: 1 }],
        judge_versions: [{ judge_version: 1, item_count: 4, agreement: 1, kappa: 1 }],
      },
      {
        name: 'Day?',
        weights: 'none',
        reviewers: [{ item_count: 4, agreement: 0, kappa: -1 }],
        judge_versions: [{ item_count: 0, kappa: null }],
      },
      { name: 'Tone', weights: 'quadratic', reviewers: [{ kappa_reason: 'one_category' }], judge_versions: [] },
    ]);
    const [item] = await listItems(me, queue);
    expect(item).toMatchObject({ judge: 'true', judges: { 'Good?': 'true', 'Day?': 'true' } });
    await send(me, queue, item!.id, { answers: { 'Day?': false } }, 'decide');
    expect(await listItems(me, queue, '&differs=judge')).toMatchObject([{ id: item!.id, state: 'finished' }]);

    const few = async (query: string) =>
      (await me.get(`${QUEUES}/${queue}/few-shot?${query}`)) as {
        examples: { text: string; answer: unknown; comment: string }[];
        prompt: string;
      };
    const day = await few('question=Day%3F');
    expect(day.examples).toMatchObject([{ text: 'good day', answer: false, comment: 'about good day' }]);
    expect(day.prompt).toContain('Tone: Day?. ');
    const tone = await few('question=Tone&example_count=1');
    expect(tone.examples).toMatchObject([{ answer: 3 }]);
    expect((await few('')).examples.map(({ answer }) => answer)).toEqual([true, false, true, false]);
    const unknown = await me.request('GET', `${QUEUES}/${queue}/few-shot?question=Mood`);
    expect([unknown.status, unknown.body]).toEqual([
      400,
      expect.objectContaining({ error: 'review_question_unknown' }),
    ]);
  });
});
