import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, loggedCall, storeBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send, spanId, traceId } from '../support/otlp.js';
import { promptBody, PUBLISH, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createGroup, readLog, REQUESTS } from '../support/tracking.js';
import { until } from '../support/until.js';

const METADATA = '/rest/track-metadata';
const SCORE = '/rest/track-score';
const PROMPT = '/rest/track-prompt';
const GROUP = '/rest/track-group';

/** Ids that name nothing, in both forms. */
const NOBODY = [999_999_999, '999999999', Number.MAX_SAFE_INTEGER, '00999999999'];
/** Values that are not ids. */
const NO_IDS = [
  null,
  undefined,
  '',
  'x',
  '1.5',
  ' 1',
  '0x1',
  1.5,
  0,
  -1,
  '-1',
  true,
  [1],
  {},
  1e300,
  '9'.repeat(400),
  '１',
];

let app: TestApp;
let me: Client;
let stranger: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  stranger = await app.stranger();
});
afterAll(() => app.stop());

const track = (path: string, body: object, status = 200) => me.post(path, body, status);

/** Number of statements of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const statements = await app.sql(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return statements.length;
}

/** The path and the rest of a valid body of every kind of tracking. */
async function everyKind(client: Client): Promise<[string, Record<string, unknown>][]> {
  await client.request('POST', PUBLISH, promptBody('everywhere'));
  return [
    [METADATA, { metadata: { a: 'b' } }],
    [SCORE, { score: 7 }],
    [PROMPT, { prompt_name: 'everywhere' }],
    [GROUP, { group_id: await createGroup(client) }],
  ];
}

describe('the request log to track', () => {
  it('is named by a number or by its digits', async () => {
    const id = await logCall(me);
    for (const [path, body] of await everyKind(me)) {
      for (const request_id of [id, String(id), `000${id}`]) {
        const message = expect.stringMatching(/^(Metadata|Score|Prompt|Group) tracked successfully$/) as string;
        expect(await track(path, { ...body, request_id })).toEqual({ success: true, message });
      }
    }
  });

  it('is not found when there is none, or when it is of another workspace', async () => {
    const foreign = await logCall(stranger);
    for (const [path, body] of await everyKind(me)) {
      for (const request_id of [...NOBODY, foreign]) {
        const answer = await track(path, { ...body, request_id }, 404);
        const message = `Request log ${Number(request_id)} was not found in this workspace.`;
        expect(answer).toEqual({ success: false, error: 'request_not_found', message });
      }
    }
    expect(await readLog(stranger, foreign)).toMatchObject({
      metadata: {},
      scores: [],
      prompt_id: null,
      group_ids: [],
    });
  });

  it('is refused when it is no id', async () => {
    for (const [path, body] of await everyKind(me)) {
      for (const request_id of NO_IDS) {
        const answer = await track(path, { ...body, request_id }, 422);
        expect(answer).toMatchObject({ detail: [{ loc: ['body', 'request_id'] }] });
      }
    }
  });

  it('is read under the older path as well', async () => {
    const id = await logCall(me);
    expect(await me.get(`/api/public/v2/request/${id}`)).toEqual(await readLog(me, id));
    await stranger.get(`/api/public/v2/request/${id}`, 404);
    await me.get('/api/public/v2/request/0', 422);
  });
});

