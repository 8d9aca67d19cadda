import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { SpanAttributes } from './attributes.js';
import { readMetadata } from './metadata.js';
import { attributesOf, testSpanOf } from './test-span.fixture.js';

describe('readMetadata', () => {
  it.each<[string, JsonObject, Record<string, string>]>([
    ['user.id before enduser.id', { 'user.id': 'u', 'enduser.id': 'e' }, { user_id: 'u' }],
    ['enduser.id', { 'enduser.id': 'e', 'llm.user': 'l' }, { user_id: 'e' }],
    ['the user of other conventions', { 'gen_ai.request.user': 'g' }, { user_id: 'g' }],
    [
      'gen_ai.conversation.id before session.id',
      { 'gen_ai.conversation.id': 'c', 'session.id': 's' },
      { conversation_id: 'c' },
    ],
    ['session.id', { 'session.id': 's' }, { conversation_id: 's' }],
    [
      'promptlayer.metadata before everything',
      { 'user.id': 'u', 'promptlayer.metadata.user_id': 'p' },
      { user_id: 'p' },
    ],
    ['promptlayer.metadata before others', { 'metadata.k': '1', 'promptlayer.metadata.k': '2' }, { k: '2' }],
    ['langsmith.metadata', { 'langsmith.metadata.k': 'v' }, { k: 'v' }],
    ['traceloop properties', { 'traceloop.association.properties.k': 'v' }, { k: 'v' }],
    ['LiteLLM metadata', { 'metadata.user_api_key': 'v' }, { user_api_key: 'v' }],
    ['OpenInference metadata', { metadata: '{"k":"v"}' }, { k: 'v' }],
    ['openai_agents metadata', { 'openai_agents.metadata.k': 'v' }, { k: 'v' }],
    ['the first of two foreign sources', { 'metadata.k': '2', 'langsmith.metadata.k': '1' }, { k: '1' }],
    [
      'the mapped user before foreign metadata',
      { 'langsmith.metadata.user_id': 'x', 'user.id': 'u' },
      { user_id: 'u' },
    ],
    [
      'numbers and booleans as text',
      { 'promptlayer.metadata.n': 1.5, 'promptlayer.metadata.b': false },
      { n: '1.5', b: 'false' },
    ],
    [
      'lists and objects as JSON',
      { 'promptlayer.metadata.l': [1], 'promptlayer.metadata.o': { a: 1 } },
      { l: '[1]', o: '{"a":1}' },
    ],
    ['neither blanks nor null', { 'promptlayer.metadata.e': '', 'promptlayer.metadata.z': null, 'user.id': '' }, {}],
    ['not what describes the process', { 'service.name': 's', 'deployment.environment': 'prod' }, {}],
  ])('takes %s', (_, attributes, expected) => {
    expect(readMetadata(attributesOf(attributes))).toEqual(expected);
  });

  it.each([
    [
      'user_id',
      [
        'user.id',
        'enduser.id',
        'ai.telemetry.metadata.userId',
        'traceloop.association.properties.user_id',
        'langfuse.user.id',
        'llm.user',
        'gen_ai.request.user',
        'gen_ai.user',
      ],
    ],
    [
      'conversation_id',
      [
        'gen_ai.conversation.id',
        'session.id',
        'ai.telemetry.metadata.sessionId',
        'traceloop.association.properties.session_id',
        'langsmith.trace.session_id',
        'langfuse.session.id',
        'langsmith.metadata.session_id',
        'langsmith.metadata.thread_id',
      ],
    ],
    [
      'k',
      [
        'promptlayer.metadata.k',
        'langsmith.metadata.k',
        'traceloop.association.properties.k',
        'ai.telemetry.metadata.k',
        'metadata.k',
        'metadata',
        'openai_agents.metadata.k',
      ],
    ],
  ])('takes %s from the first of its sources that is there', (name, sources) => {
    const valueOf = (source: string) => (source === 'metadata' ? { k: source } : source);
    const found = sources.map((_, index) => {
      const there = sources.slice(index).toReversed();
      return readMetadata(attributesOf(Object.fromEntries(there.map((source) => [source, valueOf(source)]))))[name];
    });
    expect(found).toEqual(sources);
  });

  it('applies other names of the user and the conversation on the resource', () => {
    const resource = { 'enduser.id': 'r', 'gen_ai.conversation.id': 'rc' };
    expect(readMetadata(SpanAttributes.of(testSpanOf(resource)))).toEqual({ user_id: 'r', conversation_id: 'rc' });
  });

  it('applies the user, session and metadata of the resource, unless the span has its own', () => {
    const resource = { 'user.id': 'r', 'session.id': 'rs', 'promptlayer.metadata.k': 'r', 'langsmith.metadata.x': 'r' };
    const read = (own: JsonObject) => readMetadata(SpanAttributes.of(testSpanOf(resource, own)));
    expect(read({})).toEqual({ user_id: 'r', conversation_id: 'rs', k: 'r' });
    expect(read({ 'user.id': 's', 'promptlayer.metadata.k': 's' })).toEqual({
      user_id: 's',
      conversation_id: 'rs',
      k: 's',
    });
  });

  it('takes any name of a user or conversation on the span before those on the resource', () => {
    const resource = { 'user.id': 'r', 'gen_ai.conversation.id': 'rc' };
    const read = (own: JsonObject) => readMetadata(SpanAttributes.of(testSpanOf(resource, own)));
    expect(read({ 'enduser.id': 'e', 'session.id': 's' })).toEqual({ user_id: 'e', conversation_id: 's' });
    expect(read({ 'llm.user': 'l', 'langfuse.session.id': 'f' })).toEqual({ user_id: 'l', conversation_id: 'f' });
  });

  it('takes what a convention implied for the span before the resource', () => {
    const attributes = SpanAttributes.of(testSpanOf({ 'user.id': 'r' }));
    expect(readMetadata(attributes.withImplied({ 'ai.telemetry.metadata.userId': 'u' }))).toMatchObject({
      user_id: 'u',
    });
  });

  it('takes what the resource says where the span is blank', () => {
    const resource = { 'user.id': 'r', 'enduser.id': 're', 'session.id': 'rs', 'promptlayer.metadata.k': 'r' };
    const own = { 'user.id': ' ', 'session.id': '', 'promptlayer.metadata.k': '' };
    expect(readMetadata(SpanAttributes.of(testSpanOf(resource, own)))).toEqual({
      user_id: 'r',
      conversation_id: 'rs',
      k: 'r',
    });
  });

  it('keeps a key named __proto__ and cuts keys of absurd length', () => {
    const long = 'k'.repeat(2000);
    const metadata = readMetadata(
      attributesOf({ 'promptlayer.metadata.__proto__': 'v', [`promptlayer.metadata.${long}`]: 'w' }),
    );
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'v'],
      [long.slice(0, 1024), 'w'],
    ]);
  });
});
