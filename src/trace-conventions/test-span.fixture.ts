import type { ChatPrompt } from '../llm/shared/blueprint.js';
import type { JsonObject } from '../platform/json.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import { DecodedAttributes } from './attributes/decoded-attributes.js';
import type { NormalizedSpan, SpanEvent } from './span.js';
import { SpanAttributes } from './attributes.js';
import { GenAiConvention } from './gen-ai.convention.js';
import './provided-conventions.js';

/** A finished span with these attributes. */
export function testSpan(attributes: JsonObject, fields: Partial<NormalizedSpan> = {}): NormalizedSpan {
  return {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    parentId: null,
    traceState: '',
    name: 'chat gpt-4o',
    kind: 3,
    startNs: 1763650000000000000n,
    endNs: 1763650001000000000n,
    statusCode: 0,
    statusMessage: null,
    attributes: new DecodedAttributes(attributes),
    events: [],
    links: [],
    source: { resource: { attributes: {}, schemaUrl: '' }, scope: { name: '', version: '', attributes: {} } },
    sanitized: false,
    ...fields,
  };
}

/** A span whose resource has these attributes. */
export function testSpanOf(resource: JsonObject, attributes: JsonObject = {}): NormalizedSpan {
  const scope = { name: '', version: '', attributes: {} };
  return testSpan(attributes, { source: { resource: { attributes: resource, schemaUrl: '' }, scope } });
}

export function testEvent(name: string, attributes: JsonObject, timeNs = 1n): SpanEvent {
  return { name, timeNs, attributes };
}

export function attributesOf(attributes: JsonObject): SpanAttributes {
  return SpanAttributes.from(attributes);
}

/** The call that the GenAI convention reads from a chat span with these attributes. */
export function readCall(attributes: JsonObject, fields: Partial<NormalizedSpan> = {}): LlmCall {
  const reading = new GenAiConvention().read(testSpan({ 'gen_ai.operation.name': 'chat', ...attributes }, fields));
  if (reading?.kind !== 'llm') throw new Error(`Not read as a call: ${JSON.stringify(reading)}`);
  return reading.call;
}

type Side = 'input' | 'output';

/** Role and text of every message of one side of a call, tool calls as `name(arguments)`. */
export function said(side: Side, attributes: JsonObject, fields: Partial<NormalizedSpan> = {}): string[] {
  const prompt = readCall(attributes, fields)[side] as ChatPrompt;
  return prompt.messages.map(({ role, content, tool_calls: calls }) => {
    const texts = (content ?? []).map((part) => (part.type === 'text' ? String(part.text) : part.type));
    const called = (calls ?? []).map((call) => `${call.function.name}(${call.function.arguments})`);
    return [`${role}:`, ...texts, ...called].join(' ');
  });
}