describe('metadata', () => {
  it('is merged: named keys are replaced, others stay', async () => {
    const id = await logCall(me, { more: { 'user.id': 'ada', 'session.id': 's1' } });
    const before = (await readLog(me, id)).metadata;
    expect(Object.keys(before).length).toBeGreaterThan(1);
    await track(METADATA, { request_id: id, metadata: { plan: 'free', step: 'one' } });
    await track(METADATA, { request_id: id, metadata: { plan: 'pro' } });
    expect((await readLog(me, id)).metadata).toEqual({ ...before, plan: 'pro', step: 'one' });
  });

  it('is text: other values become JSON, null is ignored and keys may have any name', async () => {
    const id = await logCall(me);
    const before = (await readLog(me, id)).metadata;
    const given =
      '{"n":1.5,"long":1234567890123456789,"yes":true,"none":null,"list":[1,"a"],"object":{"deep":{"x":1}},"":"empty","__proto__":"p","k\\u0000":"v\\ud800"}';
    await me.with({ 'content-type': 'application/json' }).post(METADATA, `{"request_id":${id},"metadata":${given}}`);
    const added = {
      n: '1.5',
      long: '1234567890123456789',
      yes: 'true',
      list: '[1,"a"]',
      object: '{"deep":{"x":1}}',
      '': 'empty',
      'k\ufffd': 'v\ufffd',
    };
    const { metadata } = await readLog(me, id);
    expect(Object.entries(metadata).sort()).toEqual(Object.entries({ ...before, ...added, ['__proto__']: 'p' }).sort());
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('changes nothing when it is empty', async () => {
    const id = await logCall(me);
    const before = await readLog(me, id);
    for (const metadata of [{}, { gone: null }]) await track(METADATA, { request_id: id, metadata });
    expect(await readLog(me, id)).toEqual(before);
  });

  it('takes keys of up to 1024 characters, counted as people count', async () => {
    const id = await logCall(me);
    const longest = '🦉'.repeat(1024);
    await track(METADATA, { request_id: id, metadata: { [longest]: 'v' } });
    expect((await readLog(me, id)).metadata[longest]).toBe('v');
    for (const key of [`${longest}x`, 'x'.repeat(1025)]) {
      const answer = await track(METADATA, { request_id: id, metadata: { fine: 'v', [key]: 'v' } }, 422);
      expect(answer).toMatchObject({ detail: [{ loc: ['body', 'metadata'], type: 'string_too_long' }] });
    }
    for (const metadata of [null, undefined, 'x', 1, [], [{ a: 'b' }], true]) {
      await track(METADATA, { request_id: id, metadata }, 422);
    }
  });

  it('has a limit for what is added to one log in all', async () => {
    const id = await logCall(me);
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, 'v']));
    expect(await track(METADATA, { request_id: id, metadata: many(1001) }, 422)).toMatchObject({
      detail: [{ loc: ['body', 'metadata'], type: 'too_long' }],
    });
    const other = await logCall(me);
    await track(METADATA, { request_id: other, metadata: many(1000) });
    expect(await track(METADATA, { request_id: other, metadata: { more: 'v' } }, 400)).toMatchObject({
      error: 'request_metadata_excessive',
    });
    await track(METADATA, { request_id: other, metadata: { 'key 7': 'again' } });
    await track(METADATA, { request_id: id, metadata: { a: 'x'.repeat(600_000) } });
    expect(await track(METADATA, { request_id: id, metadata: { b: 'x'.repeat(600_000) } }, 400)).toMatchObject({
      error: 'request_metadata_excessive',
    });
    await track(METADATA, { request_id: id, metadata: { a: 'short', b: 'x'.repeat(600_000) } });
  });

  it('loses nothing when many clients add at once', async () => {
    const id = await logCall(me);
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const group = await createGroup(me);
    await Promise.all([
      ...keys.map((key) => track(METADATA, { request_id: id, metadata: { [key]: key, shared: key } })),
      ...keys.map((key, index) => track(SCORE, { request_id: id, score: index, name: key })),
      track(GROUP, { request_id: id, group_id: group }),
    ]);
    const log = await readLog(me, id);
    for (const key of keys) expect(log.metadata[key]).toBe(key);
    expect(keys).toContain(log.metadata.shared);
    expect(log.scores).toHaveLength(20);
    expect(log.group_id).toBe(group);
  });
});

describe('a score', () => {
  it('is kept by name, and the one without a name is the score of the log', async () => {
    const id = await logCall(me);
    expect(await readLog(me, id)).toMatchObject({ scores: [], score: null });
    await track(SCORE, { request_id: id, score: 40, name: 'tone' });
    await track(SCORE, { request_id: id, score: 0 });
    await track(SCORE, { request_id: id, score: 100, name: null });
    await track(SCORE, { request_id: id, score: 60, name: 'tone' });
    expect(await readLog(me, id)).toMatchObject({
      scores: [
        { name: 'default', score: 100 },
        { name: 'tone', score: 60 },
      ],
      score: 100,
    });
  });

  it('is an integer from 0 to 100 with a name that is not blank', async () => {
    const id = await logCall(me);
    for (const score of [-1, 101, 1.5, '7', null, undefined, true, [7], 1e300]) {
      const answer = await track(SCORE, { request_id: id, score }, 422);
      expect(answer).toMatchObject({ detail: [{ loc: ['body', 'score'] }] });
    }
    for (const [score, type] of [
      [-1, 'greater_than_equal'],
      [101, 'less_than_equal'],
      ['7', 'int_type'],
      [true, 'int_type'],
    ]) {
      expect(await track(SCORE, { request_id: id, score }, 422)).toMatchObject({ detail: [{ type }] });
    }
    for (const name of ['', ' ', 'x'.repeat(256), 7, {}]) {
      await track(SCORE, { request_id: id, score: 7, name }, 422);
    }
    expect((await readLog(me, id)).scores).toEqual([]);
  });
});

