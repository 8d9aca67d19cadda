import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { keyValues } from '../support/nested-calls.js';
import { llmSpan, send, span } from '../support/otlp.js';
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

/** JSON as Python writes it, in ASCII. */
const escaped = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A word that occurs in no other test. */
const newWord = () => `退款流程${randomBytes(3).toString('hex')}`;

async function traces(query: object): Promise<string[]> {
  const { items } = (await me.post(TRACES, query)) as { items: { trace_id: string }[] };
  return items.map(({ trace_id }) => trace_id);
}
const filtered = (field: string, value: string, more: object = {}) => ({
  filter_group: { filters: [{ field, operator: 'contains', value, ...more }] },
});
const inside = (field: string, nested_key: string, value: string, operator = 'key_contains') =>
  filtered(field, value, { operator, nested_key });

interface Case {
  attributes: (word: string) => Record<string, unknown>;
  /** Queries that find the word, in addition to free text. */
  queries: (word: string) => object[];
}

const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'refund' };
const asInput = (word: string) => [filtered('span_input', word)];
const asOutput = (word: string) => [filtered('span_output', word)];

const SPANS: Record<string, Case> = {
  'the input of a chain': {
    attributes: (word) => ({ 'openinference.span.kind': 'CHAIN', 'input.value': escaped({ question: word }) }),
    queries: (word) => [
      ...asInput(word),
      inside('span_attributes', 'input.value', word),
      inside('span_attributes', 'input.value.question', word),
      inside('span_attributes', 'input.value.question', word, 'key_equals'),
      inside('span_attributes', 'input.value', JSON.stringify({ question: word }), 'key_equals'),
      inside('span_attributes', 'input.value', escaped({ question: word }), 'key_equals'),
    ],
  },
  'the output of a chain': {
    attributes: (word) => ({ 'openinference.span.kind': 'CHAIN', 'output.value': escaped({ answer: [word] }) }),
    queries: (word) => [...asOutput(word), inside('span_output_values', 'answer', word, 'key_equals')],
  },
  'the input of a function that is a plain string': {
    attributes: (word) => ({ node_type: 'CODE_EXECUTION', function_input: escaped(word) }),
    queries: asInput,
  },
  'the arguments of a tool': {
    attributes: (word) => ({ ...tool, 'gen_ai.tool.call.arguments': escaped({ reason: word }) }),
    queries: asInput,
  },
  'the result of a tool, JSON in JSON': {
    attributes: (word) => ({ ...tool, 'gen_ai.tool.call.result': JSON.stringify({ body: escaped({ note: word }) }) }),
    queries: (word) => [...asOutput(word), inside('span_output_values', 'body', word)],
  },
  'an input that was cut off': {
    attributes: (word) => ({
      'traceloop.span.kind': 'task',
      'traceloop.entity.input': escaped({ a: word, b: 'x' }).slice(0, -4),
    }),
    queries: asInput,
  },
  'variables of a prompt': {
    attributes: (word) => ({
      'openinference.span.kind': 'CHAIN',
      'input.value': word,
      'llm.prompt_template.variables': escaped({ topic: word }),
    }),
    queries: (word) => [inside('span_input_variables', 'topic', word)],
  },
  metadata: {
    attributes: (word) => ({ 'input.value': word, 'promptlayer.metadata.order': escaped({ note: word }) }),
    queries: (word) => [
      inside('trace_metadata', 'order', word),
      inside('trace_metadata', 'order.note', word, 'key_equals'),
    ],
  },
};

describe('JSON in an attribute, written in ASCII', () => {
  it.each(Object.entries(SPANS))('is found in %s', async (_name, { attributes, queries }) => {
    const word = newWord();
    const sent = span({ attributes: keyValues(attributes(word)) });
    await send(me, [sent]);
    for (const query of [{ q: word }, ...queries(word)]) {
      expect([query, await traces(query)]).toEqual([query, [sent.traceId]]);
    }
  });

  it('is shown formatted, and stored as it was sent', async () => {
    const [asked, answered] = [escaped({ question: '申请退款' }), escaped({ answer: '好' })];
    const sent = span({ attributes: keyValues({ 'input.value': asked, 'output.value': answered }) });
    await send(me, [sent]);
    expect(await me.get(`/api/public/v2/traces/${String(sent.traceId)}`)).toMatchObject({
      trace: { first_input: '{"question":"申请退款"}', last_output: '{"answer":"好"}' },
      spans: [{ attributes: { 'input.value': asked } }],
    });
  });

  it('is found and shown in messages and tool calls of request logs', async () => {
    const [asked, found, called] = [newWord(), newWord(), newWord()];
    const parts = (role: string, part: object) => JSON.stringify([{ role, parts: [part] }]);
    const input = [
      { role: 'user', parts: [{ type: 'text', content: escaped({ question: asked }) }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: escaped({ city: found }) }] },
    ];
    const output = parts('assistant', { type: 'tool_call', id: 'd', name: 'w', arguments: escaped({ city: called }) });
    const sent = llmSpan(
      {},
      {
        attributes: keyValues({
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'gpt-4o-mini',
          'gen_ai.input.messages': JSON.stringify(input),
          'gen_ai.output.messages': output,
        }),
      },
    );
    await send(me, [sent]);

    for (const word of [asked, found, called]) {
      expect(await me.post(LOGS, { q: word })).toMatchObject({ total: 1 });
      expect(await traces({ q: word })).toEqual([sent.traceId]);
    }
    expect(await me.post(LOGS, filtered('input_text', asked))).toMatchObject({ total: 1 });
    expect(await me.post(LOGS, filtered('input_text', found))).toMatchObject({ total: 1 });
    expect(await me.post(LOGS, filtered('output_text', called))).toMatchObject({ total: 1 });
  });
});
