import type { JsonObject } from '../../platform/json.js';
import {
  type CompletionPrompt,
  type ContentPart,
  type Message,
  newChat,
  type Prompt,
  type ToolCall,
} from '../shared/blueprint.js';
import type { ModelCall } from './model-provider.js';

const DEFAULTS: Pick<Message, 'input_variables' | 'template_format'> = {
  input_variables: [],
  template_format: 'f-string',
};

export function text(content: string, extra: JsonObject = {}): ContentPart {
  return { type: 'text', text: content, ...extra };
}

/** Content given as a text is one text part. */
export function message(role: Message['role'], content: string | ContentPart[] | null, extra = {}): Message {
  return { role, content: typeof content === 'string' ? [text(content)] : content, ...DEFAULTS, ...extra };
}

export const system = (content: string | ContentPart[]): Message => message('system', content);
export const user = (...content: (string | ContentPart)[]): Message =>
  message(
    'user',
    content.map((part) => (typeof part === 'string' ? text(part) : part)),
  );
export const assistant = (content: string | ContentPart[] | null, ...calls: ToolCall[]): Message =>
  message('assistant', content, { tool_calls: calls.length > 0 ? calls : null });
export const tool = (callId: string, content: string | ContentPart[]): Message =>
  message('tool', content, { tool_call_id: callId });

export function toolCall(id: string, name: string, args: unknown, extra: JsonObject = {}): ToolCall {
  return { id, type: 'function', tool_id: null, function: { name, arguments: args as string }, ...extra };
}

export function functionTool(name: string, extra: JsonObject = {}): JsonObject {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
  return { type: 'function', function: { name, description: `Calls ${name}`, parameters, strict: false, ...extra } };
}

export function builtIn(provider: string, type: string, config: JsonObject = {}): JsonObject {
  return { id: type, name: type, description: '', provider, type, config };
}

export const chat = newChat;

export function completion(...content: (string | ContentPart)[]): CompletionPrompt {
  const parts = content.map((part) => (typeof part === 'string' ? text(part) : part));
  return { type: 'completion', content: parts, ...DEFAULTS };
}

export function call(prompt: Prompt, extra: Partial<ModelCall> = {}): ModelCall {
  return { prompt, model: 'model-1', apiType: null, parameters: {}, ...extra };
}

/** "Hi" as base64. */
export const DATA = 'SGk=';

export const IMAGE: ContentPart = { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } };
export const INLINE_IMAGE: ContentPart = { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } };

export function media(type: string | null, url: string | null, format: 'base64' | 'url' | 'neither'): ContentPart {
  return { type: 'media', media: { title: 'a file', type, url, format } };
}

/** Parts that only some vendors write, in the order of the prompt vocabulary. */
export const VENDOR_PARTS: ContentPart[] = [
  { type: 'thinking', thinking: 'signed', signature: 'sig', id: null },
  { type: 'thinking', thinking: 'summary', signature: null, id: 'rs_1' },
  { type: 'code', code: 'print(1)', id: 'ci_1', container_id: 'cntr_1', language: null },
  { type: 'code', code: 'print(2)', id: null, container_id: null, language: 'python' },
  { type: 'code_execution_result', output: '2', outcome: 'OUTCOME_OK' },
  { type: 'output_media', url: DATA, id: 'ig_1', mime_type: 'image/png', media_type: 'image' },
  { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{ type: 'web_search_result', url: 'u', title: 't', encrypted_content: 'e', page_age: null }],
  },
  { type: 'bash_code_execution_tool_result', tool_use_id: 'srv_2', content: { stdout: '1' } },
  { type: 'text_editor_code_execution_tool_result', tool_use_id: 'srv_3', content: { lines: [] } },
  { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [], error: null },
  { type: 'mcp_call', id: 'mcp_1', name: 'n', server_label: 's', arguments: '{}', output: 'o', error: null },
  { type: 'mcp_approval_request', id: 'mcpr_1', name: 'n', arguments: '{}', server_label: 's' },
  { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false },
  { type: 'shell_call', id: 'sh_1', call_id: 'c1', action: { commands: ['ls'] }, status: 'completed' },
  { type: 'shell_call_output', id: null, call_id: 'c1', output: [{ stdout: 'a' }], status: null },
  { type: 'apply_patch_call', id: 'ap_1', call_id: 'c2', operation: { type: 'delete_file', path: 'p' }, status: null },
  { type: 'apply_patch_call_output', id: null, call_id: 'c2', output: 'done', status: null },
  { type: 'media_variable', name: 'pictures' },
  { type: 'of_the_future', anything: 1 },
];
