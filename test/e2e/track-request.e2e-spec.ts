import type { EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendChunks } from '../support/chunks.js';
import type { Client } from '../support/client.js';
import { readSpans, send, span, spanId, text, traceId } from '../support/otlp.js';
import { between } from '../support/locks.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
/** Client without a header, like the SDKs. Its key is in the body. */
let sdk: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  sdk = app.clientWith(null);
});
afterAll(() => app.stop());

/** Body that a wrapper of the Python SDK sends. */
const CALL = {
  function_name: 'openai.chat.completions.create',
  provider_type: 'openai',
  args: [],
  kwargs: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Where is my parcel?' }], temperature: 0.5 },
  tags: ['support'],
  request_response: {
    id: 'chatcmpl-1',
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'On its way.' } }],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 500,
      prompt_tokens_details: { cached_tokens: 600 },
      completion_tokens_details: { reasoning_tokens: 200 },
    },
  },
  request_start_time: 1780000000.25,
  request_end_time: 1780000001.75,
  metadata: { user_id: '7' },
};

interface Tracked {
  request_id: number;
  [field: string]: unknown;
}

const track = async (body: object = {}, status = 200): Promise<Tracked> =>
  (await sdk.post('/track-request', { api_key: app.apiKey, ...CALL, ...body }, status)) as Tracked;
const read = async ({ request_id }: Tracked): Promise<Tracked> =>
  (await me.get(`/api/public/v2/requests/${request_id}`)) as Tracked;
const count = async (): Promise<number> =>
  Number(((await app.sql('SELECT count(*) FROM request_logs')) as { count: string }[])[0]!.count);

