import { Injectable } from '@nestjs/common';
import {
  estimateTokens,
  FailedCall,
  leftOut,
  type MadeCall,
  ModelCalls,
  ModelFailure,
  RefusedArguments,
} from '../llm/index.js';
import type { JsonObject } from '../platform/json.js';
import type { FilledPrompt, PromptToRun } from '../prompts/index.js';
import { errorOutcome, type Outcome, outcomeOf, refusalOf, SUCCESS } from '../llm/records/outcome.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import { outputText } from '../llm/records/conversation.js';
import type { CellContext, RecordedCall } from '../grid/column-type/cell-context.js';
import { CellFailure, TransientFailure } from '../grid/column-type/column-type.js';

/** A request to a model. */
export interface CellAsk {
  filled: FilledPrompt;
  source: PromptToRun['source'];
  /** Which of the workspace's credentials of the provider; null for the one called "default", or the only one. */
  credential: string | null;
  variables: JsonObject;
}

/** Texts to embed. */
export interface EmbedAsk {
  provider: string;
  model: string;
  texts: string[];
  credential: string | null;
}

export interface CellAnswer {
  /** The text of the model, or the tools it calls, as JSON, when there is no text. */
  text: string;
  made: AnsweredCall;
}

/** An answered call without its request. It is JSON, so it can be stored. */
export interface AnsweredCall extends Pick<MadeCall, 'startMs' | 'endMs'> {
  reading: Pick<MadeCall['reading'], 'model' | 'answeredBy' | 'usage' | 'output'>;
  /** The reason why the answer is incomplete, in a sentence. */
  cutOff?: string;
}

/** Model calls of cells: retried after temporary failures, and logged. */
@Injectable()
export class CellModelCalls {
  private readonly refused = new RefusedArguments();

  constructor(private readonly calls: ModelCalls) {}

  /** Throws a CellFailure in words for the reader. */
  ask(ask: CellAsk, context: CellContext): Promise<CellAnswer> {
    const { model, kwargs } = ask.filled;
    if (!model || !kwargs || model.name === null) throw new CellFailure(NO_MODEL);
    const { provider, name, apiType } = model;
    const called = { provider, model: name, apiType };
    const call = { ...callFor(context, provider, ask.credential), kwargs, apiType };
    return context.attempt(async () => {
      const made = await this.call(call, { called, prompt: promptOf(ask), context });
      void context.record(recorded(called, made, outcomeOf(made.reading.end), promptOf(ask)));
      const answer = { text: textOf(made), made: answered(made, kwargs) };
      assertSaid(answer);
      if (answer.made.cutOff) context.warn(answer.made.cutOff);
      return answer;
    });
  }

  /** Makes a call without the options that the service or the model rejects, if the call works without them. */
  private async call(
    ask: Parameters<ModelCalls['call']>[0],
    { called, prompt, context }: { called: Called; prompt: PromptOfCall; context: CellContext },
  ): Promise<MadeCall> {
    const whom = JSON.stringify([ask.workspaceId, ask.credential, called]);
    const { made, left } = await this.refused
      .adapt(whom, ask.kwargs, {
        call: (kwargs) => this.calls.call({ ...ask, kwargs }),
        onRefused: ({ call, failure }) => void context.record(recorded(called, call, failed(failure), prompt)),
      })
      .catch(failWith(context, called, prompt));
    if (left.length > 0) context.warn(leftOut(left));
    return made;
  }

  /** Embeds texts, with one call for all of them. */
  embed({ provider, model, texts, credential }: EmbedAsk, context: CellContext): Promise<number[][]> {
    const called = { provider, model, apiType: null };
    const call = { ...callFor(context, provider, credential), model, texts };
    return context.attempt(async () => {
      const made = await this.calls.embed(call).catch(failWith(context, called, NO_PROMPT));
      void context.record(recorded(called, made, SUCCESS));
      return made.vectors;
    });
  }
}

const callFor = ({ workspaceId, signal, untimed }: CellContext, provider: string, credential: string | null) => ({
  workspaceId,
  provider,
  credential,
  signal,
  whileWaiting: untimed,
});

/** Logs a failed call, and throws the reason why the cell fails or is retried. */
function failWith(context: CellContext, called: Called, prompt: PromptOfCall): (error: unknown) => never {
  return (error) => {
    if (error instanceof FailedCall) {
      void context.record(recorded(called, error.call, failed(error.failure), prompt));
    }
    context.signal.throwIfAborted();
    const failure = error instanceof FailedCall ? error.failure : error;
    if (!(failure instanceof ModelFailure)) throw failure;
    if (failure.retry) throw new TransientFailure(failure.message, failure.retry.afterMs);
    throw new CellFailure(failure.message);
  };
}

const NO_MODEL =
  'The prompt names no model. Publish a version with one in metadata.model, or give the column an engine with provider and model.';

function answered({ reading, startMs, endMs }: MadeCall, kwargs: JsonObject): AnsweredCall {
  const { model, answeredBy, usage, output, end } = reading;
  const made = { reading: { model, answeredBy, usage, output }, startMs, endMs };
  return end.kind === 'cut' ? { ...made, cutOff: cutOff(end.reason, kwargs, usage.output) } : made;
}

/** Vendors' finish reasons for a limit in the request, rather than one of the model. */
const LIMIT_REASONS = /^(?:length|max(?:_output|_completion)?_tokens)$/i;

function cutOff(reason: string, kwargs: JsonObject, used: number | null): string {
  if (!LIMIT_REASONS.test(reason)) return `The answer was cut off (${reason}).`;
  const limit = estimateTokens(kwargs).output ?? used;
  return `The model stopped at its limit of ${limit === null ? '' : `${limit} `}tokens.`;
}

function textOf({ reading: { end, output } }: MadeCall): string {
  if (end.kind === 'withheld') throw new CellFailure(refusalOf(end.reason));
  return outputText(output);
}

/** Throws for an answer that was cut off before its first text. */
function assertSaid({ text, made: { cutOff: reason } }: CellAnswer): void {
  if (reason && text === '') throw new CellFailure(`${reason} It had said nothing by then.`);
}

/** The called model as the prompt names it. The answer may name another one. */
interface Called {
  provider: string;
  model: string;
  apiType: string | null;
}

function recorded(called: Called, made: MadeCall, outcome: Outcome, prompt: PromptOfCall = NO_PROMPT): RecordedCall {
  const { functionName, reading, startMs, endMs } = made;
  const { answeredBy, input, output, parameters, usage, price: reportedPrice } = reading;
  const said = { answeredBy, input, output, parameters, usage, reportedPrice };
  const call = { ...called, functionName, ...said, ...outcome, ...prompt, tags: [], metadata: {} };
  return { call, startMs, endMs };
}

const failed = ({ type, message }: ModelFailure): Outcome => errorOutcome(type, message);

type PromptOfCall = Pick<LlmCall, 'promptInputVariables' | 'prompt'>;

const NO_PROMPT: PromptOfCall = { promptInputVariables: {}, prompt: null };

const promptOf = ({ variables, source }: CellAsk): PromptOfCall => ({
  promptInputVariables: variables,
  prompt: source && { ...source, label: null },
});
