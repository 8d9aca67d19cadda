import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const chat = (role: string, content: unknown) => ({ type: 'chat', messages: [{ role, content }] });
const text = (words: string) => [{ type: 'text', text: words }];

/** The least that can be sent. */
const CALL = {
  provider: 'openai',
  model: 'gpt-4o-mini',
  input: chat('user', text('Where is my parcel?')),
  output: chat('assistant', text('On its way.')),
  request_start_time: '2026-05-04T10:00:00.000Z',
  request_end_time: '2026-05-04T10:00:01.500Z',
};

interface Logged {
  id: number;
  [field: string]: unknown;
}

const log = async (body: object, status = 201): Promise<Logged> =>
  (await me.post('/log-request', { ...CALL, ...body }, status)) as Logged;
const read = async ({ id }: Logged): Promise<Logged> => (await me.get(`/api/public/v2/requests/${id}`)) as Logged;
const count = async (): Promise<number> =>
  Number(((await app.sql('SELECT count(*) FROM request_logs')) as { count: string }[])[0]!.count);

/** The body that one SDK sends for a call without options. */
const FROM_SDK = {
  prompt_name: null,
  prompt_version_number: null,
  prompt_input_variables: {},
  parameters: {},
  tags: [],
  metadata: {},
  input_tokens: 0,
  output_tokens: 0,
  price: 0.0,
  function_name: '',
  score: 0,
  score_name: null,
  api_type: null,
  status: 'SUCCESS',
  error_type: null,
  error_message: null,
};

