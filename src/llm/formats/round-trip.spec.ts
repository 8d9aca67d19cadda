import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import { type ChatPrompt, type ContentPart, type Message, newChat, newMessage } from '../shared/blueprint.js';
import { DATA, text } from '../providers/prompts.fixture.js';
import { providers } from '../providers/providers.fixture.js';
import { readNativeCall } from './formats.js';
import { TOOL } from './native-calls.fixture.js';

/** A provider that writes the format, and the parts of a prompt that the format cannot represent. */
interface Written {
  provider: string;
  apiType?: string;
  model: string;
  functionName: string;
  /** Texts of one message are one text. */
  joinsTexts?: boolean;
}

const WRITTEN: [format: string, Written][] = [
  [
    'openai-chat',
    { provider: 'openai', model: 'gpt', functionName: 'openai.chat.completions.create', joinsTexts: true },
  ],
  [
    'openai-responses',
    {
      provider: 'openai',
      apiType: 'responses',
      model: 'gpt',
      functionName: 'openai.responses.create',
      joinsTexts: true,
    },
  ],
  ['anthropic-messages', { provider: 'anthropic', model: 'claude', functionName: 'anthropic.messages.create' }],
  ['google-contents', { provider: 'google', model: 'gemini', functionName: 'google.generate_content' }],
  ['bedrock-converse', { provider: 'amazon.bedrock', model: 'nova', functionName: 'bedrock.converse' }],
];

const word = fc.string({ minLength: 1, maxLength: 20 }).filter((given) => given.trim() !== '');
const IMAGE: ContentPart = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${DATA}` },
  image_variable: null,
};
const asked = fc.array(
  fc.oneof(
    word.map((said) => text(said)),
    fc.constant(IMAGE),
  ),
  { minLength: 1, maxLength: 3 },
);
const result = fc.record({ answer: word }).map((answer) => JSON.stringify(answer));

/** One turn of a conversation: a question, the calls it leads to with their results, and the answer. */
const turn = fc.record({
  asked,
  calls: fc.array(fc.record({ city: word, result }), { maxLength: 2 }),
  answers: fc.array(word, { minLength: 1, maxLength: 2 }),
});
const prompt = fc
  .record({ instructions: fc.option(word), turns: fc.array(turn, { minLength: 1, maxLength: 3 }) })
  .map(({ instructions, turns }) =>
    newChat(
      [
        ...(instructions === null ? [] : [newMessage('system', null, [text(instructions)])]),
        ...turns.flatMap((each, at) => messagesOf(each, at)),
      ],
      { tools: [TOOL] },
    ),
  );

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function messagesOf({ asked, calls, answers }: Turn, at: number): Message[] {
  const tool_calls = calls.map(({ city }, index) => ({
    id: `call${at}${index}`,
    type: 'function' as const,
    tool_id: null,
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  }));
  return [
    newMessage('user', null, asked),
    ...(calls.length === 0 ? [] : [{ ...newMessage('assistant', null, []), tool_calls }]),
    ...calls.map((call, index) => ({
      ...newMessage('tool', null, [text(call.result)]),
      tool_call_id: `call${at}${index}`,
    })),
    {
      ...newMessage(
        'assistant',
        null,
        answers.map((answer) => text(answer)),
      ),
      tool_calls: null,
    },
  ];
}

/** Properties that every format keeps: the roles of messages, and which calls and results belong together. */
function told({ messages, tools }: ChatPrompt, { joinsTexts }: Written): JsonObject {
  return {
    tools: (tools ?? []) as JsonObject[],
    messages: messages.map(({ role, content, tool_calls, tool_call_id = null }) => ({
      role,
      content: joinsTexts && role === 'assistant' ? [joined(content ?? [])] : (content ?? []).map(plain),
      calls: (tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
      tool_call_id,
    })),
  };
}

const plain = ({ type, text: said, image_url: image }: ContentPart): JsonObject =>
  type === 'text' ? { type, text: said ?? '' } : { type, image_url: image ?? null };
const joined = (content: ContentPart[]): string => content.map((part) => String(part.text)).join('');

describe.each(WRITTEN)('the format %s', (_, format) => {
  it('reads back the prompt that it wrote', () => {
    const { provider, model, functionName, apiType = null } = format;
    fc.assert(
      fc.property(prompt, (given) => {
        const kwargs = providers.kwargs(provider, { prompt: given, model, apiType, parameters: {} });
        const read = readNativeCall({ functionName, provider, args: [], kwargs, response: null });
        expect(told(read.input as ChatPrompt, format)).toEqual(told(given, format));
        expect(read.model).toBe(model);
      }),
    );
  });
});
