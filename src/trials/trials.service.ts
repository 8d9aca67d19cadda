import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import {
  FailedCall,
  leftOut,
  ModelCalls,
  ModelFailure,
  RefusedArguments,
  type StreamedCall,
  type TextSink,
} from '../llm/index.js';
import { errorOutcome, outcomeOf } from '../llm/records/outcome.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import type { Problem } from '../platform/errors/problem.js';
import type { Trial, TrialToMake } from './trial.js';
import { TrialLogs } from './trial-logs.js';
import { TrialSlots } from './trial-slots.js';
import { type LoggedFailure, TrialErrors } from './trials.errors.js';

export interface TrialControl {
  /** Aborted when no client waits for the answer any more. */
  unwanted: AbortSignal;
  /** Receives the answer as it is streamed. Without it the answer is returned as a whole. */
  onText?: TextSink;
}

const LEFT = new ModelFailure('The client ended the call before the answer was complete.', 'UNKNOWN_ERROR', null);
const STOPPING = new ModelFailure('The server was stopped before the answer was complete.', 'UNKNOWN_ERROR', null);

/** Sends prompts to models, once each, and logs every call. */
@Injectable()
export class TrialsService implements OnModuleDestroy {
  private readonly refused = new RefusedArguments();
  private readonly stopping = new AbortController();
  private readonly active = new Set<Promise<unknown>>();

  constructor(
    private readonly calls: ModelCalls,
    private readonly logs: TrialLogs,
    private readonly slots: TrialSlots,
    @Inject(CONFIG) private readonly config: Pick<Config, 'trialTimeLimitMs'>,
  ) {}

  /** Ends running trials. Their logs are stored before the database closes. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort(STOPPING);
    await Promise.allSettled(this.active);
  }

  /**
   * Takes a slot, or throws trials_exceeded at once. The promise rejects with one of {@link TrialErrors}. The call is aborted as soon
   * as it is unwanted or its time is over, and its log has the part of the answer that was received by then.
   */
  start({ workspaceId }: Pick<Caller, 'workspaceId'>, trial: TrialToMake, control: TrialControl): Promise<Trial> {
    const release = this.slots.take(workspaceId);
    const end = new AbortController();
    const limitMs = this.config.trialTimeLimitMs;
    const timer = setTimeout(() => end.abort(timedOut(limitMs)), limitMs);
    const stopListening = forward(end, [
      [control.unwanted, LEFT],
      [this.stopping.signal, STOPPING],
    ]);
    const running = this.ask(workspaceId, trial, { signal: end.signal, onText: control.onText }).finally(() => {
      clearTimeout(timer);
      stopListening();
      release();
      this.active.delete(running);
    });
    this.active.add(running);
    return running;
  }

  private async ask(
    workspaceId: number,
    { traceId, called, kwargs, credential, warning }: TrialToMake,
    { signal, onText }: { signal: AbortSignal; onText?: TextSink },
  ): Promise<Trial> {
    const trial = { workspaceId, traceId, called };
    const { provider, apiType } = called;
    const whom = JSON.stringify([workspaceId, credential, provider, called.model, apiType]);
    const ask = { workspaceId, provider, credential, apiType, signal };
    const call = (taken: typeof kwargs): Promise<StreamedCall> =>
      onText
        ? this.calls.stream({ ...ask, kwargs: taken }, onText)
        : this.calls.call({ ...ask, kwargs: taken }).then((made) => ({ ...made, firstPieceMs: null }));
    const fail = ({ call: failed, failure }: FailedCall) =>
      this.logs.store(trial, failed, errorOutcome(failure.type, failure.message));
    try {
      const { made, left } = await this.refused.adapt(whom, kwargs, { call, onRefused: (error) => void fail(error) });
      const log = await this.logs.store(trial, made, outcomeOf(made.reading.end));
      const warnings = [warning, left.length > 0 ? leftOut(left) : null].filter((text) => text !== null);
      return { traceId, made, firstPieceMs: made.firstPieceMs, log, warning: warnings.join(' ') || null };
    } catch (error) {
      if (error instanceof ModelFailure) throw withoutCall(error, traceId);
      if (!(error instanceof FailedCall)) throw error;
      const { requestId } = await fail(error);
      throw toProblem(error.failure, { requestId, traceId });
    }
  }
}

const timedOut = (limitMs: number): ModelFailure =>
  new ModelFailure(
    `The model did not answer within ${limitMs / 1000} seconds (TRIAL_TIME_LIMIT_MS).`,
    'PROVIDER_TIMEOUT',
    null,
  );

/** Aborts with a reason of its own for each signal. Returns the function that stops listening. */
function forward(end: AbortController, signals: [AbortSignal, ModelFailure][]): () => void {
  const stops = signals.map(([signal, reason]) => {
    const abort = () => end.abort(reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  });
  return () => stops.forEach((stop) => stop());
}

/** Problem of a trial without a call: it has no credential, its provider wants a pause, or no client waits any more. */
function withoutCall(failure: ModelFailure, traceId: string): Problem {
  return failure.type === 'PROVIDER_AUTH_ERROR'
    ? TrialErrors.trial_credential_missing(failure.message)
    : toProblem(failure, { requestId: null, traceId });
}

function toProblem(failure: ModelFailure, log: LoggedFailure): Problem {
  if (failure === STOPPING) return TrialErrors.trial_stopped();
  switch (failure.type) {
    case 'PROVIDER_RATE_LIMIT':
      return TrialErrors.model_call_limited(failure.message, log);
    case 'PROVIDER_TIMEOUT':
      return TrialErrors.model_call_timed_out(failure.message, log);
    default:
      return TrialErrors.model_call_failed(failure.message, log);
  }
}
