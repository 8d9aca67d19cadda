import { objectAt, textAt } from '../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { type Message, newChat } from '../shared/blueprint.js';
import { readInstructions, readMessages } from '../messages/messages.js';
import type { NativeCall, FormatReading, VendorFormat } from './shared/vendor-format.js';
import { reading, toolsOf } from './shared/reading.js';
import { anthropicUsage } from './anthropic-messages/usage.js';
import { bedrockUsage } from './bedrock-converse/usage.js';
import { googleUsage } from './google-contents/usage.js';
import { NO_USAGE } from './shared/usage.js';
import { openAiUsage } from './openai-chat/usage.js';
import type { TokenUsage } from '../shared/token-usage.js';

const ASKED = ['messages', 'contents', 'input', 'inputs', 'prompt', 'message', 'query', 'text'];
const INSTRUCTIONS = ['system', 'instructions', 'system_prompt'];
const ANSWERED = [
  'choices',
  'candidates',
  'generations',
  'message',
  'messages',
  'output',
  'outputs',
  'content',
  'generated_text',
  'completion',
  'text',
  'response',
  'answer',
];

/** Calls of unknown clients: values that look like messages or text are read as such. */
export const anyFormat: VendorFormat = { reads: () => true, read: readAny };

function readAny(call: NativeCall): FormatReading {
  const { request, positional } = call;
  const asked = ASKED.find((member) => request[member] !== undefined && request[member] !== null);
  const readsPositional = asked === undefined && (positional.length === 1 || areMessages(positional));
  const said = asked === undefined ? (readsPositional ? toldBy(positional) : null) : request[asked];
  const system = INSTRUCTIONS.find((member) => typeof request[member] === 'string');
  const instructions = system === undefined ? null : readInstructions(request[system]);
  const messages = readMessages(said, 'user');
  return reading(call, [asked ?? '', system ?? '', 'tools', 'tool_choice'], {
    input: newChat(instructions ? [instructions, ...messages] : messages, {
      tools: toolsOf(request.tools),
      tool_choice: request.tool_choice ?? null,
    }),
    output: newChat(readAnswer(call.response)),
    usage: readUsage(isObject(call.response) ? call.response : null),
    readsPositional,
  });
}

const toldBy = (positional: JsonValue[]): JsonValue => (positional.length === 1 ? positional[0]! : positional);

/** LangChain's client passes each message as an argument of its own. */
function areMessages(values: JsonValue[]): boolean {
  return values.length > 0 && values.every((value) => textAt(value, 'role') !== null);
}

function readAnswer(response: JsonValue): Message[] {
  if (typeof response === 'string') return readMessages([{ role: 'assistant', content: response }], 'assistant');
  if (Array.isArray(response)) return response.flatMap(readAnswer);
  if (!isObject(response)) return [];
  const member = ANSWERED.find((name) => holdsAnswer(response[name]));
  if (member === undefined) return [];
  const told = response[member];
  return readMessages(typeof told === 'string' ? [{ role: 'assistant', content: told }] : told, 'assistant');
}

function holdsAnswer(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value !== '';
  return Array.isArray(value) ? value.length > 0 : isObject(value);
}

/** The format of the counts follows from their names. */
function readUsage(response: JsonObject | null): TokenUsage {
  const google = objectAt(response, 'usageMetadata', 'usage_metadata');
  if (google) return googleUsage(google);
  const usage = objectAt(response, 'usage');
  if (!usage) return NO_USAGE;
  if ('cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage) return anthropicUsage(usage);
  return 'cacheReadInputTokens' in usage ? bedrockUsage(usage) : openAiUsage(usage);
}