describe('POST /track-request', () => {
  it('stores the call of a client with the key in the body', async () => {
    const tracked = await track();
    expect(tracked).toEqual({
      success: true,
      request_id: expect.any(Number),
      prompt_blueprint: null,
      message: 'Request tracked successfully',
    });
    expect(await read(tracked)).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o',
      api_type: 'chat-completions',
      function_name: 'openai.chat.completions.create',
      input_tokens: 1000,
      output_tokens: 500,
      cached_tokens: 600,
      thinking_tokens: 200,
      request_start_time: '2026-05-28T20:26:40.250Z',
      latency_ms: 1500,
      status: 'SUCCESS',
      tags: ['support'],
      metadata: { user_id: '7' },
      prompt_blueprint: {
        prompt_template: {
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'Where is my parcel?' }] },
            { role: 'assistant', content: [{ type: 'text', text: 'On its way.' }] },
          ],
        },
        metadata: { model: { parameters: { temperature: 0.5 } } },
      },
    });
  });

  it('charges cached and reasoning tokens once', async () => {
    // 400 at 2.50, 600 at 1.25, 500 at 10 dollars per million.
    expect(await read(await track())).toMatchObject({ price: expect.closeTo(0.00675, 8), priced: true });
    const anthropic = await track({
      function_name: 'anthropic.messages.create',
      provider_type: 'anthropic',
      kwargs: { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 },
      request_response: {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello' }],
        usage: {
          input_tokens: 100,
          output_tokens: 50,
          cache_read_input_tokens: 1000,
          cache_creation_input_tokens: 200,
        },
      },
    });
    // 100 at 3, 1000 at 0.30, 200 at 3.75, 50 at 15; the input is shown as it was reported.
    expect(await read(anthropic)).toMatchObject({ input_tokens: 100, price: expect.closeTo(0.0021, 8) });
    const hour = await track({
      function_name: 'anthropic.messages.create',
      provider_type: 'anthropic',
      kwargs: { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 },
      request_response: {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello' }],
        usage: {
          input_tokens: 100,
          output_tokens: 50,
          cache_creation_input_tokens: 300,
          cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
        },
      },
    });
    // 100 at 3, 200 at 3.75, 100 at 6, 50 at 15.
    expect(await read(hour)).toMatchObject({ cache_write_tokens: 300, price: expect.closeTo(0.0024, 8) });
    const google = await track({
      function_name: 'google.model.generate_content',
      provider_type: 'google',
      kwargs: { model: 'gemini-2.5-flash', contents: 'Hi' },
      request_response: {
        candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }],
        usage_metadata: { prompt_token_count: 1000, candidates_token_count: 100, thoughts_token_count: 400 },
      },
    });
    // 1000 at 0.30, 500 at 2.50.
    expect(await read(google)).toMatchObject({ output_tokens: 500, price: expect.closeTo(0.00155, 8) });
    const unknown = await track({ provider_type: 'house', kwargs: { ...CALL.kwargs, model: 'our-own' } });
    expect(await read(unknown)).toMatchObject({ price: 0, priced: false });
  });

  it('charges a deployment as the model that it turns out to be', async () => {
    const azure = await track({
      function_name: 'openai.AzureOpenAI.chat.completions.create',
      provider_type: 'openai.azure',
      kwargs: { ...CALL.kwargs, model: 'prod-chat' },
    });
    expect(await read(azure)).toMatchObject({ model: 'prod-chat', price: expect.closeTo(0.00675, 8), priced: true });
  });

  it('answers with the call as a prompt when it is asked to', async () => {
    const { prompt_blueprint } = await track({ return_prompt_blueprint: true, return_pl_id: true, return_data: true });
    expect(prompt_blueprint).toMatchObject({
      prompt_template: {
        type: 'chat',
        messages: [
          { role: 'user', raw_request_display_role: 'user' },
          { role: 'assistant', raw_request_display_role: 'assistant' },
        ],
        functions: [],
        tools: [],
      },
      metadata: { model: { provider: 'openai', name: 'gpt-4o', display_params: { temperature: '0.5' } } },
    });
  });

  it('stores failed calls and cuts their messages to what fits', async () => {
    const failed = await track({
      request_response: {},
      status: 'ERROR',
      error_type: 'PROVIDER_RATE_LIMIT',
      error_message: `${'x'.repeat(1023)}😀`,
    });
    expect(await read(failed)).toMatchObject({
      status: 'ERROR',
      error_type: 'PROVIDER_RATE_LIMIT',
      error_message: 'x'.repeat(1023),
      sanitized: false,
    });
    await track({ status: 'SUCCESS', error_type: 'PROVIDER_ERROR' }, 422);
  });

  it.each([
    [{}, { status: 'WARNING', error_type: 'PROVIDER_PARTIAL_RESPONSE' }],
    [{ error_message: '' }, { status: 'WARNING', error_message: null }],
    [{ status: 'SUCCESS' }, { status: 'SUCCESS', error_type: null }],
    [{ error_message: 'overloaded' }, { status: 'ERROR', error_type: null, error_message: 'overloaded' }],
    [{ error_type: 'PROVIDER_RATE_LIMIT' }, { status: 'ERROR', error_type: 'PROVIDER_RATE_LIMIT' }],
    [{ error_type: 'PROVIDER_PARTIAL_RESPONSE' }, { status: 'WARNING', error_type: 'PROVIDER_PARTIAL_RESPONSE' }],
  ])('derives a missing status from the answer, unless an error is reported: %j', async (fields, outcome) => {
    const cut = { choices: [{ finish_reason: 'length', message: { role: 'assistant', content: '' } }] };
    expect(await read(await track({ request_response: cut, ...fields }))).toMatchObject(outcome);
  });

  it('never stores keys, in the body or in the arguments', async () => {
    const { request_id } = await track({ kwargs: { ...CALL.kwargs, apiKey: 'sk-secret', baseURL: 'https://llm' } });
    const [row] = (await app.sql('SELECT l::text AS row FROM request_logs l WHERE id = $1', [request_id])) as {
      row: string;
    }[];
    expect(row!.row).toContain('https://llm');
    expect(row!.row).not.toContain('sk-secret');
    expect(row!.row).not.toContain(app.apiKey);
  });

  it('keeps integers that are longer than a number can be, to the last digit', async () => {
    const body = JSON.stringify({ ...CALL, api_key: app.apiKey, metadata: { user_id: '@' } });
    const json = sdk.with({ 'content-type': 'application/json' });
    const tracked = (await json.post('/track-request', body.replace('"@"', '1234567890123456789'))) as Tracked;
    expect(await read(tracked)).toMatchObject({ metadata: { user_id: '1234567890123456789' } });
  });

  it('stores what it does not understand as it came', async () => {
    const tracked = await track({
      function_name: 'house.predict',
      provider_type: 'house',
      args: ['a', 7],
      kwargs: { horizon: 3 },
      request_response: { forecast: [1, 2] },
    });
    expect(await read(tracked)).toMatchObject({
      model: 'unknown',
      prompt_blueprint: {
        prompt_template: { messages: [{ role: 'assistant', content: [{ text: '{"forecast":[1,2]}' }] }] },
        metadata: { model: { parameters: { horizon: 3, args: ['a', 7] } } },
      },
    });
  });

  it('takes nothing but a function and two times', async () => {
    const least = { function_name: 'openai.x', request_start_time: '2026-05-28', request_end_time: '2026-05-29' };
    const tracked = (await me.post('/track-request', least)) as Tracked;
    expect(await read(tracked)).toMatchObject({ provider: 'openai', model: 'unknown', latency_ms: 86_400_000 });
  });

  it('links the prompt that was called, and stores calls of prompts that are gone', async () => {
    const { id } = await publishPrompt(me, 'tracked');
    const linked = await read(await track({ prompt_id: id, prompt_version: 1, prompt_input_variables: { a: 1 } }));
    expect(linked).toMatchObject({ prompt_id: id, prompt_version_number: 1, prompt_input_variables: { a: 1 } });
    for (const gone of [{ prompt_id: 999_999 }, { prompt_id: 9_999_999_999 }, { prompt_id: id, prompt_version: 9e9 }]) {
      expect(await read(await track(gone))).toMatchObject({ prompt_id: null });
    }
  });

  it('puts the log into a group, and answers 404 when there is no such group', async () => {
    const { id } = (await me.post('/create-group', {})) as { id: number };
    const { request_id } = await track({ group_id: id });
    expect(await app.sql('SELECT group_id FROM request_logs WHERE id = $1', [request_id])).toEqual([{ group_id: id }]);
    const before = await count();
    for (const group_id of [999_999, 9_999_999_999]) {
      expect(await track({ group_id }, 404)).toMatchObject({ error: 'request_group_not_found' });
    }
    const stranger = await app.stranger();
    await stranger.post('/track-request', { ...CALL, group_id: id }, 404);
    expect(await count()).toBe(before);
  });

  it('refuses callers without a valid key', async () => {
    await sdk.post('/track-request', { ...CALL, api_key: 'pl_wrong' }, 401);
    await sdk.post('/track-request', CALL, 401);
  });

  it('takes a body as large as any of ingestion from a caller with the key in a header', async () => {
    const answer = 'parcel '.repeat(1_600_000);
    const request_response = { choices: [{ message: { role: 'assistant', content: answer } }] };
    const tracked = (await me.post('/track-request', { ...CALL, request_response })) as Tracked;
    expect(await read(tracked)).toMatchObject({
      prompt_blueprint: { prompt_template: { messages: [{}, { content: [{ text: answer }] }] } },
    });
    await track({ request_response }, 413);
    const beyond = me.with({ 'content-type': 'application/json', 'content-length': String(70 * 1024 * 1024) });
    expect((await beyond.request('POST', '/track-request', '{}')).status).toBe(413);
  });

  it('stops a body without a length that is too large for a stranger', async () => {
    await app.listen();
    expect(await sendChunks(app, 10, { path: '/track-request' })).toContain(' 413 ');
  });

  it.each([
    ['no function', { function_name: undefined }, 'function_name'],
    ['a text for arguments', { kwargs: 'model' }, 'kwargs'],
    ['a time that is none', { request_end_time: 'now' }, 'request_end_time'],
    ['a group without a number', { group_id: 'x' }, 'group_id'],
    ['an unknown error type', { status: 'ERROR', error_type: 'OOPS' }, 'error_type'],
    ['a span id of too many bytes', { span_id: 'é'.repeat(401) }, 'span_id'],
    ['a long tag', { tags: ['x'.repeat(513)] }, 'tags'],
  ])('refuses %s', async (_name, body, field) => {
    expect(await track(body, 422)).toMatchObject({ detail: [{ loc: expect.arrayContaining(['body', field]) }] });
  });
});

