import { ValidationProblem } from '../../platform/errors/problem.js';
import type { AnswerEnd } from '../shared/answer-end.js';
import { truncate } from '../messages/json-text.js';
import type { LlmCall, RequestStatus } from './llm-call.js';

export const STATUSES = ['SUCCESS', 'WARNING', 'ERROR'] as const satisfies RequestStatus[];

/** The statuses that each error type is valid for. */
export const ERROR_TYPES = {
  PROVIDER_RATE_LIMIT: ['WARNING', 'ERROR'],
  PROVIDER_QUOTA_LIMIT: ['WARNING', 'ERROR'],
  PROVIDER_PARTIAL_RESPONSE: ['WARNING'],
  VARIABLE_MISSING_OR_EMPTY: ['WARNING'],
  PROVIDER_TIMEOUT: ['ERROR'],
  PROVIDER_AUTH_ERROR: ['ERROR'],
  PROVIDER_ERROR: ['ERROR'],
  TEMPLATE_RENDER_ERROR: ['ERROR'],
  UNKNOWN_ERROR: ['WARNING', 'ERROR'],
} as const satisfies Record<string, RequestStatus[]>;

export type ErrorType = keyof typeof ERROR_TYPES;
export const ERROR_TYPE_NAMES = Object.keys(ERROR_TYPES) as [ErrorType, ...ErrorType[]];

export const ERROR_MESSAGE_LENGTH = 1024;

export type Outcome = Pick<LlmCall, 'status' | 'errorType' | 'errorMessage'> & { errorType: ErrorType | null };

export const SUCCESS: Outcome = { status: 'SUCCESS', errorType: null, errorMessage: null };

/** The outcome of a call whose answer ended like this. */
export function outcomeOf({ kind, reason, status }: AnswerEnd): Outcome {
  if (kind === 'whole') return SUCCESS;
  if (kind === 'failed') return errorOutcome(status === null ? 'PROVIDER_ERROR' : errorTypeOf(status), reason);
  const errorMessage = kind === 'withheld' ? truncate(refusalOf(reason), ERROR_MESSAGE_LENGTH) : null;
  return { status: 'WARNING', errorType: 'PROVIDER_PARTIAL_RESPONSE', errorMessage };
}

export const errorOutcome = (errorType: ErrorType, message: string): Outcome => ({
  status: 'ERROR',
  errorType,
  errorMessage: truncate(message, ERROR_MESSAGE_LENGTH),
});

export const refusalOf = (reason: string): string => `The model refused to answer: ${reason}`;

/** The error type of an HTTP status from 400 to 599. */
export function errorTypeOf(status: number): ErrorType {
  if (status === 429) return 'PROVIDER_RATE_LIMIT';
  if (status === 401 || status === 403) return 'PROVIDER_AUTH_ERROR';
  return status === 408 || status === 504 ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR';
}

/** Why an error type cannot go with a status; null when it can. A call without a status succeeded. */
export function outcomeMismatch(
  status: RequestStatus | null | undefined,
  type: ErrorType | null | undefined,
): string | null {
  if (!type) return null;
  const allowed: readonly RequestStatus[] = ERROR_TYPES[type];
  const given = status ?? 'SUCCESS';
  return allowed.includes(given) ? null : `${type} goes with the status ${allowed.join(' or ')}, not with ${given}`;
}

/** Throws ValidationProblem for an error type in a body that cannot go with its status. */
export function checkOutcome({ status, error_type }: OutcomeFields): void {
  const msg = outcomeMismatch(status, error_type);
  if (msg !== null) throw new ValidationProblem([{ loc: ['body', 'error_type'], msg, type: 'value_error' }]);
}

interface OutcomeFields {
  status?: RequestStatus | null;
  error_type?: ErrorType | null;
}
