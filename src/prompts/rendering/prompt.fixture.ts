import type { ChatPrompt, CompletionPrompt, ContentPart, Message } from '../../llm/shared/blueprint.js';

type Format = Message['template_format'];

export function text(value: string): ContentPart {
  return { type: 'text', text: value };
}

export function user(content: string | ContentPart[], format: Format = 'f-string'): Message {
  const parts = typeof content === 'string' ? [text(content)] : content;
  return { role: 'user', content: parts, input_variables: [], template_format: format };
}

export function placeholder(name: string): Message {
  return { role: 'placeholder', name, content: null, input_variables: [], template_format: 'f-string' };
}

export function chat(messages: Message[], more: Partial<ChatPrompt> = {}): ChatPrompt {
  const nothing = { tools: null, tool_choice: null, functions: null, function_call: null, input_variables: [] };
  return { type: 'chat', messages, ...nothing, ...more };
}

export function completion(value: string, format: Format = 'f-string'): CompletionPrompt {
  return { type: 'completion', content: [text(value)], input_variables: [], template_format: format };
}
