import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import { beginningsOf, type WantedPhrase, type WantedWord } from './text-query.js';
import { APOSTROPHES, isLoneWord, startsWithHangul } from './words.js';

/** Characters next to a word, see `endsInWord`: the database has no scripts, so those of `LONE` are ranges. */
const NO_PART_OF_WORD = String.raw`[^[:alnum:]_]|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]`;
const BEFORE_WORD = `(^|${NO_PART_OF_WORD})`;
const BEHIND_WORD = `(?=$|${NO_PART_OF_WORD})`;

/** SQL that holds when a word, or a word with this beginning, occurs in a text without apostrophes. */
export function wordStandsIn(text: string, wanted: WantedWord, parameters: SqlParameters): string {
  const { word, prefix } = wanted;
  const before = isLoneWord(word) || startsWithHangul(word) ? '' : BEFORE_WORD;
  const behind = prefix || isLoneWord(word) ? '' : BEHIND_WORD;
  return `${text} ~* ${parameters.add(`${before}(${beginningsOf(wanted).join('|')})${behind}`)}::text`;
}

/** SQL that holds when a phrase occurs in a text without apostrophes. */
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
