import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import { bedrockMedia } from './media.js';
import { readConversation, type ToolTurn, type Turn } from '../shared/conversation.js';
import { argumentsObject, compact, textOrNull } from '../../shared/json-reading.js';
import { readMedia } from '../shared/media.js';
import type { ModelCall } from '../../providers/model-provider.js';
import { BEDROCK_NAMES } from '../shared/parameter-names.js';
import { conceptOf } from '../shared/parameters.js';
import { readResponseFormat } from '../shared/response-format.js';
import { type FunctionTool, functionTools, NO_PARAMETERS, type ToolChoice, toolChoice } from '../shared/tools.js';
import { alternate, type Blocks, filledText, filledTexts, splitInstructions } from '../shared/turns.js';

/** Arguments of the call itself, including credentials that the SDKs remove again. */
const CALL_ARGUMENTS = new Set([
  'modelId',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
  'promptVariables',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
  'stream',
  'aws_access_key',
  'aws_secret_key',
  'aws_session_token',
  'aws_region',
]);

/**
 * Arguments of Converse: `{modelId, messages, system, inferenceConfig, toolConfig, additionalModelRequestFields}`.
 * Other parameters are put into the last one, which passes them to the model. Bytes are base64 text.
 */
export function converseKwargs(call: ModelCall): JsonObject {
  const { instructions, dialogue } = splitInstructions(readConversation(call.prompt));
  const parameters = splitParameters(call.parameters);
  return {
    modelId: call.model,
    system: filledTexts(instructions).map((text) => ({ text })),
    messages: alternate(dialogue.map(toBlocks)).map(({ role, blocks }) => ({ role, content: blocks })),
    toolConfig: toToolConfig(call, dialogue),
    inferenceConfig: orNull(parameters.inference),
    additionalModelRequestFields: orNull(parameters.additional),
    outputConfig: toOutputConfig(parameters.format),
    ...parameters.call,
  };
}

/** A schema is a text here. There is no counterpart to the other formats. */
function toOutputConfig(value: JsonValue | undefined): JsonObject | null {
  const format = readResponseFormat(value);
  if (format?.type !== 'json_schema') return null;
  const { name, schema, rest } = format;
  const jsonSchema = compact({ name, description: rest.description, schema: JSON.stringify(schema) });
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

function toBlocks(turn: Turn): Blocks {
  if (turn.role === 'tool') return { role: 'user', blocks: [toolResult(turn)] };
  if (turn.role !== 'assistant') return { role: 'user', blocks: contentBlocks(turn.parts) };
  const said = turn.parts.map(modelBlock).filter((block) => block !== null);
  const used = turn.calls.map(({ id, name, arguments: args }) => ({
    toolUse: { toolUseId: id, name, input: argumentsObject(args) },
  }));
  return { role: 'assistant', blocks: [...said, ...used] };
}

function contentBlocks(parts: ContentPart[]): JsonObject[] {
  return parts.map(contentBlock).filter((block) => block !== null);
}

function contentBlock(part: ContentPart): JsonObject | null {
  const text = filledText(part);
  if (text !== null) return { text };
  const media = readMedia(part);
  return media && bedrockMedia(media);
}

/** Models write text and thoughts; thoughts are accepted back only with their signature. */
function modelBlock(part: ContentPart): JsonObject | null {
  const text = filledText(part);
  if (text !== null) return { text };
  const signature = part.type === 'thinking' ? textOrNull(part.signature) : null;
  if (signature === null) return null;
  return { reasoningContent: { reasoningText: { text: textOrNull(part.thinking) ?? '', signature } } };
}

function toolResult(turn: ToolTurn): JsonObject {
  return { toolResult: { toolUseId: turn.callId, content: contentBlocks(turn.parts) } };
}

/**
 * Converse has no value for "use none": then tools are not offered, unless the conversation already has calls, whose
 * tools Converse requires.
 */
function toToolConfig({ prompt }: ModelCall, dialogue: Turn[]): JsonObject | null {
  const choice = toolChoice(prompt);
  const tools = functionTools(prompt).map(toFunctionTool);
  const used = dialogue.some((turn) => turn.role === 'tool' || (turn.role === 'assistant' && turn.calls.length > 0));
  if (tools.length === 0 || (choice?.mode === 'none' && !used)) return null;
  return compact({ tools, toolChoice: choice && toChoice(choice) });
}

function toFunctionTool({ name, description, parameters }: FunctionTool): JsonObject {
  return { toolSpec: compact({ name, description, inputSchema: { json: parameters ?? NO_PARAMETERS } }) };
}

function toChoice(choice: ToolChoice): JsonObject | null {
  switch (choice.mode) {
    case 'function':
      return { tool: { name: choice.name } };
    case 'required':
      return { any: {} };
    case 'auto':
      return { auto: {} };
    default:
      return null;
  }
}

interface SplitParameters {
  call: JsonObject;
  inference: JsonObject;
  additional: JsonObject;
  /** Format of the answer, in the spelling of OpenAI's chats. */
  format: JsonValue | undefined;
}

/** A whole `inferenceConfig` among the parameters overrides single ones; so do additional fields. */
function splitParameters(parameters: JsonObject): SplitParameters {
  const { inferenceConfig, additionalModelRequestFields, response_format: format, ...others } = parameters;
  const groups: Record<Group, [string, JsonValue][]> = { call: [], inference: [], additional: [] };
  for (const [name, value] of Object.entries(others)) {
    const placed = place(name);
    if (!placed) continue;
    const [group, key] = placed;
    groups[group].push([key, key === 'stopSequences' && typeof value === 'string' ? [value] : value]);
  }
  return {
    call: Object.fromEntries(groups.call),
    inference: laidOver(groups.inference, inferenceConfig),
    additional: laidOver(groups.additional, additionalModelRequestFields),
    format,
  };
}

type Group = Exclude<keyof SplitParameters, 'format'>;

/**
 * The group and name of a parameter. Names from other clients are accepted for parameters that Converse knows; `model`
 * is the model of the call. Null for parameters of other vendors, because models refuse parameters they do not know.
 */
function place(name: string): [Group, string] | null {
  if (name === 'model') return ['call', 'modelId'];
  if (CALL_ARGUMENTS.has(name)) return ['call', name];
  const concept = conceptOf(name);
  if (concept === null || concept === 'topK') return ['additional', name];
  const own = BEDROCK_NAMES[concept]?.[0];
  return own === undefined ? null : ['inference', own];
}

function laidOver(entries: [string, JsonValue][], whole: JsonValue | undefined): JsonObject {
  return compact({ ...Object.fromEntries(entries), ...(isObject(whole) ? whole : {}) });
}

function orNull(object: JsonObject): JsonObject | null {
  return Object.keys(object).length === 0 ? null : object;
}
