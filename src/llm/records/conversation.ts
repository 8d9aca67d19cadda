import type { Message, Prompt } from '../shared/blueprint.js';

/** The input of a call as text: the messages as JSON, or the prompt of a completion. */
export function inputText(input: Prompt): string {
  return input.type === 'chat' ? JSON.stringify(input.messages.map(plainMessage)) : partsText(input.content);
}

/** The output of a call as text: the text of the answer, or its tool calls as JSON when it has no text. */
export function outputText(output: Prompt): string {
  if (output.type === 'completion') return partsText(output.content);
  const text = output.messages.map((message) => partsText(message.content ?? [])).filter((part) => part !== '');
  if (text.length > 0) return text.join('\n');
  const calls = output.messages.flatMap((message) => message.tool_calls ?? []);
  return calls.length > 0 ? JSON.stringify(calls.map((call) => ({ id: call.id, ...call.function }))) : '';
}

function partsText(parts: { type: string; text?: unknown }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('');
}

/** The content of a message in reading order, without the fields of prompt templates and without empty ones. */
function plainMessage({ role, name, content, tool_calls, tool_call_id }: Message): object {
  const said = {
    role,
    name,
    tool_call_id,
    content: content?.map(({ type, ...part }) => ({ type, ...part })),
    tool_calls,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== null));
}