describe('a call made in a span', () => {
  it('is one log of that span, whichever comes first', async () => {
    for (const first of ['span', 'call']) {
      const run = runSpan();
      const deliver = async () => expect((await send(me, [run])).status).toBe(200);
      if (first === 'span') await deliver();
      const { request_id } = await track({ span_id: run.spanId });
      if (first === 'call') await deliver();
      expect(await readSpans(me, run.traceId)).toMatchObject([{ request_log_id: request_id }]);
      expect(await read({ request_id })).toMatchObject({ span_id: run.spanId, trace_id: run.traceId });
    }
  });

  it('is stored once when it is delivered again, one after the other or at the same time', async () => {
    const span_id = runSpan().spanId;
    const before = await count();
    const { request_id } = await track({ span_id });
    const again = await Promise.all(Array.from({ length: 8 }, () => track({ span_id: span_id.toUpperCase() })));
    expect(new Set(again.map((answer) => answer.request_id))).toEqual(new Set([request_id]));
    const fresh = runSpan().spanId;
    const together = await Promise.all(Array.from({ length: 8 }, () => track({ span_id: fresh })));
    expect(new Set(together.map((answer) => answer.request_id)).size).toBe(1);
    expect(await count()).toBe(before + 2);
  });

  it('is another call when its times are others, and so is one without a span', async () => {
    const span_id = runSpan().spanId;
    const first = await track({ span_id });
    expect((await track({ span_id, request_end_time: 1780000009 })).request_id).not.toBe(first.request_id);
    expect((await track()).request_id).not.toBe((await track()).request_id);
  });

  it('in another workspace is not found by the id of the span', async () => {
    const span_id = runSpan().spanId;
    const mine = await track({ span_id });
    const stranger = await app.stranger();
    const theirs = (await stranger.post('/track-request', { ...CALL, span_id })) as Tracked;
    expect(theirs.request_id).not.toBe(mine.request_id);
  });
});

