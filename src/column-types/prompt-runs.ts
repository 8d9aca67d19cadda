import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Message } from '../llm/blueprint.js';
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

/** Prompts may be megabytes long. */
const MOST_KNOWN = 50;
/** Tokens of an answer whose length nobody limits. */
const USUAL_ANSWER = 300;

type WhichPrompt = Pick<PromptConfig, 'template' | 'inline_template'>;
/** And what it is sent with. */
type AskedPrompt = WhichPrompt & EngineChoice;

type ValueConfig = Pick<PromptTemplateConfig, 'engine' | 'credential' | 'verbose' | 'return_template_only'>;

/** What is filled into a prompt. */
export interface RunInput {
  variables: JsonObject;
  /** Messages that follow those of the prompt, as a JSON list or the text of one; null for none. */
  history: JsonValue;
  /** What the model and its tools have said since. */
  turns?: Message[];
}

/** Prompts of columns: found, filled in and sent to their model. Column types share it, so that all do it alike. */
@Injectable()
export class PromptRuns {
  /** Prompts that cells are computed with now, by their identity. The one that was not asked for the longest goes first. */
  private readonly known = new Map<string, PromptToRun>();

  constructor(
    private readonly prompts: PromptsToRun,
    private readonly calls: CellModelCalls,
    private readonly turns: ToolTurns,
    private readonly credentials: CredentialStore,
  ) {}

  /** The prompt that a config means now. Throws a CellFailure when there is none. */
  async find({ template, inline_template: inlined }: WhichPrompt, workspaceId: number): Promise<PromptToRun> {
    if (inlined) return this.prompts.inline(workspaceId, inlined.prompt_template, inlined.metadata ?? null);
    if (!template) throw new CellFailure('The column has no prompt.');
    const { name, version_number: version, label } = template;
    // A version says exactly what is meant.
    return this.prompts.find(workspaceId, name, version ? { version } : { label }).catch(toCellFailure);
  }

  /** What the prompt says now and which service answers it, as a digest: results depend on it, and a label may move. */
  async identity(config: AskedPrompt, workspaceId: number): Promise<string> {
    const toRun = await this.find(config, workspaceId);
    const identity = await this.identityOf(toRun, config, workspaceId);
    this.remember(`${workspaceId}:${identity}`, toRun);
    return identity;
  }

  /** The prompt of an identity, whatever its label means by now: results must not belong to another prompt than they say. */
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

  /** What sending it would take, roughly. null without a model. */
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
   * Fills a prompt in and sends it. As long as the model asks for tools of the registry that can be run, and for no others, it is
   * asked again with what they gave. Where there are such tools, calls that were answered are not paid for again when the worker dies.
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

  /** What a column of a prompt holds. */
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

/** A prompt that demands JSON gets its answer as JSON. */
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
