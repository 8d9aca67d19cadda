import type { MessageSource } from './message-source.js';
import type { Message } from '../llm/shared/blueprint.js';
import { readItems } from '../llm/formats/openai-responses/read.js';
import { readMessages, type Role } from '../llm/messages/messages.js';
import { isObject, type JsonValue } from '../platform/json.js';
import type { SpanAttributes } from './attributes.js';

const INPUT_KEYS = ['openai_agents.generation.raw_input_json', 'openai_agents.response.raw_input_json'];

/** Raw input and output of OpenAI's agents SDK. The flattened messages beside them lack some kinds of items. */
export const openAiAgentsMessages: MessageSource = {
  keys: [
    'openai_agents.generation.raw_input_json',
    'openai_agents.generation.raw_output_json',
    'openai_agents.response.raw_json',
  ],
  input({ attributes }) {
    const [key] = attributes.present(INPUT_KEYS);
    return readList(key === undefined ? answerOf(attributes)?.input : attributes.json(key), 'user');
  },
  output({ attributes }) {
    return readList(
      attributes.json('openai_agents.generation.raw_output_json') ?? answerOf(attributes)?.output,
      'assistant',
    );
  },
};

function answerOf(attributes: SpanAttributes): { [member: string]: JsonValue } | null {
  const answer = attributes.json('openai_agents.response.raw_json');
  return isObject(answer) ? answer : null;
}

/** Lists may mix items of OpenAI's newer API and messages of the older one. */
function readList(items: JsonValue | undefined, fallback: Role): Message[] {
  const entries = Array.isArray(items) ? items : null;
  const areItems = entries?.every((item) => isObject(item) && (typeof item.type === 'string' || 'role' in item));
  if (!entries || !areItems) return readMessages(items, fallback);
  return readItems(entries, fallback);
}
