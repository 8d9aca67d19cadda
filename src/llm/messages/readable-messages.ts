import type { ContentPart, Message, Prompt } from '../shared/blueprint.js';
import { readableJson } from './readable-json.js';

const mayBeUnreadable = (text: unknown): text is string => typeof text === 'string' && text.includes('\\u');

/** Messages with the JSON in their texts, and the arguments of their tool calls, as people read it. */
export function readableMessages(messages: Message[]): Message[] {
  return messages.some(holdsEscapes) ? messages.map(readableMessage) : messages;
}

export function readablePrompt<P extends Prompt>(prompt: P): P {
  return prompt.type === 'chat'
    ? { ...prompt, messages: readableMessages(prompt.messages) }
    : { ...prompt, content: prompt.content.map(readablePart) };
}

function holdsEscapes({ content, tool_calls: calls, function_call: call }: Message): boolean {
  return (
    (content ?? []).some(({ text }) => mayBeUnreadable(text)) ||
    (calls ?? []).some(({ function: called }) => mayBeUnreadable(called.arguments)) ||
    mayBeUnreadable(call?.arguments)
  );
}

function readableMessage(message: Message): Message {
  const { content, tool_calls: calls, function_call: call } = message;
  return {
    ...message,
    content: content && content.map(readablePart),
    ...(calls && { tool_calls: calls.map((each) => ({ ...each, function: readableCall(each.function) })) }),
    ...(call && { function_call: readableCall(call) }),
  };
}

const readablePart = (part: ContentPart): ContentPart =>
  mayBeUnreadable(part.text) ? { ...part, text: readableJson(part.text) } : part;

const readableCall = (call: { name: string; arguments: string }) =>
  mayBeUnreadable(call.arguments) ? { ...call, arguments: readableJson(call.arguments) } : call;
