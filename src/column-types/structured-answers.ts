import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type ChatPrompt, newMessage, newChat } from '../llm/shared/blueprint.js';
import { textPart } from '../llm/messages/parts.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { PromptsToRun, type PromptToRun } from '../prompts/index.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { type CellEstimate, CellFailure } from '../grid/column-type/column-type.js';
import { asJson } from '../grid/column-type/values.js';
import type { CellAnswer } from './model-calls.js';
import type { Engine } from './prompt-config.js';
import { PromptRuns } from './prompt-runs.js';

/** A built-in prompt for structured answers. Its texts are f-strings. */
export interface StructuredPrompt<T> {
  /** Increase it with every change of the texts: earlier answers are then not reused. */
  revision: number;
  system: string;
  user: string;
  /** The fields of the answer, as properties of a JSON Schema; all of them are required. */
  properties: JsonObject;
  /** The schema of accepted answers. */
  answer: z.ZodType<T>;
}

/** The model to ask, and which of the workspace's credentials of its provider. */
export interface AskedModel {
  engine: Engine;
  credential: string | null;
}

/** Number of attempts to get a valid answer. */
const ASKS = 2;
/** Limit of the filled-in characters. No model reads as many, and longer texts would not be filled in at all. */
const MOST_TEXT = 5_000_000;
const SHOWN = 500;

/** Asks models for structured answers and validates them. */
@Injectable()
export class StructuredAnswers {
  constructor(
    private readonly prompts: PromptsToRun,
    private readonly runs: PromptRuns,
  ) {}

  /** Throws a CellFailure that shows an invalid answer. */
  async ask<T>(
    prompt: StructuredPrompt<T>,
    { engine, credential }: AskedModel,
    variables: Record<string, string>,
    context: CellContext,
  ): Promise<T> {
    checkLength(variables);
    const toRun = await this.prepare(prompt, engine, context.workspaceId);
    const config = { engine: withoutFormat(engine), credential };
    let history: JsonValue[] = [];
    for (let asked = 1; ; asked++) {
      const answer = await this.runs.answer(toRun, config, { variables, history }, context);
      const read = readAnswer(prompt.answer, answer);
      if ('value' in read) return read.value;
      // A retry would be cut off at the same limit.
      if (answer.made.cutOff) throw new CellFailure(misfit(answer.made.cutOff, answer.text));
      if (asked === ASKS) throw new CellFailure(misfit(read.problem, answer.text));
      history = correction(answer.text, read.problem);
    }
  }

  /** Estimates the cost of a call; null when it is unknown. */
  async estimate(
    prompt: StructuredPrompt<unknown>,
    engine: Engine,
    variables: Record<string, string>,
    workspaceId: number,
  ): Promise<CellEstimate | null> {
    checkLength(variables);
    const toRun = await this.prepare(prompt, engine, workspaceId);
    return this.runs.estimate(toRun, { engine: withoutFormat(engine) }, { variables, history: null }, workspaceId);
  }

  private prepare(
    { system, user, properties }: StructuredPrompt<unknown>,
    { provider, model }: Engine,
    workspaceId: number,
  ): Promise<PromptToRun> {
    const schema = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
    const response_format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
    const metadata = { model: { provider, name: model, parameters: { response_format } } };
    return this.prompts.inline(workspaceId, chatOf({ system, user }), metadata as never);
  }
}

/** A chat of f-strings from a system message and a user message. */
export function chatOf({ system, user }: { system: string; user?: string }): ChatPrompt {
  const said = (role: 'system' | 'user', text: string) => newMessage(role, null, [textPart(text)]);
  return newChat([said('system', system), ...(user === undefined ? [] : [said('user', user)])]);
}

/** Quotes a text or value as data in a prompt, so that nothing in it can end the quotation. */
export function quoted(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? '');
}

function checkLength(variables: Record<string, string>): void {
  const length = Object.values(variables).reduce((sum, text) => sum + text.length, 0);
  if (length > MOST_TEXT) throw new CellFailure(`The model would have to read more than ${MOST_TEXT} characters.`);
}

/** Columns cannot choose the format of the answer. */
function withoutFormat({ parameters, ...engine }: Engine): Engine {
  const others = Object.entries(parameters ?? {}).filter(([name]) => name !== 'response_format');
  return { ...engine, parameters: Object.fromEntries(others) };
}

function readAnswer<T>(form: z.ZodType<T>, { text }: CellAnswer): { value: T } | { problem: string } {
  let json: JsonValue;
  try {
    json = asJson(text, (value) => form.safeParse(value).success);
  } catch (error) {
    return { problem: (error as Error).message };
  }
  const parsed = form.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: `${issue!.path.join('.') || 'answer'}: ${issue!.message}.` };
}

function correction(said: string, problem: string): JsonValue[] {
  const content = `That is not the JSON object that was asked for (${problem}) Answer again, with this object and nothing else.`;
  const answer = said.trim() === '' ? [] : [{ role: 'assistant', content: said }];
  return [...answer, { role: 'user', content }];
}

function misfit(problem: string, said: string): string {
  const shown = said.length > SHOWN ? `${said.slice(0, SHOWN)}…` : said;
  return `The model did not answer in the form that it was asked for. ${problem} It said: ${shown || '(nothing)'}`;
}
