import { Injectable } from '@nestjs/common';
import { FailedCall, type MadeCall, ModelCalls, ModelFailure, type ModelFailureKind } from '../../llm/index.js';
import type { JsonObject } from '../../platform/json.js';
import type { FilledPrompt, PromptToRun } from '../../prompts/index.js';
import { ERROR_MESSAGE_LENGTH, type ErrorType } from '../../llm/records/outcome.js';
import type { LlmCall } from '../../llm/records/llm-call.js';
import { outputText } from '../../llm/records/conversation.js';
import type { CellContext, RecordedCall } from '../grid/column-type/cell-context.js';
import { CellFailure, TransientFailure } from '../grid/column-type/column-type.js';

/** What is asked of a model. */
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
  /** What the model said; the tools it wants to call, as JSON, where it said nothing. */
  text: string;
  made: AnsweredCall;
}

/** What is known of an answer, without what was asked. It is JSON: it can be kept. */
export interface AnsweredCall extends Pick<MadeCall, 'startMs' | 'endMs'> {
  reading: Pick<MadeCall['reading'], 'model' | 'answeredBy' | 'usage' | 'output'>;
}

const ERROR_TYPES: Record<ModelFailureKind, ErrorType> = {
  credentials: 'PROVIDER_AUTH_ERROR',
  rate_limit: 'PROVIDER_RATE_LIMIT',
  timeout: 'PROVIDER_TIMEOUT',
  provider: 'PROVIDER_ERROR',
  unknown: 'UNKNOWN_ERROR',
};

/** Calls of models for cells: tried again while that may help, each of them logged. */
@Injectable()
export class CellModelCalls {
  constructor(private readonly calls: ModelCalls) {}

  /** Throws a CellFailure in words for the reader. */
  ask(ask: CellAsk, context: CellContext): Promise<CellAnswer> {
    const { model, kwargs } = ask.filled;
    if (!model || !kwargs || model.name === null) throw new CellFailure(NO_MODEL);
    const { provider, name, apiType } = model;
    const called = { provider, model: name, apiType };
    const call = { ...callFor(context, provider, ask.credential), kwargs, apiType };
    return context.attempt(async () => {
      const made = await this.calls.call(call).catch(failWith(context, called, promptOf(ask)));
      void context.record(recorded(called, made, SUCCESS, promptOf(ask)));
      return { text: textOf(made), made: answered(made) };
    });
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

/** Logs a call that was made in vain, and says why the cell fails or is tried again. */
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

function answered({ reading, startMs, endMs }: MadeCall): AnsweredCall {
  const { model, answeredBy, usage, output } = reading;
  return { reading: { model, answeredBy, usage, output }, startMs, endMs };
}

function textOf({ reading, refusal }: MadeCall): string {
  if (refusal !== null) throw new CellFailure(`The model refused to answer: ${refusal}`);
  return outputText(reading.output);
}

/** Who was called, in the words of the prompt: what the answer says comes second. */
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

type Outcome = Pick<LlmCall, 'status' | 'errorType' | 'errorMessage'>;

const SUCCESS: Outcome = { status: 'SUCCESS', errorType: null, errorMessage: null };

const failed = ({ kind, message }: ModelFailure): Outcome => ({
  status: 'ERROR',
  errorType: ERROR_TYPES[kind],
  errorMessage: message.slice(0, ERROR_MESSAGE_LENGTH),
});

type PromptOfCall = Pick<LlmCall, 'promptInputVariables' | 'prompt'>;

const NO_PROMPT: PromptOfCall = { promptInputVariables: {}, prompt: null };

const promptOf = ({ variables, source }: CellAsk): PromptOfCall => ({
  promptInputVariables: variables,
  prompt: source && { ...source, label: null },
});
