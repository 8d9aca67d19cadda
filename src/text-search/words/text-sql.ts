import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { WantedPhrase } from './text-query.js';
import { APOSTROPHES } from './words.js';

/** What may stand before a word, see `endsInWord`: the database knows no scripts, so those of `LONE` are ranges. */
const BEFORE_WORD = String.raw`(^|[^[:alnum:]_]|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])`;

/** SQL that holds when a phrase stands in a text without apostrophes. */
export function phraseStandsIn(text: string, phrase: WantedPhrase, parameters: SqlParameters): string {
  const pattern = parameters.add(`%${phrase.text.replace(/[\\%_]/g, '\\$&')}%`);
  const contains = `${text} ILIKE ${pattern}::text`;
  if (!phrase.startsWord) return `(${contains})`;
  const literal = phrase.text.replace(/[^\p{L}\p{N}\p{M}\s_]/gu, '\\$&');
  return `(${contains} AND lower(${text}) ~ ${parameters.add(BEFORE_WORD + literal)}::text)`;
}

/** SQL for a text without apostrophes. One replace() for each: translate() takes several times as long as all of them. */
export function withoutApostrophes(text: string): string {
  return [...APOSTROPHES].reduce((sql, apostrophe) => `replace(${sql}, '${apostrophe.replace("'", "''")}', '')`, text);
}
