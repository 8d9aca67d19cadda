import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../platform/json.js';

/** Any JSON of these words, and of JSON texts. `others` are further values. */
export function anyJson(word: fc.Arbitrary<string>, ...others: fc.Arbitrary<JsonValue>[]): fc.Arbitrary<JsonValue> {
  return fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      word,
      fc.constantFrom<JsonValue[]>(null, true, 0, -1, 1.5, 1e300),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(word, tie('value'), { maxKeys: 5 }) as fc.Arbitrary<JsonObject>,
      tie('value').map((inner) => JSON.stringify(inner)),
      ...others,
    ),
  })).value;
}

/** One of the words of a text, or a name that is hard to store. */
export const anyWord = (words: string): fc.Arbitrary<string> =>
  fc.constantFrom(...words.split(' '), '__proto__', '\0', '\uD800', '');