describe('POST /log-request', () => {
  it('stores a call with only the required fields, and returns the whole record', async () => {
    const logged = await log({});
    expect(logged).toMatchObject({
      id: expect.any(Number),
      request_id: logged.id,
      type: 'request',
      status: 'SUCCESS',
      error_type: null,
      error_message: null,
      provider_type: 'openai',
      engine: 'gpt-4o-mini',
      prompt_string: 'Where is my parcel?',
      response_string: 'On its way.',
      tokens: 0,
      scores: [],
      tags_array: [],
      metadata: [],
      share_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      request_start_time: '2026-05-04T10:00:00.000Z',
      prompt_version: {
        prompt_template: {
          type: 'chat',
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'Where is my parcel?' }] },
            { role: 'assistant', content: [{ type: 'text', text: 'On its way.' }] },
          ],
        },
        metadata: { model: { provider: 'openai', name: 'gpt-4o-mini' } },
      },
    });
    expect(await read(logged)).toMatchObject({ request_id: logged.id, latency_ms: 1500, price: 0, sanitized: false });
  });

  it('accepts the bodies of the SDKs, where empty fields mean nothing', async () => {
    const logged = await log(FROM_SDK);
    expect(logged).toMatchObject({ status: 'SUCCESS', scores: [], score: 0, prompt_id: null });
  });

  it('keeps integers that are longer than a number can be, to the last digit', async () => {
    const fields = { metadata: { user_id: '@' }, prompt_input_variables: { order: '@' }, parameters: { seed: '@' } };
    const body = JSON.stringify({ ...CALL, ...fields }).replaceAll('"@"', '1234567890123456789');
    const json = me.with({ 'content-type': 'application/json' });
    expect(await read((await json.post('/log-request', body, 201)) as Logged)).toMatchObject({
      metadata: { user_id: '1234567890123456789' },
      prompt_input_variables: { order: '1234567890123456789' },
      prompt_blueprint: { metadata: { model: { parameters: { seed: '1234567890123456789' } } } },
    });
  });

  it('keeps every field that was sent', async () => {
    const logged = await log({
      parameters: { temperature: 0.2, response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
      tags: ['b', 'a', 'b'],
      metadata: { user: '7', age: 42, vip: true, plan: { name: 'pro' }, none: null },
      prompt_input_variables: { name: 'Ada', list: [1] },
      input_tokens: 1000,
      output_tokens: 500,
      function_name: 'openai.chat.completions.create',
      api_type: 'chat-completions',
      score: 80,
      score_name: 'tone',
      status: 'WARNING',
      error_type: 'PROVIDER_PARTIAL_RESPONSE',
      error_message: 'cut short',
    });
    expect(logged).toMatchObject({ tokens: 1500, scores: [{ name: 'tone', score: 80 }], tags_array: ['b', 'a'] });
    expect(await read(logged)).toMatchObject({
      tags: ['b', 'a'],
      metadata: { user: '7', age: '42', vip: 'true', plan: '{"name":"pro"}' },
      prompt_input_variables: { name: 'Ada', list: [1] },
      input_tokens: 1000,
      output_tokens: 500,
      price: expect.closeTo(0.00045),
      priced: true,
      status: 'WARNING',
      error_type: 'PROVIDER_PARTIAL_RESPONSE',
      error_message: 'cut short',
      api_type: 'chat-completions',
    });
  });

  it('stores the given price, computes a missing one, and has none for an unknown model', async () => {
    const tokens = { input_tokens: 1_000_000, output_tokens: 0 };
    expect(await read(await log({ ...tokens, price: 0.5 }))).toMatchObject({ price: 0.5, priced: true });
    expect(await read(await log({ ...tokens, price: 0 }))).toMatchObject({ price: expect.closeTo(0.15), priced: true });
    const unknown = await log({ ...tokens, provider: 'house', model: 'our-own-7b' });
    expect(unknown).toMatchObject({ price: 0, priced: false });
    expect(await read(unknown)).toMatchObject({ price: 0, priced: false });
  });

  it('reads times in any form', async () => {
    const start = '2026-05-04T10:00:00.250Z';
    const ms = Date.parse(start);
    const forms = [
      start,
      '2026-05-04T10:00:00.250',
      '2026-05-04 12:00:00.250+0200',
      ms,
      ms / 1000,
      String(ms),
      ms * 1000,
      ms * 1e6,
    ];
    for (const form of forms) {
      const { request_start_time } = await log({ request_start_time: form, request_end_time: form });
      expect([form, request_start_time]).toEqual([form, start]);
    }
  });

  it('counts a call that ends before it starts as no time at all', async () => {
    const logged = await log({ request_end_time: '2026-05-04T09:00:00Z' });
    expect(await read(logged)).toMatchObject({ latency_ms: 0 });
  });

  it('takes text for content, no content, and parts and tools it does not know', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'hologram', depth: 3 }] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{}' } }] },
      { role: 'tool', content: 'found', tool_call_id: 'c1' },
    ];
    const logged = await log({ input: { type: 'chat', messages, tools: [{ type: 'teleport', range: 9 }] } });
    const { prompt_blueprint } = await read(logged);
    expect(prompt_blueprint).toMatchObject({
      prompt_template: {
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
          { role: 'user', content: [{ type: 'hologram', depth: 3 }] },
          { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find' } }] },
          { role: 'tool', content: [{ type: 'text', text: 'found' }], tool_call_id: 'c1' },
          { role: 'assistant' },
        ],
        tools: [{ type: 'teleport', range: 9 }],
      },
    });
  });

  it('returns its times as later reads do, to the microsecond', async () => {
    const logged = await log({
      request_start_time: '2026-05-04T10:00:00.123456Z',
      request_end_time: 1_777_888_801.500001,
    });
    const { request_start_time, request_end_time } = await read(logged);
    expect(logged).toMatchObject({ request_start_time, request_end_time });
    expect(request_start_time).toBe('2026-05-04T10:00:00.123456Z');
  });

  it('keeps a medium whose type is not known as such', async () => {
    const media = (fields: object) => chat('user', [{ type: 'media', media: fields }]);
    for (const [fields, type] of [
      [{ type: null, url: 'file-1' }, null],
      [{ url: 'file-1' }, 'image/jpeg'],
    ] as const) {
      expect(await log({ input: media(fields) })).toMatchObject({
        prompt_version: { prompt_template: { messages: [{ content: [{ media: { title: 'media', type } }] }, {}] } },
      });
    }
  });

  it('takes completions, and failed calls without an answer', async () => {
    const input = { type: 'completion', content: text('Once upon') };
    const output = { type: 'completion', content: text(' a time') };
    expect(await log({ input, output })).toMatchObject({ prompt_string: 'Once upon', response_string: ' a time' });
    const failed = { output: { type: 'chat', messages: [] }, status: 'ERROR', error_type: 'PROVIDER_TIMEOUT' };
    expect(await log(failed)).toMatchObject({ status: 'ERROR', response_string: '' });
  });

  it('never stores credentials', async () => {
    const logged = await log({
      parameters: {
        temperature: 1,
        apiKey: 'sk-1',
        api_key: 'sk-2',
        extra_headers: { Authorization: 'Bearer sk-3' },
        tools: [{ parameters: { properties: { api_key: { type: 'string' } } } }],
      },
    });
    const [row] = (await app.sql('SELECT l::text AS row FROM request_logs l WHERE id = $1', [logged.id])) as {
      row: string;
    }[];
    expect(row!.row).not.toContain('sk-');
    expect(logged.function_kwargs).toMatchObject({
      parameters: { temperature: 1, extra_headers: {}, tools: [{ parameters: { properties: { api_key: {} } } }] },
    });
  });

  it('replaces what cannot be stored and says so', async () => {
    const logged = await log({ tags: ['nul\u0000'], metadata: { '\uD800': '\uDFFF' } });
    expect(await read(logged)).toMatchObject({
      tags: ['nul\uFFFD'],
      metadata: { '\uFFFD': '\uFFFD' },
      sanitized: true,
    });
    expect(await read(await log({ tags: ['harmless \\u0000 text'] }))).toMatchObject({ sanitized: false });
  });

  it('links the version of a prompt, by name, id and version', async () => {
    const { id } = await publishPrompt(me, 'parcel');
    await publishPrompt(me, 'parcel');
    const linked = (version: number) => ({ prompt_id: id, prompt_version_number: version });
    expect(await log({ prompt_name: 'parcel' })).toMatchObject(linked(2));
    expect(await log({ prompt_name: 'parcel', prompt_version_number: 1 })).toMatchObject(linked(1));
    expect(await log({ prompt_id: id, prompt_version_number: 1 })).toMatchObject(linked(1));
    expect(await read(await log({ prompt_id: id }))).toMatchObject({ ...linked(2), prompt_name: 'parcel' });
  });

  it('answers 404 and stores nothing when the prompt is not there, or belongs to others', async () => {
    const { id } = await publishPrompt(me, 'mine');
    const before = await count();
    expect(await log({ prompt_name: 'nobody' }, 404)).toMatchObject({ error: 'prompt_not_found' });
    for (const prompt_id of [2_000_000_000, 9_999_999_999]) {
      expect(await log({ prompt_id }, 404)).toMatchObject({ error: 'prompt_not_found' });
    }
    for (const prompt_version_number of [9, 9_999_999_999]) {
      const answer = await log({ prompt_id: id, prompt_version_number }, 404);
      expect(answer).toMatchObject({ error: 'prompt_version_not_found' });
    }
    const stranger = await app.stranger();
    await stranger.post('/log-request', { ...CALL, prompt_id: id }, 404);
    expect(await count()).toBe(before);
  });

  it('stores each of many simultaneous calls unchanged, next to rejected ones', async () => {
    const before = await count();
    const names = Array.from({ length: 120 }, (_, index) => `call ${index}`);
    const answers = await Promise.all(
      names.map((name, index) =>
        me.request('POST', '/log-request', {
          ...CALL,
          output: chat('assistant', text(name)),
          ...(index % 10 === 0 && { prompt_name: 'not there' }),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(12);
    const stored = answers.map(({ body }) => body as Logged).filter(({ id }) => id !== undefined);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(108);
    expect(await count()).toBe(before + 108);
    const [, second] = stored;
    expect(await read(second!)).toMatchObject({ request_id: second!.id });
  });

  it('answers the same request with the same Idempotency-Key once', async () => {
    const client = me.with({ 'idempotency-key': 'log-1' });
    const first = (await client.post('/log-request', CALL, 201)) as Logged;
    expect(await client.post('/log-request', CALL, 201)).toMatchObject({ id: first.id });
  });

  it('takes a message of ten million characters', async () => {
    const long = 'x'.repeat(10_000_000);
    const logged = await log({ output: chat('assistant', text(long)) });
    expect(logged.response_string).toHaveLength(long.length);
  });
});

describe('a call that does not fit', () => {
  const IN_MESSAGE = ['body', 'input', 'messages', 0];
  const wrong: [string, object, (string | number)[]][] = [
    ['no model', { model: undefined }, ['body', 'model']],
    ['a number for the provider', { provider: 7 }, ['body', 'provider']],
    ['an input without a type', { input: { messages: [] } }, ['body', 'input', 'type']],
    ['an unknown role', { input: chat('king', []) }, ['body', 'input', 'messages', 0, 'role']],
    [
      'a question without content',
      { input: { type: 'chat', messages: [{ role: 'user' }] } },
      [...IN_MESSAGE, 'content'],
    ],
    [
      'a result without content',
      { input: { type: 'chat', messages: [{ role: 'tool', tool_call_id: 'c1' }] } },
      [...IN_MESSAGE, 'content'],
    ],
    ['a completion without content', { input: { type: 'completion' } }, ['body', 'input', 'content']],
    ['content that is a number', { input: chat('user', 7) }, ['body', 'input', 'messages', 0, 'content']],
    [
      'a text part without text',
      { input: chat('user', [{ type: 'text' }]) },
      ['body', 'input', 'messages', 0, 'content', 0, 'text'],
    ],
    ['no time', { request_end_time: null }, ['body', 'request_end_time']],
    ['a time that is none', { request_start_time: 'yesterday' }, ['body', 'request_start_time']],
    ['a day that does not exist', { request_start_time: '2026-02-30T00:00:00Z' }, ['body', 'request_start_time']],
    ['a time beyond all calendars', { request_start_time: 1e300 }, ['body', 'request_start_time']],
    ['a long tag', { tags: ['x'.repeat(513)] }, ['body', 'tags', 0]],
    ['too many tags', { tags: Array.from({ length: 1001 }, String) }, ['body', 'tags']],
    ['a long metadata key', { metadata: { ['x'.repeat(1025)]: '1' } }, ['body', 'metadata', 'x'.repeat(64)]],
    ['a negative token count', { input_tokens: -1 }, ['body', 'input_tokens']],
    ['more tokens than there are', { output_tokens: 1e12 }, ['body', 'output_tokens']],
    ['a negative price', { price: -0.1 }, ['body', 'price']],
    ['a score above 100', { score: 101 }, ['body', 'score']],
    ['an unknown status', { status: 'FINE' }, ['body', 'status']],
    ['a long error message', { status: 'ERROR', error_message: 'x'.repeat(1025) }, ['body', 'error_message']],
    ['version 0', { prompt_name: 'x', prompt_version_number: 0 }, ['body', 'prompt_version_number']],
  ];
  it.each(wrong)('is refused with where it does not: %s', async (_name, body, loc) => {
    expect(await log(body, 422)).toMatchObject({ detail: [{ loc }] });
  });

  it('is refused with why: too small and too large are said of numbers as of numbers', async () => {
    expect(await log({ score: 101 }, 422)).toMatchObject({ detail: [{ type: 'less_than_equal' }] });
    expect(await log({ price: -0.1 }, 422)).toMatchObject({ detail: [{ type: 'greater_than_equal' }] });
  });

  const ALLOWED: Record<string, string[]> = {
    PROVIDER_RATE_LIMIT: ['WARNING', 'ERROR'],
    PROVIDER_QUOTA_LIMIT: ['WARNING', 'ERROR'],
    PROVIDER_PARTIAL_RESPONSE: ['WARNING'],
    VARIABLE_MISSING_OR_EMPTY: ['WARNING'],
    PROVIDER_TIMEOUT: ['ERROR'],
    PROVIDER_AUTH_ERROR: ['ERROR'],
    PROVIDER_ERROR: ['ERROR'],
    TEMPLATE_RENDER_ERROR: ['ERROR'],
    UNKNOWN_ERROR: ['WARNING', 'ERROR'],
  };

  it('is refused when its error type does not go with its status', async () => {
    for (const [error_type, allowed] of Object.entries(ALLOWED)) {
      for (const status of ['SUCCESS', 'WARNING', 'ERROR', undefined]) {
        const expected = status !== undefined && allowed.includes(status) ? 201 : 422;
        const answer = await me.request('POST', '/log-request', { ...CALL, error_type, status });
        expect([error_type, status, answer.status]).toEqual([error_type, status, expected]);
      }
    }
  });
});
