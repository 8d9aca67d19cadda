import { findRetryAfterMs, mayPass } from '../../platform/outbound/passing-failures.js';
import { type ErrorType, errorTypeOf } from '../records/outcome.js';
import type { JsonValue } from '../../platform/json.js';
import { failure, readEnd } from '../formats/answer-ends.js';
import { findDelayMs, isExhausted } from './retry-hints.js';

/** Reason why a call of a model brought no answer, in words for the person who can fix it. */
export class ModelFailure extends Error {
  constructor(
    message: string,
    readonly type: ErrorType,
    /** Whether a retry may help, and the delay in milliseconds that the service asks for. */
    readonly retry: { afterMs: number | null } | null,
  ) {
    super(message);
  }
}

/** A response of status 200 that reports a failure. `status` is the one that it means, where it has one. */
export class NoAnswer extends Error {
  constructor(
    message: string,
    readonly status: number | null,
  ) {
    super(message);
  }
}

/** The answer itself. Throws NoAnswer for a text in place of JSON. */
export function assertJson(answer: JsonValue): JsonValue {
  if (typeof answer !== 'string') return answer;
  const { kind, reason, status } = readEnd(answer, false);
  throw kind === 'failed' ? new NoAnswer(reason, status) : new NoAnswer(`it is no JSON: ${answer}`, null);
}

const LONGEST = 1000;

/** Describes errors of vendors' clients and of our own in words. `credential` is its name; null when none was used. */
export function toModelFailure(thrown: unknown, provider: string, credential: string): ModelFailure {
  if (thrown instanceof ModelFailure) return thrown;
  const error = asNoAnswer(thrown);
  const retry = findRetry(error);
  if (error instanceof NoAnswer) {
    const type = error.status === null ? 'PROVIDER_ERROR' : errorTypeOf(error.status);
    return new ModelFailure(`${provider} answered that there is no answer: ${messageOf(error)}`, type, retry);
  }
  const status = statusOf(error);
  if (status !== null)
    return new ModelFailure(describe(status, error, { provider, credential }), typeOf(status, error), retry);
  if (isConnectionProblem(error)) {
    const reason =
      (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : messageOf(error);
    return new ModelFailure(
      `${provider} could not be reached: ${reason}`,
      'PROVIDER_ERROR',
      retry ?? { afterMs: null },
    );
  }
  return new ModelFailure(`The call of ${provider} failed: ${messageOf(error)}`, 'UNKNOWN_ERROR', retry);
}

/** A client that reads a stream throws the errors in it without a status, because the status of the stream was 200. */
function asNoAnswer(error: unknown): unknown {
  const { status, error: body } = (error ?? {}) as { status?: unknown; error?: unknown };
  if (typeof status === 'number' || typeof body !== 'object' || body === null) return error;
  const { reason, status: meant } = failure(body as JsonValue);
  return new NoAnswer(reason, meant);
}

/** Clients of vendors throw errors that have the body, or the error in it, as `error`. */
function findRetry(error: unknown): ModelFailure['retry'] {
  if (!mayPass(error) || isExhausted(error)) return null;
  const body = (error as { error?: unknown } | null)?.error;
  return { afterMs: findRetryAfterMs(error) ?? findDelayMs(body, messageOf(error)) };
}

function describe(status: number, error: unknown, names: { provider: string; credential: string }): string {
  const { provider, credential } = names;
  const said = messageOf(error).replace(new RegExp(`^${status} `), '');
  const answer = `${provider} answered ${status}${said ? `: ${said}` : '.'}`;
  if (status === 401 || status === 403) {
    return `${answer} The secret of the credential "${credential}" of ${provider} may be wrong or may not do this; an administrator can change it under model-credentials.`;
  }
  return answer;
}

const typeOf = (status: number, error: unknown): ErrorType =>
  isExhausted(error) ? 'PROVIDER_QUOTA_LIMIT' : errorTypeOf(status);

function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : null;
}

/** Vendors' clients have their own classes for it, with the connection error as the cause. */
function isConnectionProblem(error: unknown): boolean {
  return error instanceof Error && (/Connection/.test(error.constructor.name) || mayPass(error));
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
}
