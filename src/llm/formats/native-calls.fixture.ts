import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { Prompt } from '../shared/blueprint.js';
import { readNativeCall } from './formats.js';

/** A call as tests write it. */
export interface Sent {
  name?: string;
  provider?: string;
  kwargs?: object;
  args?: unknown[];
  response?: unknown;
}

export function read({
  name = 'openai.chat.completions.create',
  provider = 'openai',
  kwargs = {},
  args = [],
  response = {},
}: Sent) {
  return readNativeCall({
    functionName: name,
    provider,
    kwargs: kwargs as JsonObject,
    args: args as JsonValue[],
    response: response as JsonValue,
  });
}

/** Each message with its role: texts, and calls as `id:name(arguments)`. */
export function said(prompt: Prompt): string[] {
  if (prompt.type === 'completion') return prompt.content.map(partText);
  return prompt.messages.map(({ role, content, tool_calls, tool_call_id }) => {
    const parts = (content ?? []).map(partText);
    const calls = (tool_calls ?? []).map((call) => `${call.id}:${call.function.name}(${call.function.arguments})`);
    return [tool_call_id ? `${role} ${tool_call_id}` : role, ...parts, ...calls].join(' | ');
  });
}

function partText(part: JsonObject): string {
  if (part.type === 'text') return String(part.text);
  if (part.type === 'thinking') return `(${String(part.thinking)})`;
  return `<${String(part.type)}>`;
}

export const ASKED = [{ role: 'user', content: 'Weather in Rome?' }];
export const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
export const TOOL = {
  type: 'function',
  function: { name: 'weather', description: '', strict: false, parameters: SCHEMA },
};
