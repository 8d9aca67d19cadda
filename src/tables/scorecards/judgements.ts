import { isObject, type JsonValue } from '../../platform/json.js';

/** The judgements of a row, which may be judged several times. */
export type Judgements = (string | number | boolean | null)[];

/**
 * The repeated judgements in a result, of each question: they are under the key `judgements` beside the chosen value.
 * Empty for any other result.
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
