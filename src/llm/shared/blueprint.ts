import type { JsonObject, JsonValue } from '../../platform/json.js';

/**
 * The prompt vocabulary shared by the registry, request logs and trace conventions:
 * chat and completion prompts, their messages and content parts.
 * Unknown part types are kept as they came.
 */
export type ContentPart = { type: string } & JsonObject;

export type ToolCall = {
  id: string;
  type: 'function';
  tool_id: string | null;
  /** `arguments` is JSON text. */
  function: { name: string; arguments: string };
};

export interface Message {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function' | 'placeholder';
  content: ContentPart[] | null;
  name?: string | null;
  tool_calls?: ToolCall[] | null;
  /** The older form of a tool call, without an id; `arguments` is JSON text. */
  function_call?: { name: string; arguments: string } | null;
  tool_call_id?: string;
  input_variables: string[];
  template_format: 'f-string' | 'jinja2';
}

export interface ChatPrompt {
  type: 'chat';
  messages: Message[];
  tools: JsonValue[] | null;
  tool_choice: JsonValue;
  functions: JsonValue[] | null;
  function_call: JsonValue;
  input_variables: string[];
}

export interface CompletionPrompt {
  type: 'completion';
  content: ContentPart[];
  input_variables: string[];
  template_format: 'f-string' | 'jinja2';
}

export type Prompt = ChatPrompt | CompletionPrompt;

/** A message of this role with this content, all other fields at their defaults. */
export function newMessage(role: Message['role'], name: string | null, content: ContentPart[]): Message {
  return { role, name, content, input_variables: [], template_format: 'f-string' };
}

export function newChat(messages: Message[], frame: Partial<ChatPrompt> = {}): ChatPrompt {
  return {
    type: 'chat',
    messages,
    tools: null,
    tool_choice: null,
    functions: null,
    function_call: null,
    input_variables: [],
    ...frame,
  };
}

export function newCompletion(content: ContentPart[]): CompletionPrompt {
  return { type: 'completion', content, input_variables: [], template_format: 'f-string' };
}
