import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { type Call, readConversation, textOf, type Turn } from '../shared/conversation.js';
import { argumentsText, compact, textOrNull } from '../../shared/json-reading.js';
import { mediaAddress, readMedia } from '../shared/media.js';
import type { ModelCall } from '../../providers/model-provider.js';
import { responseItem } from './items.js';
import { readResponseFormat } from '../shared/response-format.js';
import {
  type BuiltInTool,
  builtInTools,
  type FunctionTool,
  functionTools,
  NO_PARAMETERS,
  toolChoice,
} from '../shared/tools.js';

const OWN_TOOLS = ['openai', 'openai.azure'];

/** Types of built-in tools that the endpoint knows, with the settings that it requires. */
const TOOL_DEFAULTS = new Map<string, JsonObject>([
  ['web_search', {}],
  ['file_search', {}],
  ['code_interpreter', { container: { type: 'auto' } }],
  ['image_generation', {}],
  ['mcp', {}],
  ['openai_mcp', { type: 'mcp' }],
  ['shell', {}],
  ['apply_patch', {}],
]);

/** Arguments of OpenAI's endpoint for responses: `{input, tools, …}`. */
export function responsesKwargs(call: ModelCall): JsonObject {
  return {
    input: readConversation(call.prompt).flatMap(toItems),
    ...toTools(call),
    model: call.model,
    ...toParameters(call.parameters),
  };
}

function toItems(turn: Turn): JsonObject[] {
  if (turn.role === 'tool')
    return [{ type: 'function_call_output', call_id: turn.callId, output: toOutput(turn.parts) }];
  const calls = turn.role === 'assistant' ? turn.calls.map(toCall) : [];
  return [...runsOf(turn).flatMap((run) => toRunItems(run.parts, turn)), ...calls];
}

/** Parts in a row that end up in one item or message. */
interface Run {
  key: string;
  parts: ContentPart[];
}

/** Built-in calls are between the messages, in the order in which the model made them. */
function runsOf(turn: Turn): Run[] {
  const runs: Run[] = [];
  for (const part of turn.parts) {
    const key = runKey(part, turn);
    const last = runs.at(-1);
    if (last && key !== '' && last.key === key) last.parts.push(part);
    else runs.push({ key, parts: [part] });
  }
  return runs;
}

/** "" for parts that never share an item. */
function runKey(part: ContentPart, turn: Turn): string {
  if (part.type === 'thinking') return `thinking ${textOrNull(part.id) ?? ''}`;
  if (turn.role === 'assistant' && part.type === 'text') return `text ${ownMessageId(part) ?? ''}`;
  return turn.role !== 'assistant' && contentPart(part) !== null ? 'content' : '';
}

function toRunItems(parts: ContentPart[], turn: Turn): JsonObject[] {
  const item = responseItem(parts, turn.role === 'assistant');
  if (item !== null) return [item];
  if (turn.role === 'assistant') return parts[0].type === 'text' ? [assistantMessage(parts)] : [];
  const content = parts.map(contentPart).filter((part) => part !== null);
  return content.length === 0 ? [] : [{ role: turn.role, content }];
}

/**
 * Messages from the endpoint itself are sent back unchanged. Other text of an assistant is plain text: the endpoint
 * takes no input parts from assistants, and clients fill in variables in plain text only.
 */
function assistantMessage(parts: ContentPart[]): JsonObject {
  const id = ownMessageId(parts[0]);
  if (id === null) return { role: 'assistant', content: textOf(parts) };
  const content = parts.map((part) => ({
    type: 'output_text',
    text: textOf([part]),
    annotations: annotationsOf(part),
  }));
  return { type: 'message', role: 'assistant', id, status: 'completed', content };
}

function ownMessageId(part: ContentPart): string | null {
  const id = textOrNull(part.id);
  return id?.startsWith('msg_') === true ? id : null;
}

function annotationsOf(part: ContentPart): JsonValue[] {
  const known = ['url_citation', 'file_citation', 'container_file_citation'];
  const given = Array.isArray(part.annotations) ? part.annotations : [];
  return given.filter((annotation) => isObject(annotation) && known.includes(textOrNull(annotation.type) ?? ''));
}

function contentPart(part: ContentPart): JsonObject | null {
  if (part.type === 'text') return typeof part.text === 'string' ? { type: 'input_text', text: part.text } : null;
  const media = readMedia(part);
  if (media === null || media.kind === 'audio' || media.kind === 'video') return null;
  const { id, url, title } = media;
  if (media.kind === 'image') {
    return compact({ type: 'input_image', image_url: mediaAddress(media), file_id: id, detail: media.detail });
  }
  if (media.data === null) return compact({ type: 'input_file', file_url: url, file_id: id });
  return { type: 'input_file', filename: title ?? 'media', file_data: mediaAddress(media) };
}

/** Plain text where text is all there is. */
function toOutput(parts: ContentPart[]): JsonValue {
  const content = parts.map(contentPart).filter((part) => part !== null);
  return content.every((part) => part.type === 'input_text') ? textOf(parts) : content;
}

function toCall(call: Call): JsonObject {
  return compact({
    type: 'function_call',
    // Only ids of the endpoint's own making are accepted.
    id: call.itemId?.startsWith('fc_') === true ? call.itemId : null,
    call_id: call.id,
    name: call.name,
    arguments: argumentsText(call.arguments),
  });
}

function toTools({ prompt }: ModelCall): JsonObject {
  const functions = functionTools(prompt).map(toFunctionTool);
  const builtIns = builtInTools(prompt, OWN_TOOLS)
    .map(toBuiltIn)
    .filter((tool) => tool !== null);
  const tools = [...functions, ...builtIns];
  return compact({ tools, tool_choice: tools.length > 0 ? toChoice(toolChoice(prompt)) : null });
}

/** `strict` is always set, because the endpoint's default is true. */
function toFunctionTool({ name, description, parameters, strict }: FunctionTool): JsonObject {
  return compact({ type: 'function', name, description, parameters: parameters ?? NO_PARAMETERS, strict });
}

/** The configuration may name a dated type; `execution_mode` is ours. */
function toBuiltIn({ type, config }: BuiltInTool): JsonObject | null {
  const defaults = TOOL_DEFAULTS.get(type);
  const { execution_mode: _ours, ...settings } = config;
  return defaults === undefined ? null : compact({ type, ...defaults, ...settings });
}

function toChoice(choice: ReturnType<typeof toolChoice>): JsonValue {
  if (choice === null) return null;
  return choice.mode === 'function' ? { type: 'function', name: choice.name } : choice.mode;
}

/** The format of the answer and the effort of reasoning are nested here. */
function toParameters(parameters: JsonObject): JsonObject {
  const { response_format, reasoning_effort, ...rest } = parameters;
  const format = toFormat(response_format);
  const effort = textOrNull(reasoning_effort);
  return {
    ...(format && { text: { format } }),
    ...(effort !== null && { reasoning: { effort } }),
    ...rest,
    ...(format && isObject(rest.text) && { text: { format, ...rest.text } }),
    ...(effort !== null && isObject(rest.reasoning) && { reasoning: { effort, ...rest.reasoning } }),
  };
}

function toFormat(value: JsonValue | undefined): JsonObject | null {
  const format = readResponseFormat(value);
  if (format?.type !== 'json_schema') return format && { type: format.type };
  const { name, schema, rest } = format;
  return compact({ type: 'json_schema', name, schema, ...rest });
}
