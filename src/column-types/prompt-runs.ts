import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Message } from '../llm/shared/blueprint.js';
import { CredentialStore, estimateTokens } from '../llm/index.js';
import { Problem } from '../platform/errors/problem.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { type FilledPrompt, type Filling, PromptsToRun, type PromptToRun, toHistory } from '../prompts/index.js';
import { inputText } from '../llm/records/conversation.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { type CellEstimate, CellFailure, type InputColumn } from '../grid/column-type/column-type.js';
import { asJson, excerpt } from '../grid/column-type/values.js';
import { type CellAnswer, CellModelCalls } from './model-calls.js';
import { MOST_CALLS, ToolTurns } from './tool-turns.js';
import type { EngineChoice, PromptConfig, PromptTemplateConfig } from './prompt-config.js';

/** A small number, because prompts may be megabytes long. */
const MOST_KNOWN = 50;
/** Assumed length of an answer without a limit, in tokens. */
const USUAL_ANSWER = 300;

type WhichPrompt = Pick<PromptConfig, 'template' | 'inline_template'>;
/** And what it is sent with. */
type AskedPrompt = WhichPrompt & EngineChoice;

type ValueConfig = Pick<PromptTemplateConfig, 'engine' | 'credential' | 'verbose' | 'return_template_only'>;

/** The values that are filled into a prompt. */
export interface RunInput {
  variables: JsonObject;
  /** Messages that follow those of the prompt, as a JSON list or the text of one; null for none. */
  history: JsonValue;
  /** Messages of the model and its tools after that. */
  turns?: Message[];
}

/** Finds, fills in and sends the prompts of columns. Column types share it, so that all do it alike. */
@Injectable()
export class PromptRuns {
  /** Recently used prompts, by their identity. The least recently used one is removed first. */
  private readonly known = new Map<string, PromptToRun>();

  constructor(
    private readonly prompts: PromptsToRun,
    private readonly calls: CellModelCalls,
    private readonly turns: ToolTurns,
    private readonly credentials: CredentialStore,
  ) {}

  /** Finds the current prompt of a config. Throws a CellFailure when there is none. */
  async find({ template, inline_template: inlined }: WhichPrompt, workspaceId: number): Promise<PromptToRun> {
    if (inlined) return this.prompts.inline(workspaceId, inlined.prompt_template, inlined.metadata ?? null);
    if (!template) throw new CellFailure('The column has no prompt.');
    const { name, version_number: version, label } = template;
    // A version is unambiguous, so the label is ignored.
    return this.prompts.find(workspaceId, name, version ? { version } : { label }).catch(toCellFailure);
  }

  /**
   * Digest of the prompt and of the service that answers it. Results depend on both, and a label may move to another
   * version.
   */
  async identity(config: AskedPrompt, workspaceId: number): Promise<string> {
    const toRun = await this.find(config, workspaceId);
    const identity = await this.identityOf(toRun, config, workspaceId);
    this.remember(`${workspaceId}:${identity}`, toRun);
    return identity;
  }

  /**
   * Returns the prompt of an identity, even if its label has moved: a result must belong to the prompt of its identity.
   */
  async recall(
    config: AskedPrompt,
    { workspaceId, dependsOn }: Pick<CellContext, 'workspaceId' | 'dependsOn'>,
  ): Promise<PromptToRun> {
    const key = `${workspaceId}:${dependsOn}`;
    const known = this.known.get(key);
    const toRun = known ?? (await this.find(config, workspaceId));
    if (!known && (await this.identityOf(toRun, config, workspaceId)) !== dependsOn) {
      throw new CellFailure('The prompt was changed while the cell was being computed. Recalculate it.');
    }
    this.remember(key, toRun);
    return toRun;
  }

  private async identityOf(
    { prompt, metadata, runnable }: PromptToRun,
    { engine, credential }: AskedPrompt,
    workspaceId: number,
  ): Promise<string> {
    // Answers depend on what the tools do.
    const code = [...runnable].map(([name, { execution }]) => [name, execution]);
    const said = code.length === 0 ? [prompt, metadata] : [prompt, metadata, code];
    const provider = engine?.provider ?? metadata?.model?.provider;
    const wanted = provider && { workspaceId, provider, credential: credential || null };
    const service = wanted ? await this.credentials.serviceOf(wanted) : '';
    return createHash('sha256')
      .update(JSON.stringify([...said, service]))
      .digest('hex');
  }

  private remember(key: string, toRun: PromptToRun): void {
    this.known.delete(key);
    if (this.known.size >= MOST_KNOWN) this.known.delete(this.known.keys().next().value!);
    this.known.set(key, toRun);
  }

  /** Fills a prompt in, as a step of the cell's trace. */
  fill(toRun: PromptToRun, config: EngineChoice, input: RunInput, context: CellContext): Promise<FilledPrompt> {
    const filling = toFilling(config, input);
    return context.step('render', () => this.prompts.fill(toRun, filling, context.workspaceId));
  }

