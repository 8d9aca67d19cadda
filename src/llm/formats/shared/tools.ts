import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { Prompt } from '../../shared/blueprint.js';
import { objectsIn, textOrNull } from '../../shared/json-reading.js';

/** A tool of the caller, called by name. */
export interface FunctionTool {
  name: string;
  description: string | null;
  /** JSON schema; null when the tool takes nothing in particular. */
  parameters: JsonObject | null;
  strict: boolean;
}

/** A tool that the vendor runs. */
export interface BuiltInTool {
  type: string;
  provider: string;
  config: JsonObject;
}

/** Which tool the model must use. */
export type ToolChoice = { mode: 'auto' | 'none' | 'required' } | { mode: 'function'; name: string };

/** JSON schema of a tool that takes nothing. */
export const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

const MODES = new Map<string, 'auto' | 'none' | 'required'>([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
]);

/** The function tools of a prompt, those of the older `functions` included. */
export function functionTools(prompt: Prompt): FunctionTool[] {
  return prompt.type === 'chat' ? [...readFunctions(prompt.tools), ...readFunctions(prompt.functions)] : [];
}

/**
 * The function tools in a list, stored as `{type: "function", function}` or as the function itself. References to the
 * tool registry and unfilled variables are skipped.
 */
export function readFunctions(list: JsonValue | undefined): FunctionTool[] {
  return objectsIn(list).flatMap((tool) => {
    if (tool.type !== undefined && tool.type !== null && tool.type !== 'function') return [];
    const stored = isObject(tool.function) ? tool.function : tool;
    const name = textOrNull(stored.name);
    return name === null ? [] : [toFunctionTool(name, stored)];
  });
}

/** The built-in tools of a prompt that belong to one of the providers; tools of other providers are unknown to them. */
export function builtInTools(prompt: Prompt, providers: readonly string[]): BuiltInTool[] {
  if (prompt.type !== 'chat') return [];
  return objectsIn(prompt.tools).flatMap((tool) => {
    const type = textOrNull(tool.type);
    const provider = textOrNull(tool.provider);
    if (type === null || type === 'function' || provider === null || !providers.includes(provider)) return [];
    return [{ type, provider, config: isObject(tool.config) ? tool.config : {} }];
  });
}

/** The tool that the prompt demands, in either of its forms; null when it demands none that is understood. */
export function toolChoice(prompt: Prompt): ToolChoice | null {
  if (prompt.type !== 'chat') return null;
  return readChoice(prompt.tool_choice) ?? readChoice(prompt.function_call);
}

export function readChoice(choice: JsonValue | undefined): ToolChoice | null {
  if (!isObject(choice)) return choiceByWord(textOrNull(choice));
  const chosen = isObject(choice.function) ? choice.function : choice;
  const name = textOrNull(chosen.name);
  if (name !== null) return { mode: 'function', name };
  const mode = MODES.get(textOrNull(choice.type) ?? '');
  return mode === undefined ? null : { mode };
}

/** A word that is no mode is the name of a tool. */
function choiceByWord(word: string | null): ToolChoice | null {
  if (word === null) return null;
  const mode = MODES.get(word);
  return mode === undefined ? { mode: 'function', name: word } : { mode };
}

function toFunctionTool(name: string, stored: JsonObject): FunctionTool {
  const schema = stored.parameters ?? stored.input_schema;
  return {
    name,
    description: textOrNull(stored.description),
    parameters: isObject(schema) ? schema : null,
    strict: stored.strict === true,
  };
}
