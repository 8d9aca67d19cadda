import { isCutShort } from '../../llm/finish-reason.js';
import type { LlmCall } from '../../llm/records/llm-call.js';
import type { NormalizedSpan } from '../span.js';
import { SPAN_STATUSES } from '../span.js';
import { SpanAttributes } from './attributes.js';
import { truncate } from '../../llm/messages/json-text.js';

type Outcome = Pick<LlmCall, 'status' | 'errorType' | 'errorMessage'>;

const MAX_MESSAGE = 1024;

const STATUS_CODE_KEYS = ['http.response.status_code', 'http.status_code', 'error.code', 'error.type'];
const HTTP_ERROR = /^[45]\d\d$/;
const HTTP_ERROR_IN_TEXT = /(?:^|\b(?:error|error code|status code|status|http)\b\D{0,3})([45]\d\d)\b/;

interface ErrorClass {
  type: string;
  text: RegExp;
  codes: number[];
}

/** In the order of telling power: an exhausted quota is reported as a 429 too. */
const ERROR_CLASSES: ErrorClass[] = [
  { type: 'PROVIDER_QUOTA_LIMIT', text: /insufficient[_ ]quota/, codes: [] },
  { type: 'PROVIDER_RATE_LIMIT', text: /rate[_ -]?limit|too many requests/, codes: [429] },
  { type: 'PROVIDER_AUTH_ERROR', text: /authentication[_ ]?error|permission[_ ]?denied/, codes: [401, 403] },
  { type: 'PROVIDER_TIMEOUT', text: /time[d]?[_ -]?out/, codes: [408, 504] },
];

/** A span whose convention says in its own words that it has failed. */
export function failed(span: NormalizedSpan): NormalizedSpan {
  return { ...span, statusCode: SPAN_STATUSES.ERROR };
}

/** Whether an exception was recorded on a span. */
export function hasException({ events }: NormalizedSpan): boolean {
  return events.some(({ name }) => name === 'exception');
}

/**
 * How the call ended. An OK call that was cut short before it produced anything is a warning.
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
  // Without an answer an exception was not overcome, whether or not the status was set.
  const endedIn = span.statusCode === SPAN_STATUSES.UNSET && !answered && hasException(span);
  if (isFailed || endedIn) return readError(span, attributes);
  if (!answered && finishReasons.some(isCutShort)) {
    return { status: 'WARNING', errorType: 'PROVIDER_PARTIAL_RESPONSE', errorMessage: null };
  }
  return { status: 'SUCCESS', errorType: null, errorMessage: null };
}

function readError(span: NormalizedSpan, attributes: SpanAttributes): Outcome {
  const exception = span.events.findLast((event) => event.name === 'exception');
  const exceptionAttributes = SpanAttributes.from(exception?.attributes ?? {});
  const message =
    span.statusMessage ?? exceptionAttributes.text('exception.message') ?? attributes.text('error.message');
  const errorMessage = message === null ? null : truncate(message, MAX_MESSAGE);
  const words = [
    attributes.text('error.type'),
    attributes.text('error.code'),
    attributes.text('exception.type') ?? exceptionAttributes.text('exception.type'),
    errorMessage,
  ];
  const errorType = classify(words.join(' ').toLowerCase(), httpError(attributes, errorMessage ?? ''));
  return { status: 'ERROR', errorType, errorMessage };
}

function classify(text: string, code: number | null): string {
  const found = ERROR_CLASSES.find((known) => known.text.test(text) || (code !== null && known.codes.includes(code)));
  return found?.type ?? (code === null ? 'UNKNOWN_ERROR' : 'PROVIDER_ERROR');
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
