import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send, text, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const TRACES = '/api/public/v2/traces/search';
const LOGS = '/api/public/v2/requests/search';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

async function total(path: string, field: string, operator: string, more: object): Promise<number> {
  const filter_group = { filters: [{ field, operator, ...more }] };
  return ((await me.post(path, { filter_group })) as { total: number }).total;
}

describe('what is reported for a call after its trace was searched', () => {
  it('is found by the next search: metadata', async () => {
    const trace = traceId();
    const id = await logCall(me, {}, { traceId: trace });
    const ticket = { nested_key: 'ticket', value: trace };
    expect(await total(TRACES, 'trace_metadata', 'key_equals', ticket)).toBe(0);
    await me.post('/rest/track-metadata', { request_id: id, metadata: { ticket: trace, user_id: trace } });
    expect(await total(LOGS, 'metadata', 'key_equals', ticket)).toBe(1);
    expect(await total(TRACES, 'trace_metadata', 'key_equals', ticket)).toBe(1);
    expect(await total(TRACES, 'trace_user_id', 'is', { value: trace })).toBe(1);
    expect(await me.get(`/api/public/v2/traces/${trace}`)).toMatchObject({ trace: { metadata: { ticket: trace } } });
  });

  it('is found by the next search: a value that replaces another one', async () => {
    const trace = traceId();
    const id = await logCall(me, { more: { 'promptlayer.metadata.stage': `first ${trace}` } }, { traceId: trace });
    const stage = (value: string) => ({ nested_key: 'stage', value: `${value} ${trace}` });
    expect(await total(TRACES, 'trace_metadata', 'key_equals', stage('first'))).toBe(1);
    await me.post('/rest/track-metadata', { request_id: id, metadata: { stage: `second ${trace}` } });
    expect(await total(TRACES, 'trace_metadata', 'key_equals', stage('second'))).toBe(1);
    expect(await total(TRACES, 'trace_metadata', 'key_equals', stage('first'))).toBe(0);
  });

  it('is found by the next search: a prompt', async () => {
    const trace = traceId();
    const { id: prompt } = await publishPrompt(me, 'late');
    const id = await logCall(me, {}, { traceId: trace });
    expect(await total(TRACES, 'trace_prompt_ids', 'contains', { value: String(prompt) })).toBe(0);
    await me.post('/rest/track-prompt', { request_id: id, prompt_name: 'late' });
    expect(await total(TRACES, 'trace_prompt_ids', 'contains', { value: String(prompt) })).toBe(1);
    expect(await total(TRACES, 'span_prompt_id', 'is', { value: prompt })).toBe(1);
    expect(await total(LOGS, 'prompt_id', 'is', { value: prompt })).toBe(1);
  });

  it('is found by the next search: scores, and tags of a span that comes again', async () => {
    const sent = llmSpan({});
    const id = await logCall(me, {}, sent);
    await me.post('/rest/track-score', { request_id: id, score: 77, name: `score ${String(sent.spanId)}` });
    const score = { nested_key: `score ${String(sent.spanId)}`, value: 77 };
    expect(await total(LOGS, 'scores', 'eq', score)).toBe(1);

    const tag = `tag-${String(sent.spanId)}`;
    const attributes = [...(sent.attributes as object[]), text('promptlayer.tags', tag)];
    expect(await total(TRACES, 'trace_tags', 'contains', { value: tag })).toBe(0);
    await send(me, [{ ...sent, attributes }]);
    expect(await total(LOGS, 'tags', 'contains', { value: tag })).toBe(1);
    expect(await total(TRACES, 'trace_tags', 'contains', { value: tag })).toBe(1);
  });

  it('is found by the next search: the log of a span that came before', async () => {
    const trace = traceId();
    const run = llmSpan(
      { more: { 'gen_ai.operation.name': 'invoke_agent', node_type: 'CODE_EXECUTION' } },
      { traceId: trace },
    );
    await send(me, [run]);
    expect(((await me.post(TRACES, { q: `zanzibar ${trace}` })) as { total: number }).total).toBe(0);
    await me.post('/track-request', {
      function_name: 'openai.chat.completions.create',
      provider_type: 'openai',
      args: [],
      kwargs: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] },
      request_response: { choices: [{ message: { role: 'assistant', content: 'Hello' } }] },
      request_start_time: 1_780_000_000,
      request_end_time: 1_780_000_001,
      metadata: { place: trace },
      tags: [`late-${trace}`],
      span_id: run.spanId,
    });
    expect(await total(TRACES, 'trace_tags', 'contains', { value: `late-${trace}` })).toBe(1);
    expect(await total(TRACES, 'trace_metadata', 'key_equals', { nested_key: 'place', value: trace })).toBe(1);
  });
});
