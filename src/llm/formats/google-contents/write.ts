import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { readJsonWithin } from '../../../platform/read-json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { type Call, readConversation, textOf, type ToolTurn, type Turn } from '../shared/conversation.js';
import { googleSchema } from './schema.js';
import { ARGUMENT_LIMITS, argumentsObject, compact, textOrNull } from '../../shared/json-reading.js';
import { type Media, readMedia } from '../shared/media.js';
import type { ModelCall } from '../../providers/model-provider.js';
import { readResponseFormat } from '../shared/response-format.js';
import {
  type BuiltInTool,
  builtInTools,
  type FunctionTool,
  functionTools,
  type ToolChoice,
  toolChoice,
} from '../shared/tools.js';
import { alternate, type Blocks, filledTexts, splitInstructions } from '../shared/turns.js';

/** Parameters that are arguments of the call; all others belong to its configuration. */
const CALL_ARGUMENTS = new Set(['model', 'history', 'contents', 'stream', 'generation_config']);

/** How the API spells its built-in tools. */
const TOOL_NAMES = new Map([
  ['web_search', 'google_search'],
  ['google_maps', 'google_maps'],
  ['url_context', 'url_context'],
  ['code_interpreter', 'code_execution'],
  ['file_search', 'file_search'],
]);

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

/**
 * Arguments in the format of Google: `{history, generation_config}`, where the last entry of the history is the message
 * to send; for a completion `{contents, generation_config}`. Names are in snake_case; JavaScript clients convert them.
 * `providers` are the names under which built-in tools of this vendor are stored.
 */
export function googleKwargs(call: ModelCall, providers: readonly string[]): JsonObject {
  const { instructions, dialogue } = splitInstructions(readConversation(call.prompt));
  const messages = alternate(dialogue.map(toBlocks));
  const parameters = splitParameters(call.parameters);
  const config = compact({
    system_instruction: toInstruction(instructions),
    ...toTools(call, providers),
    ...parameters.config,
  });
  return {
    ...(call.prompt.type === 'completion'
      ? { contents: messages.map(({ blocks }) => ({ parts: blocks })) }
      : { history: messages.map(({ role, blocks }) => ({ role, parts: blocks })) }),
    generation_config: Object.keys(config).length > 0 ? config : null,
    model: call.model,
    ...parameters.call,
  };
}

function toBlocks(turn: Turn): Blocks {
  if (turn.role === 'tool') return { role: 'user', blocks: [functionResponse(turn), ...mediaParts(turn.parts)] };
  const byModel = turn.role === 'assistant';
  const said = turn.parts.map((part) => toPart(part, byModel)).filter((part) => part !== null);
  const calls = turn.role === 'assistant' ? turn.calls.map(functionCall) : [];
  return { role: byModel ? 'model' : 'user', blocks: [...said, ...calls] };
}

function toPart(part: ContentPart, byModel: boolean): JsonObject | null {
  switch (part.type) {
    case 'text':
      return textPart(part.text, part.thought_signature);
    case 'thinking':
      return byModel ? thoughtPart(part) : null;
    case 'code':
      return byModel ? codePart(part) : null;
    case 'code_execution_result':
      return byModel ? resultPart(part) : null;
    default:
      return mediaPart(part);
  }
}

/** The API accepts empty texts only where they carry a signature. */
function textPart(text: JsonValue | undefined, signature: JsonValue | undefined): JsonObject | null {
  const thought_signature = textOrNull(signature);
  if (typeof text !== 'string' || (text === '' && thought_signature === null)) return null;
  return compact({ text, thought_signature });
}

function thoughtPart({ thinking, signature }: ContentPart): JsonObject | null {
  const part = textPart(thinking, signature);
  return part && { ...part, thought: true };
}

/** Code that ran in a container is that of another vendor. */
function codePart({ code, language, container_id }: ContentPart): JsonObject | null {
  if (typeof code !== 'string' || textOrNull(container_id) !== null) return null;
  return { executable_code: { code, language: textOrNull(language)?.toUpperCase() ?? 'PYTHON' } };
}

function resultPart({ output, outcome }: ContentPart): JsonObject {
  return { code_execution_result: { outcome: textOrNull(outcome) ?? 'OUTCOME_OK', output: textOrNull(output) ?? '' } };
}

