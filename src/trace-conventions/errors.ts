import { endOf } from '../llm/shared/answer-end.js';
import { ERROR_MESSAGE_LENGTH, type ErrorType, errorTypeOf, type Outcome, outcomeOf } from '../llm/records/outcome.js';
import { truncate } from '../llm/messages/json-text.js';
import { type NormalizedSpan, SPAN_STATUSES } from './span.js';
import { SpanAttributes } from './attributes.js';

const STATUS_CODE_KEYS = ['http.response.status_code', 'http.status_code', 'error.code', 'error.type'];
const HTTP_ERROR = /^[45]\d\d$/;
const HTTP_ERROR_IN_TEXT = /(?:^|\b(?:error|error code|status code|status|http)\b\D{0,3})([45]\d\d)\b/;

/** Most specific first: an exhausted quota is also reported as a 429. */
const ERROR_WORDS: [ErrorType, RegExp][] = [
  ['PROVIDER_QUOTA_LIMIT', /insufficient[_ ]quota/],
  ['PROVIDER_RATE_LIMIT', /rate[_ -]?limit|too many requests/],
  ['PROVIDER_AUTH_ERROR', /authentication[_ ]?error|permission[_ ]?denied/],
  ['PROVIDER_TIMEOUT', /time[d]?[_ -]?out/],
];

/** The span with an error status, for conventions that report failures in their own words. */
export function failed(span: NormalizedSpan): NormalizedSpan {
  return { ...span, statusCode: SPAN_STATUSES.ERROR };
}

/** Whether an exception was recorded on a span. */
export function hasException({ events }: NormalizedSpan): boolean {
  return events.some(({ name }) => name === 'exception');
}

/**
 * The outcome of a call. The answer of an OK call may still have been cut off or withheld, or be an error.
 *
 * @param finishReasons as the model reported them
 * @param answered whether there is any output
 */
export function readOutcome(
  span: NormalizedSpan,
  finishReasons: string[],
  answered: boolean,
  attributes = SpanAttributes.of(span),
): Outcome {
  const isFailed = span.statusCode === SPAN_STATUSES.ERROR;
  // Without an answer, an exception means failure although the status is unset.
  const endedIn = span.statusCode === SPAN_STATUSES.UNSET && !answered && hasException(span);
  if (isFailed || endedIn) return readError(span, attributes);
  // Many senders leave the answer out, so its absence is no sign of failure.
  return outcomeOf(endOf(finishReasons, false));
}

function readError(span: NormalizedSpan, attributes: SpanAttributes): Outcome {
  const exception = span.events.findLast((event) => event.name === 'exception');
  const exceptionAttributes = SpanAttributes.from(exception?.attributes ?? {});
  const message =
    span.statusMessage ?? exceptionAttributes.text('exception.message') ?? attributes.text('error.message');
  const errorMessage = message === null ? null : truncate(message, ERROR_MESSAGE_LENGTH);
  const words = [
    attributes.text('error.type'),
    attributes.text('error.code'),
    attributes.text('exception.type') ?? exceptionAttributes.text('exception.type'),
    errorMessage,
  ];
  const errorType = classify(words.join(' ').toLowerCase(), httpError(attributes, errorMessage ?? ''));
  return { status: 'ERROR', errorType, errorMessage };
}

function classify(text: string, code: number | null): ErrorType {
  const ofCode = code === null ? 'UNKNOWN_ERROR' : errorTypeOf(code);
  const isSaid = ([type, words]: (typeof ERROR_WORDS)[number]) => words.test(text) || type === ofCode;
  return ERROR_WORDS.find(isSaid)?.[0] ?? ofCode;
}

/** The HTTP status from 400 to 599, from attributes or from the message. */
function httpError(attributes: SpanAttributes, message: string): number | null {
  for (const key of STATUS_CODE_KEYS) {
    const code = attributes.text(key)?.trim() ?? '';
    if (HTTP_ERROR.test(code)) return Number(code);
  }
  const found = HTTP_ERROR_IN_TEXT.exec(message.toLowerCase());
  return found ? Number(found[1]) : null;
}
