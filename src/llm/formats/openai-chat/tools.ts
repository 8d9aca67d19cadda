import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import type { Prompt } from '../../shared/blueprint.js';
import { compact } from '../../shared/json-reading.js';
import {
  type FunctionTool,
  functionTools,
  NO_PARAMETERS,
  readChoice,
  readFunctions,
  type ToolChoice,
  toolChoice,
} from '../shared/tools.js';

/**
 * `tools` and `tool_choice`, and beside them the older `functions` and `function_call`. A choice without anything to
 * choose from is an error for the API, so it is left out.
 */
export function toolsAndFunctions(prompt: Prompt): JsonObject {
  if (prompt.type !== 'chat') return {};
  const tools = readFunctions(prompt.tools).map((tool) => toChatTool(tool, true));
  const functions = readFunctions(prompt.functions).map((tool) => toFunction(tool, false));
  return compact({
    tools,
    tool_choice: tools.length > 0 ? givenChoice(prompt.tool_choice, toChatChoice) : null,
    functions,
    function_call: functions.length > 0 ? givenChoice(prompt.function_call, toFunctionCall) : null,
  });
}

/** `tools` and `tool_choice` for APIs that never had functions: those of the prompt are declared as tools. */
export function toolsOnly(prompt: Prompt, { strict }: { strict: boolean }): JsonObject {
  const tools = functionTools(prompt).map((tool) => toChatTool(tool, strict));
  const choice = toolChoice(prompt);
  return compact({ tools, tool_choice: tools.length > 0 && choice ? toChatChoice(choice) : null });
}

/** A function tool in the format of OpenAI's chats; `strict` is whether the API supports that field. */
export function toChatTool(tool: FunctionTool, strict: boolean): JsonObject {
  return { type: 'function', function: toFunction(tool, strict) };
}

function toFunction(tool: FunctionTool, strict: boolean): JsonObject {
  return compact({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters ?? NO_PARAMETERS,
    strict: strict && tool.strict ? true : null,
  });
}

/** Objects of a form not known here, such as a list of allowed tools, are the API's business. */
function givenChoice(given: JsonValue | undefined, write: (choice: ToolChoice) => JsonValue): JsonValue {
  const choice = readChoice(given);
  if (choice !== null) return write(choice);
  return isObject(given) ? given : null;
}

function toChatChoice(choice: ToolChoice): JsonValue {
  return choice.mode === 'function' ? { type: 'function', function: { name: choice.name } } : choice.mode;
}

function toFunctionCall(choice: ToolChoice): JsonValue {
  return choice.mode === 'function' ? { name: choice.name } : choice.mode;
}