function mediaPart(part: ContentPart): JsonObject | null {
  const media = readMedia(part);
  const where = media && toMedia(media);
  if (where === null) return null;
  const metadata = part.provider_metadata;
  return compact({ ...where, thought_signature: isObject(metadata) ? metadata.thought_signature : null });
}

function toMedia({ data, url, mime }: Media): JsonObject | null {
  if (data !== null) return { inline_data: { mime_type: mime, data } };
  return url === null ? null : { file_data: { mime_type: mime, file_uri: url } };
}

function mediaParts(parts: ContentPart[]): JsonObject[] {
  return parts.map(mediaPart).filter((part) => part !== null);
}

function functionCall(call: Call): JsonObject {
  const { name, signature } = call;
  const id = call.idGiven ? call.id : null;
  const function_call = compact({ id, name, args: argumentsObject(call.arguments) });
  return compact({ function_call, thought_signature: signature });
}

/** The API takes objects only; any other result becomes the member `result` of one. */
function functionResponse(turn: ToolTurn): JsonObject {
  const text = textOf(turn.parts);
  const parsed = readJsonWithin(text, ARGUMENT_LIMITS);
  const response = isObject(parsed) ? parsed : { result: text };
  return { function_response: compact({ id: turn.idGiven ? turn.callId : null, name: turn.name ?? '', response }) };
}

function toInstruction(parts: ContentPart[]): JsonObject | null {
  const texts = filledTexts(parts);
  return texts.length === 0 ? null : { parts: texts.map((text) => ({ text })) };
}

function toTools({ prompt }: ModelCall, providers: readonly string[]): JsonObject {
  const declarations = functionTools(prompt).map(toDeclaration);
  const builtIns = builtInTools(prompt, providers)
    .map(toBuiltIn)
    .filter((tool) => tool !== null);
  const choice = toolChoice(prompt);
  return compact({
    tools: [...(declarations.length > 0 ? [{ function_declarations: declarations }] : []), ...builtIns],
    tool_config: declarations.length > 0 && choice ? { function_calling_config: toChoice(choice) } : null,
  });
}

/** The API refuses objects without properties, so a tool that takes nothing has no parameters at all. */
function toDeclaration({ name, description, parameters }: FunctionTool): JsonObject {
  const takesNothing = !isObject(parameters?.properties) || Object.keys(parameters.properties).length === 0;
  return compact({ name, description, ...(takesNothing ? {} : schemaAs(parameters!, 'parameters')) });
}

/** The API takes the two kinds of schemas under two names. */
function schemaAs(given: JsonObject, name: 'parameters' | 'response'): JsonObject {
  const { kind, schema } = googleSchema(given);
  if (kind === 'json') return { [`${name}_json_schema`]: schema };
  return { [name === 'parameters' ? name : `${name}_schema`]: schema };
}

function toBuiltIn({ type, config }: BuiltInTool): JsonObject | null {
  const name = TOOL_NAMES.get(type);
  const { type: _type, ...settings } = config;
  return name === undefined ? null : { [name]: compact(settings) };
}

function toChoice(choice: ToolChoice): JsonObject {
  return choice.mode === 'function'
    ? { mode: 'ANY', allowed_function_names: [choice.name] }
    : { mode: MODES[choice.mode] };
}

/** A `generation_config` among the parameters overrides values from the prompt and from other parameters. */
function splitParameters(parameters: JsonObject): { call: JsonObject; config: JsonObject } {
  const { generation_config, ...others } = parameters;
  const { response_format, ...settings } = pick(others, (name) => !CALL_ARGUMENTS.has(name));
  return {
    call: pick(others, (name) => CALL_ARGUMENTS.has(name)),
    config: {
      ...toFormat(response_format),
      ...settings,
      ...(isObject(generation_config) ? generation_config : {}),
    },
  };
}

function pick(parameters: JsonObject, keeps: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => keeps(name)));
}

function toFormat(value: JsonValue | undefined): JsonObject {
  const format = readResponseFormat(value);
  if (format === null || format.type === 'text') return {};
  const schema = format.type === 'json_schema' ? schemaAs(format.schema, 'response') : {};
  return { response_mime_type: 'application/json', ...schema };
}
