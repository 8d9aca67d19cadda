import { Injectable } from '@nestjs/common';
import { FailedCall, type MadeCall, ModelCalls, ModelFailure, type ModelFailureKind } from '../../llm/index.js';
import type { JsonObject } from '../../platform/json.js';
import { withoutNoise } from '../../platform/numbers.js';
import type { FilledPrompt, PromptToRun } from '../../prompts/index.js';
import { ERROR_MESSAGE_LENGTH, type ErrorType, type LlmCall, outputText } from '../../requests/index.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure, TransientFailure } from '../grid/column-type/column-type.js';

/** What is asked of a model. */
export interface CellAsk {
  filled: FilledPrompt;
  source: PromptToRun['source'];
  /** Which of the workspace's credentials of the provider; null for the one called "default", or the only one. */
  credential: string | null;
  variables: JsonObject;
}

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
    const { provider, apiType } = model;
    const { workspaceId, signal } = context;
    const call = { workspaceId, provider, credential: ask.credential, signal, kwargs, apiType };
    return context.attempt(async () => {
      checkBudget(context);
      const made = await this.calls
        .call({ ...call, whileWaiting: (wait) => context.untimed(wait) })
        .catch((error: unknown) => this.fail(error, ask, context));
      void context.record(recorded(ask, made, null));
      return { text: textOf(made), made };
    });
  }

  /** Embeds texts, with one call for all of them. */
  embed(
    {
      provider,
      model,
      texts,
      credential,
    }: { provider: string; model: string; texts: string[]; credential: string | null },
    context: CellContext,
  ): Promise<number[][]> {
    const { workspaceId, signal } = context;
    return context.attempt(async () => {
      checkBudget(context);
      const ask = { workspaceId, provider, credential, signal, model, texts };
      const made = await this.calls
        .embed({ ...ask, whileWaiting: (wait) => context.untimed(wait) })
        .catch((error: unknown) => this.fail(error, null, context));
      void context.record(recorded(null, made, null, { provider, model }));
      return made.vectors;
    });
  }

  private fail(error: unknown, ask: CellAsk | null, context: CellContext): never {
    if (error instanceof FailedCall) {
      void context.record(recorded(ask, error.call, error.failure)).catch(() => undefined);
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
  ask: CellAsk | null,
  { functionName, reading, startMs, endMs }: MadeCall,
  failure: ModelFailure | null,
  named?: { provider: string; model: string },
): { call: LlmCall; startMs: number; endMs: number } {
  const model = ask?.filled.model;
  const call: LlmCall = {
    provider: named?.provider ?? model?.provider ?? 'unknown',
    model: named?.model ?? reading.model ?? model?.name ?? 'unknown',
    answeredBy: reading.answeredBy,
    apiType: reading.apiType ?? model?.apiType ?? null,
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
    promptInputVariables: ask?.variables ?? {},
    prompt: ask?.source ? { ...ask.source, label: null } : null,
  };
  return { call, startMs, endMs };
}
