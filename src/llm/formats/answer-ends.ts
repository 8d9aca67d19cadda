import { listAt, objectAt, textAt } from '../shared/json-reading.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { type AnswerEnd, endOf } from '../shared/answer-end.js';

const LONGEST_REASON = 500;
const PAGE = /^\s*<(?:!doctype|html|head|body)\b/i;
const TITLE = /<title[^>]*>([^<]*)/i;

/** The status of a gateway whose service is unavailable: a retry may help. */
const PAGE_STATUS = 502;

/**
 * How an answer ended, by the vendor's fields: an error, a refusal, the reasons why its choices stopped. The response
 * may be the answer, a list of its chunks or events, or the text of a page.
 *
 * @param isSilent whether it has no readable content
 */
export function readEnd(response: JsonValue, isSilent: boolean): AnswerEnd {
  if (typeof response === 'string') return pageEnd(response) ?? endOf([], isSilent);
  const pieces = (Array.isArray(response) ? response : [response])
    .filter((piece) => isObject(piece))
    .flatMap(unwrapped);
  const error = firstOf(pieces, errorIn);
  if (error) return error;
  const refusal = joined(pieces, refusalsIn);
  if (refusal !== '') return { kind: 'withheld', reason: refusal, status: null };
  const blocked = firstOf(pieces, blockIn);
  if (blocked !== null) return { kind: 'withheld', reason: blocked, status: null };
  return endOf(pieces.flatMap(reasonsIn), isSilent);
}

/** Some clients wrap each chunk as `data`; events contain the answer until then. */
function unwrapped(piece: JsonObject): JsonObject[] {
  const inner = objectAt(piece, 'data', 'response');
  return inner ? [piece, inner] : [piece];
}

function pageEnd(text: string): AnswerEnd | null {
  if (!PAGE.test(text)) return null;
  const title = TITLE.exec(text)?.[1]?.trim() ?? '';
  const reason = title === '' ? 'it is a page for browsers' : `it is a page for browsers, "${title}"`;
  return { kind: 'failed', reason: reason.slice(0, LONGEST_REASON), status: PAGE_STATUS };
}

/** `{"error": {"message", "code"}}`, also in a choice or the event that ends an answer, and events of the type `error`. */
function errorIn(piece: JsonObject): AnswerEnd | null {
  const places = [piece, objectAt(piece, 'delta'), ...listAt(piece, 'choices')];
  const error = places.map((place) => (isObject(place) ? place.error : null)).find(isError);
  if (error !== undefined) return failure(error);
  return piece.type === 'error' ? failure(piece) : null;
}

const isError = (error: JsonValue | undefined): boolean =>
  (isObject(error) || typeof error === 'string') && error !== '';

/** Reads an error in an answer: `{"message", "code"}`, `{"error": {…}}`, or its text. */
export function failure(error: JsonValue): AnswerEnd {
  if (isObject(error) && isError(error.error)) return failure(error.error!);
  const code = isObject(error) ? (error.code ?? error.status ?? error.type) : null;
  const message = isObject(error) ? (textAt(error, 'message') ?? textAt(error, 'detail')) : error;
  const reason = String(message ?? code ?? 'error').slice(0, LONGEST_REASON);
  return { kind: 'failed', reason, status: statusIn(code) };
}

function statusIn(code: JsonValue | undefined): number | null {
  const status = typeof code === 'number' || typeof code === 'string' ? Number(code) : NaN;
  if (status >= 400 && status <= 599) return status;
  if (typeof code !== 'string') return null;
  if (/rate_?limit|too_many_requests|resource_exhausted|throttl/i.test(code)) return 429;
  return /overloaded|server_error|internal|unavailable/i.test(code) ? 503 : null;
}

/** Refusals of a model, beside its message or in a part of it. */
function refusalsIn(piece: JsonObject): string[] {
  const messages = listAt(piece, 'choices').map((choice) => objectAt(choice, 'message', 'delta'));
  const parts = listAt(piece, 'output').flatMap((item) => listAt(item, 'content'));
  return [...messages, ...parts].map((said) => textAt(said ?? undefined, 'refusal') ?? '');
}

/** The reason why a vendor blocked a prompt. */
function blockIn(piece: JsonObject): string | null {
  const feedback = objectAt(piece, 'promptFeedback', 'prompt_feedback');
  return textAt(feedback ?? undefined, 'blockReason') ?? textAt(feedback ?? undefined, 'block_reason');
}

function reasonsIn(piece: JsonObject): string[] {
  const stops = [piece, ...['delta', 'messageStop'].map((member) => objectAt(piece, member))];
  const choices = listAt(piece, 'choices', 'candidates', 'generations');
  const words = [
    ...choices.flatMap((choice) => [textAt(choice, 'finish_reason'), textAt(choice, 'finishReason')]),
    ...stops.flatMap((stop) => STOP_MEMBERS.map((member) => textAt(stop ?? undefined, member))),
    ...(textAt(piece, 'status') === 'incomplete' ? [incompleteReason(piece)] : []),
    ...(['failed', 'cancelled'].includes(textAt(piece, 'status') ?? '') ? [textAt(piece, 'status')] : []),
  ];
  return words.filter((word) => word !== null);
}

const STOP_MEMBERS = ['stop_reason', 'stopReason', 'finish_reason', 'finishReason'];

const incompleteReason = (piece: JsonObject): string =>
  textAt(objectAt(piece, 'incomplete_details') ?? undefined, 'reason') ?? 'length';

const firstOf = <T>(pieces: JsonObject[], find: (piece: JsonObject) => T | null): T | null =>
  pieces.map(find).find((found) => found !== null) ?? null;

const joined = (pieces: JsonObject[], find: (piece: JsonObject) => string[]): string => pieces.flatMap(find).join('');
