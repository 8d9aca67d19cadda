import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { ContentPart } from '../blueprint.js';
import { bedrockMedia } from './bedrock-media.js';
import { readConversation, type ToolTurn, type Turn } from './conversation.js';
import { argumentsObject, compact, textOrNull } from './json-reading.js';
import { readMedia } from './media.js';
import type { ModelCall } from './model-provider.js';
import { BEDROCK_NAMES } from './parameter-names.js';
import { conceptOf } from './parameters.js';
import { type FunctionTool, functionTools, NO_PARAMETERS, type ToolChoice, toolChoice } from './tools.js';
import { alternate, type Blocks, filledText, filledTexts, splitInstructions } from './turns.js';

/** Arguments of the call itself, credentials the SDKs take out again included. */
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
 * Parameters Converse does not know go into the last one, which hands them to the model. Bytes are base64 text.
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
    ...parameters.call,
  };
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

/** Models say text and thoughts; the latter are taken back only with their signature. */
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
 * There is no word for "use none": the tools are not offered then, unless the conversation has calls already, of
 * which Converse wants to see the tools.
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
}

/** A whole `inferenceConfig` among the parameters is laid over single ones; so are additional fields. */
function splitParameters(parameters: JsonObject): SplitParameters {
  const { inferenceConfig, additionalModelRequestFields, ...others } = parameters;
  const groups = { call: [], inference: [], additional: [] } as Record<keyof SplitParameters, [string, JsonValue][]>;
  for (const [name, value] of Object.entries(others)) {
    const [group, key] = place(name);
    groups[group].push([key, key === 'stopSequences' && typeof value === 'string' ? [value] : value]);
  }
  return {
    call: Object.fromEntries(groups.call),
    inference: laidOver(groups.inference, inferenceConfig),
    additional: laidOver(groups.additional, additionalModelRequestFields),
  };
}

/** Other clients' names of what Converse knows count as well; `model` is the model of the call. */
function place(name: string): [keyof SplitParameters, string] {
  if (name === 'model') return ['call', 'modelId'];
  if (CALL_ARGUMENTS.has(name)) return ['call', name];
  const concept = conceptOf(name);
  const own = concept === null ? undefined : BEDROCK_NAMES[concept]?.[0];
  return own === undefined ? ['additional', name] : ['inference', own];
}

function laidOver(entries: [string, JsonValue][], whole: JsonValue | undefined): JsonObject {
  return compact({ ...Object.fromEntries(entries), ...(isObject(whole) ? whole : {}) });
}

function orNull(object: JsonObject): JsonObject | null {
  return Object.keys(object).length === 0 ? null : object;
}
