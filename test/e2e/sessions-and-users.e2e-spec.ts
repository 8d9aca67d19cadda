import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { bulkSpan, storeBulk } from '../support/bulk.js';
import { JSON_TYPE, llmSpan, send, span, spanId, text, traceId } from '../support/otlp.js';
import { search } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

const TRACES = '/api/public/v2/traces';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

/** Attributes in which the conventions name the conversation and the user of a span. */
const SESSIONS = [
  'gen_ai.conversation.id',
  'session.id',
  'ai.telemetry.metadata.sessionId',
  'traceloop.association.properties.session_id',
  'langsmith.trace.session_id',
  'langfuse.session.id',
  'langfuse.trace.session_id',
  'mlflow.trace.session',
  'gcp.vertex.agent.session_id',
  'genkit:sessionId',
  'openai_agents.group_id',
];
const USERS = [
  'user.id',
  'enduser.id',
  'ai.telemetry.metadata.userId',
  'traceloop.association.properties.user_id',
  'langfuse.user.id',
  'langfuse.trace.user_id',
  'llm.user',
  'gen_ai.request.user',
  'mlflow.trace.user',
];

type Filter = Record<string, unknown>;

const named = (field: string, nested_key: string, value: string): Filter => ({
  field,
  operator: 'key_equals',
  nested_key,
  value,
});
const is = (field: string, value: string): Filter => ({ field, operator: 'is', value });
const sessionOf = (field: string, value: string) => named(field, 'conversation_id', value);

async function logsWith(filter: Filter): Promise<number> {
  return (await search(me, { filters: [filter] })).items.length;
}

async function tracesWith(filter: Filter): Promise<string[]> {
  const found = (await me.post(`${TRACES}/search`, { filter_group: { filters: [filter] } })) as {
    items: { trace_id: string }[];
  };
  return found.items.map(({ trace_id }) => trace_id);
}

/** A value that no other test sends. */
const unique = () => `it-${spanId()}`;

/** Spans of a resource that says so. */
function sendFrom(resource: object[], spans: unknown[]) {
  const body = { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans }] }] };
  return me.with(JSON_TYPE).request('POST', '/v1/traces', JSON.stringify(body));
}

describe('a conversation', () => {
  it.each(SESSIONS)('is found by the %s of a call', async (key) => {
    const value = unique();
    const sent = llmSpan({ more: { [key]: value } });
    await send(me, [sent, llmSpan({ more: { [key]: `${value}0` } })]);
    expect(await logsWith(sessionOf('metadata', value))).toBe(1);
    expect(await tracesWith(sessionOf('trace_metadata', value))).toEqual([sent.traceId]);
  });

  it.each(SESSIONS)('is found among traces by the %s of any span, and by the attribute itself', async (key) => {
    const [id, value] = [traceId(), unique()];
    const root = span({ traceId: id, attributes: [text(key, value)] });
    await send(me, [root, llmSpan({}, { traceId: id, parentSpanId: root.spanId })]);
    expect(await tracesWith(sessionOf('trace_metadata', value))).toEqual([id]);
    expect(await tracesWith(named('span_attributes', key, value))).toEqual([id]);
  });

  it.each(['gen_ai.conversation.id', 'session.id'])('is found by the %s of a resource', async (key) => {
    const value = unique();
    const sent = llmSpan();
    await sendFrom([text(key, value)], [sent]);
    expect(await logsWith(sessionOf('metadata', value))).toBe(1);
    expect(await tracesWith(sessionOf('trace_metadata', value))).toEqual([sent.traceId]);
  });

  it('may be a number', async () => {
    const sent = llmSpan();
    const attributes = [...(sent.attributes as object[]), { key: 'session.id', value: { intValue: '987654321' } }];
    await send(me, [{ ...sent, attributes }]);
    expect(await logsWith(sessionOf('metadata', '987654321'))).toBe(1);
    expect(await tracesWith(sessionOf('trace_metadata', '987654321'))).toEqual([sent.traceId]);
  });

  it('in a span that is sent in bulk is found among traces', async () => {
    const value = unique();
    const sent = bulkSpan({ attributes: { 'session.id': value } });
    await storeBulk(me, [sent]);
    expect(await tracesWith(sessionOf('trace_metadata', value))).toEqual([sent.context.trace_id]);
  });

  it('has the requests and traces of all its turns', async () => {
    const value = unique();
    const turns = [1, 2, 3].map(() => llmSpan({ more: { 'session.id': value } }));
    for (const turn of turns) await send(me, [turn]);
    expect(await logsWith(sessionOf('metadata', value))).toBe(3);
    expect((await tracesWith(sessionOf('trace_metadata', value))).sort()).toEqual(
      turns.map((turn) => turn.traceId).sort(),
    );
  });
});

describe('a user', () => {
  it.each(USERS)('is found by the %s of a call', async (key) => {
    const value = unique();
    const sent = llmSpan({ more: { [key]: value } });
    await send(me, [sent, llmSpan({ more: { [key]: `${value}0` } })]);
    expect(await logsWith(is('user_id', value))).toBe(1);
    expect(await logsWith(named('metadata', 'user_id', value))).toBe(1);
    expect(await me.get(`/requests?user_id=${value}`)).toMatchObject({ total: 1 });
    expect(await tracesWith(is('trace_user_id', value))).toEqual([sent.traceId]);
    expect(await tracesWith(named('trace_metadata', 'user_id', value))).toEqual([sent.traceId]);
  });

  it.each(USERS)('is found among traces by the %s of any span', async (key) => {
    const [id, value] = [traceId(), unique()];
    const root = span({ traceId: id, attributes: [text(key, value)] });
    await send(me, [llmSpan({}, { traceId: id, parentSpanId: root.spanId })]);
    await send(me, [root]);
    expect(await tracesWith(is('trace_user_id', value))).toEqual([id]);
  });

  it.each(['user.id', 'enduser.id'])('is found by the %s of a resource', async (key) => {
    const value = unique();
    const sent = llmSpan();
    await sendFrom([text(key, value)], [sent]);
    expect(await logsWith(is('user_id', value))).toBe(1);
    expect(await tracesWith(is('trace_user_id', value))).toEqual([sent.traceId]);
  });
});