describe('a tracked prompt', () => {
  it('is the newest version, a version by number or digits, or the one with a label', async () => {
    const prompt = await publishPrompt(me, 'versions', { labels: ['prod'] });
    for (let version = 2; version <= 3; version += 1) await publishPrompt(me, 'versions');
    const id = await logCall(me);
    const cases: [object, number][] = [
      [{}, 3],
      [{ version: 2 }, 2],
      [{ version: '1' }, 1],
      [{ version: null, label: null }, 3],
      [{ label: 'prod' }, 1],
    ];
    for (const [named, version] of cases) {
      await track(PROMPT, { request_id: id, prompt_name: 'versions', ...named });
      const expected = { prompt_id: prompt.id, prompt_name: 'versions', prompt_version_number: version };
      expect(await readLog(me, id)).toMatchObject(expected);
    }
  });

  it('replaces the input variables, or keeps them when it names none', async () => {
    await publishPrompt(me, 'variables');
    const id = await logCall(me);
    const link = (variables?: object | null) =>
      track(PROMPT, { request_id: id, prompt_name: 'variables', prompt_input_variables: variables });
    await link({ name: 'Ada', address: { city: 'London' } });
    await link();
    await link(null);
    expect((await readLog(me, id)).prompt_input_variables).toEqual({ name: 'Ada', address: { city: 'London' } });
    await link({ other: [1] });
    expect((await readLog(me, id)).prompt_input_variables).toEqual({ other: [1] });
    await link({});
    expect((await readLog(me, id)).prompt_input_variables).toEqual({});
  });

  it('must exist, with the version or label that is named', async () => {
    await publishPrompt(me, 'known', { labels: ['prod'] });
    await publishPrompt(stranger, 'foreign');
    const id = await logCall(me);
    const missing: [object, string][] = [
      [{ prompt_name: 'unknown' }, 'prompt_not_found'],
      [{ prompt_name: 'foreign' }, 'prompt_not_found'],
      [{ prompt_name: 'unknown', version: 1 }, 'prompt_not_found'],
      [{ prompt_name: 'known', version: 2 }, 'prompt_version_not_found'],
      [{ prompt_name: 'known', version: '2147483647' }, 'prompt_version_not_found'],
      [{ prompt_name: 'known', version: 9_999_999_999 }, 'prompt_version_not_found'],
      [{ prompt_name: 'known', label: 'dev' }, 'prompt_label_not_found'],
    ];
    for (const [named, error] of missing) {
      expect(await track(PROMPT, { request_id: id, ...named }, 404)).toMatchObject({ error });
    }
    expect(await track(PROMPT, { request_id: id, prompt_name: 'known', version: 1, label: 'prod' }, 400)).toMatchObject(
      {
        error: 'prompt_version_ambiguous',
      },
    );
    for (const version of ['one', 0, -1, 1.5, '', []]) {
      await track(PROMPT, { request_id: id, prompt_name: 'known', version }, 422);
    }
    for (const prompt_name of [null, undefined, 7, '', ' ', 'x'.repeat(513)]) {
      await track(PROMPT, { request_id: id, prompt_name }, 422);
    }
    expect(await readLog(me, id)).toMatchObject({ prompt_id: null, prompt_version_number: null });
  });
});

describe('a group', () => {
  it('is left for the group that is tracked last', async () => {
    const id = await logCall(me);
    const [first, second] = [await createGroup(me), await createGroup(me)];
    expect(second).not.toBe(first);
    expect(await readLog(me, id)).toMatchObject({ group_id: null, group_ids: [] });
    for (const group_id of [first, String(second)]) await track(GROUP, { request_id: id, group_id });
    expect(await readLog(me, id)).toMatchObject({ group_id: second, group_ids: [second] });
  });

  it('must exist in the workspace', async () => {
    const id = await logCall(me);
    for (const group_id of [...NOBODY, await createGroup(stranger)]) {
      expect(await track(GROUP, { request_id: id, group_id }, 404)).toMatchObject({ error: 'request_group_not_found' });
    }
    for (const group_id of NO_IDS) await track(GROUP, { request_id: id, group_id }, 422);
    expect(await readLog(me, id)).toMatchObject({ group_ids: [] });
  });
});

