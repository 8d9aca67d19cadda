import { isObject, type JsonValue } from '../../platform/json.js';

/** What was said about a row, as often as it was judged. */
export type Judgements = (string | number | boolean | null)[];

/**
 * The judgements in a result that was judged several times: of each question, under the key `judgements` beside the value that
 * was taken. Nothing for any other result.
 */
export function judgementsIn(result: JsonValue): Judgements[] {
  if (!isObject(result)) return [];
  return [result, ...Object.values(result)].flatMap((each) => {
    const list = isObject(each) ? each.judgements : undefined;
    return Array.isArray(list) && list.every(isPlain) ? [list] : [];
  });
}

function isPlain(value: JsonValue): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