  /** Estimates the cost of sending the prompt; null without a model. */
  async estimate(
    toRun: PromptToRun,
    config: EngineChoice,
    input: RunInput,
    workspaceId: number,
  ): Promise<CellEstimate | null> {
    const { model: chosen, kwargs } = await this.prompts.fill(toRun, toFilling(config, input), workspaceId);
    if (!chosen || chosen.name === null || !kwargs) return null;
    const tokens = estimateTokens(kwargs);
    const { provider, name } = chosen;
    return { provider, model: name, inputTokens: tokens.input, outputTokens: tokens.output ?? USUAL_ANSWER };
  }

  /**
   * Fills a prompt in and sends it. When the model calls only tools of the registry that the server can run, it is
   * asked again with their results. With such tools, answered calls are not paid for again when the worker dies.
   */
  async answer(
    toRun: PromptToRun,
    config: EngineChoice,
    input: RunInput,
    context: CellContext,
  ): Promise<CellAnswer & { filled: FilledPrompt }> {
    const { source, runnable } = toRun;
    const { variables } = input;
    const credential = config.credential || null;
    const turns: Message[] = [];
    for (let count = 1; ; count++) {
      const filled = await this.fill(toRun, config, { ...input, turns }, context);
      const ask = () => this.calls.ask({ filled, source, credential, variables }, context);
      const told = { of: JSON.stringify(filled.kwargs) };
      const answer = await (runnable.size === 0 ? ask() : context.part(`call ${count}`, ask, told));
      const turn = count < MOST_CALLS ? await this.turns.run(runnable, answer.made, context) : null;
      if (!turn) return { ...answer, filled };
      turns.push(...turn);
    }
  }

  /** The value of the column's cell. */
  async value(toRun: PromptToRun, config: ValueConfig, input: RunInput, context: CellContext): Promise<JsonValue> {
    if (config.return_template_only) return filledTemplate(await this.fill(toRun, config, input, context));
    const answer = await this.answer(toRun, config, input, context);
    const value = answerValue(answer.filled, answer);
    return config.verbose ? detailsOf(value, answer) : value;
  }
}

/**
 * The values of the mapped columns by variable. Throws a CellFailure that names a variable of the prompt without a column,
 * before anything is spent.
 */
export function mappedVariables(
  toRun: PromptToRun,
  { key, values, inputs, besides = [] }: { key: string; values: JsonObject; inputs: InputColumn[]; besides?: string[] },
): JsonObject {
  const mapped = new Set(inputs.filter((input) => input.key === key).map(({ variable }) => variable));
  const missing = toRun.variables.filter((name) => !mapped.has(name) && !besides.includes(name));
  if (missing.length > 0) {
    const names = missing.map((name) => `"${name}"`).join(', ');
    throw new CellFailure(`The prompt asks for ${names}, which ${key} maps to no column.`);
  }
  const given = Object.entries(values).filter(([name]) => mapped.has(name));
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? '']));
}

/** The prompt as a person would read it: a list of messages, or the text of a completion. */
function filledTemplate({ prompt }: FilledPrompt): JsonValue {
  return prompt.type === 'chat' ? readJson(inputText(prompt)) : inputText(prompt);
}

function toFilling({ engine }: EngineChoice, { variables, history, turns = [] }: RunInput): Filling {
  const { provider, model, parameters } = engine ?? {};
  return { provider, model, parameters, variables, history: [...readHistory(history), ...turns] };
}

function readHistory(history: JsonValue): ReturnType<typeof toHistory> & object {
  if (history === null || history === '') return [];
  const messages = toHistory(jsonOr(history, 'The chat history'));
  if (!messages)
    throw new CellFailure('The chat history is no list of messages such as {"role": "user", "content": "…"}.');
  return messages;
}

/** An answer of a prompt for JSON is parsed. */
function answerValue({ model }: FilledPrompt, { text }: CellAnswer): JsonValue {
  const format = model?.parameters.response_format;
  const type = isObject(format) ? format.type : null;
  return type === 'json_schema' || type === 'json_object'
    ? jsonOr(text, 'The answer', type === 'json_object' ? isObject : undefined)
    : text;
}

function detailsOf(value: JsonValue, { made }: CellAnswer): JsonObject {
  const { reading, startMs, endMs } = made;
  const { model, answeredBy, usage, output } = reading;
  const toolCalls = output.type === 'chat' ? output.messages.flatMap(({ tool_calls: calls }) => calls ?? []) : [];
  return {
    output: value,
    model: answeredBy ?? model,
    input_tokens: usage.input,
    output_tokens: usage.output,
    latency_ms: endMs - startMs,
    tool_calls: toolCalls as JsonValue[],
  };
}

function jsonOr(value: JsonValue, what: string, accepts?: (found: JsonValue) => boolean): JsonValue {
  try {
    return asJson(value, accepts);
  } catch {
    throw new CellFailure(`${what} is no valid JSON: ${excerpt(value)}.`);
  }
}

function toCellFailure(error: unknown): never {
  throw error instanceof Problem ? new CellFailure(error.message) : error;
}
