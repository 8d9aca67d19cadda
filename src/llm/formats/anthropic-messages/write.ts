import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { readConversation, type ToolTurn, type Turn } from '../shared/conversation.js';
import { anthropicBlock } from './blocks.js';
import { argumentsObject, compact } from '../../shared/json-reading.js';
import { completionKwargs } from '../openai-chat/openai-completions.js';
import type { ModelCall } from '../../providers/model-provider.js';
import { ANTHROPIC_COMPLETION_NAMES } from '../shared/parameter-names.js';
import { adaptNames } from '../shared/parameters.js';
import { readResponseFormat } from '../shared/response-format.js';
import {
  type BuiltInTool,
  builtInTools,
  type FunctionTool,
  functionTools,
  NO_PARAMETERS,
  type ToolChoice,
  toolChoice,
} from '../shared/tools.js';
import { alternate, type Blocks, filledTexts, splitInstructions } from '../shared/turns.js';

/** The API refuses calls without a limit. All models sold today can answer this much. */
const DEFAULT_MAX_TOKENS = 4096;

/** How the API spells its built-in tools; `config.type` of a prompt may name a newer date. */
const TOOL_FORMS = new Map<string, { type: string; name: string }>([
  ['web_search', { type: 'web_search_20250305', name: 'web_search' }],
  ['url_context', { type: 'web_fetch_20250910', name: 'web_fetch' }],
  ['code_interpreter', { type: 'code_execution_20250825', name: 'code_execution' }],
  ['bash', { type: 'bash_20250124', name: 'bash' }],
  ['text_editor', { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }],
]);

/**
 * Arguments in the format of Anthropic's messages: `{system, messages, tools, …}`; a completion has the format of the
 * legacy endpoint. `providers` are the names under which built-in tools of this vendor are stored.
 */
export function anthropicKwargs(call: ModelCall, providers: readonly string[]): JsonObject {
  if (call.prompt.type === 'completion') return legacyKwargs(call);
  const { instructions, dialogue } = splitInstructions(readConversation(call.prompt));
  return {
    system: filledTexts(instructions).map((text) => ({ type: 'text', text })),
    messages: alternate(dialogue.map(toBlocks)).map(({ role, blocks }) => ({ role, content: blocks })),
    ...toTools(call, providers),
    model: call.model,
    max_tokens: hasModel(call) ? defaultMaxTokens(call.parameters) : null,
    ...toParameters(call.parameters),
  };
}

function legacyKwargs(call: ModelCall): JsonObject {
  const parameters = adaptNames(ANTHROPIC_COMPLETION_NAMES, call.parameters);
  const max_tokens_to_sample = hasModel(call) ? DEFAULT_MAX_TOKENS : null;
  return completionKwargs({ ...call, parameters: { ...compact({ max_tokens_to_sample }), ...parameters } });
}

/** Without a model the arguments contain only values from the prompt and cannot be sent. */
function hasModel({ model, parameters }: ModelCall): boolean {
  return model !== null || Object.hasOwn(parameters, 'model');
}

/** The limit includes the thoughts, which have their own budget, so it must be above the budget. */
function defaultMaxTokens({ thinking }: JsonObject): number {
  const budget = isObject(thinking) && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  return DEFAULT_MAX_TOKENS + budget;
}

function toBlocks(turn: Turn): Blocks {
  if (turn.role === 'tool') return { role: 'user', blocks: [toolResult(turn)] };
  const role = turn.role === 'assistant' ? 'assistant' : 'user';
  const said = turn.parts.map((part) => anthropicBlock(part, role)).filter((block) => block !== null);
  const calls = turn.role === 'assistant' ? turn.calls : [];
  const used = calls.map(({ id, name, arguments: args }) => ({
    type: 'tool_use',
    id,
    name,
    input: argumentsObject(args),
  }));
  return { role, blocks: [...said, ...used] };
}

function toolResult(turn: ToolTurn): JsonObject {
  const content = turn.parts.map((part) => anthropicBlock(part, 'user')).filter((block) => block !== null);
  return compact({ type: 'tool_result', tool_use_id: turn.callId, content });
}

function toTools({ prompt }: ModelCall, providers: readonly string[]): JsonObject {
  const builtIns = builtInTools(prompt, providers)
    .map(toBuiltIn)
    .filter((tool) => tool !== null);
  const tools = [...functionTools(prompt).map(toFunctionTool), ...builtIns];
  const choice = toolChoice(prompt);
  return compact({ tools, tool_choice: tools.length > 0 && choice ? toChoice(choice) : null });
}

function toFunctionTool({ name, description, parameters, strict }: FunctionTool): JsonObject {
  return compact({ name, description, input_schema: parameters ?? NO_PARAMETERS, strict: strict || null });
}

function toBuiltIn({ type, config }: BuiltInTool): JsonObject | null {
  const form = TOOL_FORMS.get(type);
  return form === undefined ? null : compact({ ...form, ...config });
}

function toChoice(choice: ToolChoice): JsonValue {
  if (choice.mode === 'function') return { type: 'tool', name: choice.name };
  return { type: choice.mode === 'required' ? 'any' : choice.mode };
}

/** A schema for the answer is nested here; the API has no counterpart to the other formats. */
function toParameters({ response_format, ...rest }: JsonObject): JsonObject {
  const format = readResponseFormat(response_format);
  if (format?.type !== 'json_schema') return rest;
  const given = isObject(rest.output_config) ? rest.output_config : {};
  return { ...rest, output_config: { format: { type: 'json_schema', schema: format.schema }, ...given } };
}
