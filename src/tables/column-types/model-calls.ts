import { Injectable } from '@nestjs/common';
import {
  type CallFor,
  FailedCall,
  type MadeCall,
  ModelCalls,
  ModelFailure,
  type ModelFailureKind,
} from '../../llm/index.js';
import type { JsonObject } from '../../platform/json.js';
import { withoutNoise } from '../../platform/numbers.js';
import type { FilledPrompt, PromptToRun } from '../../prompts/index.js';
import { ERROR_MESSAGE_LENGTH, type ErrorType, type LlmCall, outputText } from '../../requests/index.js';
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

export interface CellEmbedding {
  provider: string;
  model: string;
  texts: string[];
  credential: string | null;
}

/** What the log of a call says besides what was sent and what came. */
interface SaidOfCall {
  provider: string;
  model: string;
  apiType: string | null;
  source: PromptToRun['source'];
  variables: JsonObject;
}

type CalledFor = Pick<CallFor, 'workspaceId' | 'signal' | 'whileWaiting'>;

export interface CellAnswer {
  /** What the model said; the tools it wants to call, as JSON, where it said nothing. */
  text: string;
  made: MadeCall;
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
    const { credential, source, variables } = ask;
    const said: SaidOfCall = { provider, model: name, apiType, source, variables };
    return this.attempt(said, context, async (whom) => {
      const made = await this.calls.call({ ...whom, provider, credential, kwargs, apiType });
      return { made, read: () => ({ text: textOf(made), made }) };
    });
  }

  /** Embeds texts, with one call for all of them. */
  embed({ provider, model, texts, credential }: CellEmbedding, context: CellContext): Promise<number[][]> {
    const said: SaidOfCall = { provider, model, apiType: null, source: null, variables: {} };
    return this.attempt(said, context, async (whom) => {
      const made = await this.calls.embed({ ...whom, provider, credential, model, texts });
      return { made, read: () => made.vectors };
    });
  }

  /** Calls as often as it may help. `read` is asked after the call was logged: what was paid for is logged in any case. */
  private attempt<T>(
    said: SaidOfCall,
    context: CellContext,
    call: (whom: CalledFor) => Promise<{ made: MadeCall; read: () => T }>,
  ): Promise<T> {
    const { workspaceId, signal } = context;
    return context.attempt(async () => {
      checkBudget(context);
      const whom = { workspaceId, signal, whileWaiting: <W>(wait: Promise<W>) => context.untimed(wait) };
      const { made, read } = await call(whom).catch((error: unknown) => this.fail(error, said, context));
      void context.record(recorded(said, made, null));
      return read();
    });
  }

  private fail(error: unknown, said: SaidOfCall, context: CellContext): never {
    if (error instanceof FailedCall) {
      void context.record(recorded(said, error.call, error.failure)).catch(() => undefined);
    }
    context.signal.throwIfAborted();
    const failure = error instanceof FailedCall ? error.failure : error;
    if (!(failure instanceof ModelFailure)) throw failure;
    if (failure.retry) throw new TransientFailure(failure.message, failure.retry.afterMs);
    throw new CellFailure(failure.message);
  }
}

const NO_MODEL =
  'The prompt names no model. Publish a version with one in metadata.model, or give the column an engine with provider and model.';

/** Whoever calls more than once must not spend without end what the operation has. */
function checkBudget({ budget, spent }: CellContext): void {
  if (budget === null || spent() <= budget) return;
  const amounts = `$${withoutNoise(spent())}, and the operation had $${withoutNoise(budget)} left`;
  throw new CellFailure(`The cell was stopped because it has spent more than it may: ${amounts}.`);
}

function textOf({ reading, refusal }: MadeCall): string {
  if (refusal !== null) throw new CellFailure(`The model refused to answer: ${refusal}`);
  return outputText(reading.output);
}

function recorded(
  { provider, model, apiType, source, variables }: SaidOfCall,
  { functionName, reading, startMs, endMs }: MadeCall,
  failure: ModelFailure | null,
): RecordedCall {
  const call: LlmCall = {
    provider,
    model: reading.model ?? model,
    answeredBy: reading.answeredBy,
    apiType: reading.apiType ?? apiType,
    functionName,
    input: reading.input,
    output: reading.output,
    parameters: reading.parameters,
    usage: reading.usage,
    reportedPrice: reading.price,
    status: failure ? 'ERROR' : 'SUCCESS',
    errorType: failure && ERROR_TYPES[failure.kind],
    errorMessage: failure && failure.message.slice(0, ERROR_MESSAGE_LENGTH),
    tags: [],
    metadata: {},
    promptInputVariables: variables,
    prompt: source && { ...source, label: null },
  };
  return { call, startMs, endMs };
}