describe('calls made in spans that exist', () => {
  const lockTraces = (tx: EntityManager, traces: string[]) =>
    tx.query('SELECT FROM traces WHERE trace_id = ANY ($1) ORDER BY trace_id COLLATE "C" FOR UPDATE', [traces]);

  it('lock the trace before the claim, as spans do', async () => {
    const run = runSpan();
    await send(me, [run]);
    await between(
      app,
      (tx) => lockTraces(tx, [run.traceId]),
      () => track({ span_id: run.spanId }),
      (tx) =>
        tx.query(
          `INSERT INTO log_claims (workspace_id, span_id) SELECT workspace_id, $1 FROM traces WHERE trace_id = $2
           ON CONFLICT (workspace_id, span_id) DO UPDATE SET span_id = excluded.span_id`,
          [run.spanId, run.traceId],
        ),
    );
    expect(await deadlocks()).toBe(0);
  });

  it('lock their traces in the order of ingestion, whatever the order of the calls', async () => {
    const low = runSpan('0'.repeat(31) + '1');
    const high = Array.from({ length: 40 }, () => runSpan(`f${traceId().slice(1)}`));
    await send(me, [low, ...high]);
    await between(
      app,
      (tx) => lockTraces(tx, [low.traceId]),
      () => Promise.all([...high, low, ...high].map((run) => track({ span_id: run.spanId }))),
      (tx) =>
        lockTraces(
          tx,
          high.map((run) => run.traceId),
        ),
    );
    expect(await deadlocks()).toBe(0);
  });
});

/** Victims of deadlocks are run again, so answers do not show them. */
async function deadlocks(): Promise<number> {
  const [row] = await app.sql('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
  return (row as { deadlocks: number }).deadlocks;
}

/** The span that an SDK opens around a run. */
function runSpan(trace = traceId()) {
  const ids = { traceId: trace, spanId: spanId() };
  return { ...span({ ...ids, name: 'Run', attributes: [text('node_type', 'CODE_EXECUTION')] }), ...ids };
}
