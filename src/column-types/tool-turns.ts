import { Injectable } from '@nestjs/common';
import { type Message, newMessage, type ToolCall } from '../llm/shared/blueprint.js';
import { Problem } from '../platform/errors/problem.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { safeText } from '../platform/safe-text.js';
import type { PromptToRun } from '../prompts/index.js';
import { type RunnableTool, ToolRunner } from '../tools/index.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure } from '../grid/column-type/column-type.js';
import type { AnsweredCall } from './model-calls.js';

/** Maximum number of model calls for one answer. Tools that the last one calls are not run. */
export const MOST_CALLS = 10;

/** Runs the tools of the registry that a model calls. */
@Injectable()
export class ToolTurns {
  constructor(private readonly tools: ToolRunner) {}

  /**
   * Returns the messages of the model and of its tools, with which the next call begins. null when it calls no tool, or
   * one that the server cannot run: the calls are the answer then.
   */
  async run(
    runnable: PromptToRun['runnable'],
    { reading }: AnsweredCall,
    context: CellContext,
  ): Promise<Message[] | null> {
    if (reading.output.type !== 'chat') return null;
    const { messages } = reading.output;
    const calls = messages.flatMap(({ tool_calls: asked }) => asked ?? []);
    if (calls.length === 0 || !calls.every(({ function: { name } }) => runnable.has(name))) return null;
    const results: Message[] = [];
    for (const call of calls) {
      const { id, function: called } = call;
      const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': called.name };
      const run = () => this.result(runnable.get(called.name)!, call, context);
      // A tool that has run is not run again when the worker dies, because it may have side effects.
      const told = {
        attributes: { ...attributes, 'gen_ai.tool.call.id': id },
        of: JSON.stringify([id, called.arguments]),
      };
      const result = await context.part(`tool ${called.name}`, run, told);
      results.push(toMessage(call, result));
    }
    return [...messages, ...results];
  }

  /** Errors of the code go to the model, which may correct its call. Throws a CellFailure where it could not. */
  private async result(tool: RunnableTool, { function: called }: ToolCall, context: CellContext): Promise<JsonValue> {
    const inputs = readArguments(called.arguments);
    if (!inputs) return failure('ArgumentError', 'The arguments are no JSON object.');
    const { workspaceId, signal } = context;
    try {
      const { outcome } = await this.tools.run(tool, inputs, { workspaceId, keyId: null }, signal);
      return 'value' in outcome ? outcome.value : failure(outcome.error.type, outcome.error.message);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'tool_timeout') return failure('TimeoutError', error.message);
      throw new CellFailure(`The tool ${called.name} cannot be run. ${error.message}`);
    }
  }
}

/** Models write nothing for a function without arguments. */
function readArguments(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const value = readJson(text) as JsonValue;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const failure = (type: string, message: string): JsonObject => ({ error: { type, message } });

function toMessage({ id, function: { name } }: ToolCall, result: JsonValue): Message {
  const text = safeText(typeof result === 'string' ? result : JSON.stringify(result));
  return { ...newMessage('tool', name, [{ type: 'text', text }]), tool_call_id: id };
}
