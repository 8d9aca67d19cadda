import type { MessageSource } from './message-source.js';
import type { Message, Prompt } from '../../llm/blueprint.js';
import { readMessages } from '../../llm/messages/messages.js';
import { readNativeCall } from '../../llm/native/native-shapes.js';
import { isObject, type JsonValue } from '../../platform/json.js';
import type { SpanAttributes } from './attributes.js';

const INPUT_KEYS = ['openai_agents.generation.raw_input_json', 'openai_agents.response.raw_input_json'];

/** What the agents SDK of OpenAI got and gave, as it was: what is flattened beside it leaves some kinds of items out. */
export const openAiAgentsMessages: MessageSource = {
  keys: [
    'openai_agents.generation.raw_input_json',
    'openai_agents.generation.raw_output_json',
    'openai_agents.response.raw_json',
  ],
  input({ attributes }) {
    const [key] = attributes.present(INPUT_KEYS);
    return readItems(key === undefined ? answerOf(attributes)?.input : attributes.json(key), 'input');
  },
  output({ attributes }) {
    return readItems(
      attributes.json('openai_agents.generation.raw_output_json') ?? answerOf(attributes)?.output,
      'output',
    );
  },
};

function answerOf(attributes: SpanAttributes): { [member: string]: JsonValue } | null {
  const answer = attributes.json('openai_agents.response.raw_json');
  return isObject(answer) ? answer : null;
}

/** Items of the newer API of OpenAI and messages of the older one stand in the same lists. */
function readItems(items: JsonValue | undefined, side: 'input' | 'output'): Message[] {
  const entries = Array.isArray(items) ? items : null;
  const areItems = entries?.every((item) => isObject(item) && (typeof item.type === 'string' || 'role' in item));
  if (!areItems) return readMessages(items, side === 'input' ? 'user' : 'assistant');
  const call = { functionName: 'openai.responses.create', provider: 'openai', args: [] };
  const read = readNativeCall({
    ...call,
    kwargs: { input: items ?? null },
    response: { object: 'response', output: items ?? null },
  });
  return messagesOf(read[side]);
}

const messagesOf = (prompt: Prompt): Message[] => (prompt.type === 'chat' ? prompt.messages : []);
