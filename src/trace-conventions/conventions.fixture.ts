import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { ChatPrompt, Prompt } from '../llm/shared/blueprint.js';
import type { JsonObject } from '../platform/json.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import type { NormalizedSpan } from './span.js';
import { Conventions } from './conventions.js';
import { PROVIDED_CONVENTIONS } from './provided-conventions.js';
import { testSpan } from './test-span.fixture.js';

const module = await Test.createTestingModule({
  imports: [DiscoveryModule],
  providers: [Conventions, ...PROVIDED_CONVENTIONS],
}).compile();
await module.init();

/** All conventions of an installation. */
export const conventions = module.get(Conventions);

type Fields = Partial<NormalizedSpan>;

/** `llm`, else the span type; null when no convention recognises the span. */
export function kindOf(attributes: JsonObject, fields: Fields = {}): string | null {
  const reading = conventions.read(testSpan(attributes, fields));
  return reading?.kind === 'other' ? reading.spanType : (reading?.kind ?? null);
}

/** The call that the installation's conventions read from a span with these attributes. */
export function callOf(attributes: JsonObject, fields: Fields = {}): LlmCall {
  const reading = conventions.read(testSpan(attributes, fields));
  if (reading?.kind !== 'llm') throw new Error(`Not read as a call: ${JSON.stringify(reading)}`);
  return reading.call;
}

/** Role and content of every message, for short: texts as they are, other parts by type, calls as `name(arguments)#id`. */
export function told(prompt: Prompt): string[] {
  return (prompt as ChatPrompt).messages.map((message) => {
    const parts = (message.content ?? []).map((part) => {
      if (part.type === 'text') return String(part.text);
      return part.type === 'thinking' ? `<${String(part.thinking)}>` : part.type;
    });
    const calls = (message.tool_calls ?? []).map(({ id, function: f }) => `${f.name}(${f.arguments})#${id}`);
    const answered = message.tool_call_id === undefined ? '' : `#${message.tool_call_id}`;
    return [`${message.role}${answered}:`, ...parts, ...calls].join(' ');
  });
}

/** A span's producer by the name of its instrumentation scope. */
export function scoped(name: string): Pick<NormalizedSpan, 'source'> {
  return { source: { resource: { attributes: {}, schemaUrl: '' }, scope: { name, version: '', attributes: {} } } };
}