describe('what was tracked', () => {
  it('is what filters find at once', async () => {
    await publishPrompt(me, 'found', { message: '{tracking_variable}' });
    const id = await logCall(me);
    const group = await createGroup(me);
    await track(METADATA, { request_id: id, metadata: { 'tracking case': 'filters', address: { city: 'Oslo' } } });
    const prompt_input_variables = { tracking_variable: 'seven' };
    await track(PROMPT, { request_id: id, prompt_name: 'found', prompt_input_variables });
    await track(GROUP, { request_id: id, group_id: group });
    await track(SCORE, { request_id: id, score: 73, name: 'tracking score' });
    const filters = [
      { field: 'metadata', operator: 'key_equals', value: 'filters', nested_key: 'tracking case' },
      { field: 'metadata', operator: 'key_equals', value: 'Oslo', nested_key: 'address.city' },
      { field: 'metadata_keys', operator: 'contains', value: 'tracking case' },
      { field: 'input_variables', operator: 'key_equals', value: 'seven', nested_key: 'tracking_variable' },
      { field: 'input_variable_keys', operator: 'contains', value: 'tracking_variable' },
      { field: 'prompt_id', operator: 'is', value: (await readLog(me, id)).prompt_id },
      { field: 'group_id', operator: 'is', value: group },
      { field: 'scores', operator: 'key_equals', value: 73, nested_key: 'tracking score' },
    ];
    for (const filter of filters) {
      const { items } = (await me.post(`${REQUESTS}/search`, { filters: [filter] })) as { items: { id: number }[] };
      expect([filter, items.map((item) => item.id)]).toEqual([filter, [id]]);
    }
  });

  it('outlives a re-delivery of the span that the log was made from', async () => {
    const prompt = await publishPrompt(me, 'outlives');
    const ids = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(me, { output: 'Early', more: { 'user.id': 'ada' } }, ids);
    const group = await createGroup(me);
    await track(METADATA, { request_id: id, metadata: { plan: 'pro' } });
    await track(SCORE, { request_id: id, score: 80 });
    await track(PROMPT, { request_id: id, prompt_name: 'outlives', prompt_input_variables: { name: 'Ada' } });
    await track(GROUP, { request_id: id, group_id: group });
    const before = await readLog(me, id);

    await send(me, [llmSpan({ output: 'Late', more: { 'user.id': 'bob' } }, ids)]);

    const after = await readLog(me, id);
    expect(JSON.stringify(after.prompt_blueprint)).toContain('Late');
    expect(after.metadata).toEqual({ ...before.metadata, user_id: 'bob', plan: 'pro' });
    expect(after).toMatchObject({
      score: 80,
      group_id: group,
      prompt_id: prompt.id,
      prompt_version_number: 1,
      prompt_input_variables: { name: 'Ada' },
    });
  });

  it('outlives a re-delivery of the call that came beside its span, which else replaces what it said', async () => {
    const told = { score: 50, metadata: { plan: 'free' } };
    const sent = bulkSpan({ log_request: loggedCall(told) });
    const { id } = (await storeBulk(me, [sent])).request_logs![0]!;
    const sendAgain = (fields: object) => storeBulk(me, [{ ...sent, log_request: loggedCall({ ...told, ...fields }) }]);
    await sendAgain({ score: 60 });
    expect(await readLog(me, id)).toMatchObject({ score: 60, metadata: { plan: 'free' } });
    await track(SCORE, { request_id: id, score: 80 });
    await track(METADATA, { request_id: id, metadata: { plan: 'pro' } });
    for (const fields of [{ score: 60 }, { score: 50 }, { model: 'gpt-4.1', score_name: 'tone' }]) {
      await sendAgain(fields);
      expect(await readLog(me, id)).toMatchObject({ score: 80, metadata: { plan: 'pro' } });
    }
    const scores = [
      { name: 'default', score: 80 },
      { name: 'tone', score: 50 },
    ];
    expect(await readLog(me, id)).toMatchObject({ model: 'gpt-4.1', scores });
  });

  it('is kept when it comes while the span is sent again', async () => {
    const ids = { traceId: traceId(), spanId: spanId() };
    const id = await logCall(me, {}, ids);
    let requests: Promise<unknown>[] = [];
    // Both have to wait for this transaction, the tracking first.
    await app.inTransaction(async (sql) => {
      await sql('SELECT 1 FROM request_logs WHERE id = $1 FOR UPDATE', [id]);
      requests = [track(METADATA, { request_id: id, metadata: { plan: 'pro' } })];
      await until(async () => (await waiting()) === 1);
      requests.push(send(me, [llmSpan({ output: 'Late' }, ids)]));
      await until(async () => (await waiting()) === 2);
    });
    await Promise.all(requests);
    const log = await readLog(me, id);
    expect(JSON.stringify(log.prompt_blueprint)).toContain('Late');
    expect(log.metadata).toHaveProperty('plan', 'pro');
  });

  it('may be tracked after the trace is closed', async () => {
    const trace = traceId();
    const id = await logCall(me, {}, { traceId: trace });
    await send(me, [llmSpan({}, { traceId: trace })], '?close_after=true');
    await track(METADATA, { request_id: id, metadata: { late: 'yes' } });
    expect((await readLog(me, id)).metadata).toHaveProperty('late', 'yes');
  });
});
