import { BEGINNING, pairOf, tripleOf, type WordRun } from './word-runs.js';
import { isLoneWord, type PlacedWord, placedWordsOf } from './words.js';

/**
 * The runs of words, see `WordRuns`, of every text that a folded phrase stands in. Its first word may be the end of a
 * longer one there unless `startsWord`, its last the beginning of one. Lines may be texts of their own.
 */
export function runsIn(folded: string, { startsWord }: { startsWord: boolean }): WordRun[] {
  const placed = placedWordsOf(folded);
  const isKnown = placed.slice(1).map((next, index) => {
    const word = placed[index]!;
    const isWhole = word.start > 0 || startsWord || isLoneWord(word.word);
    const isBegun = next.end < folded.length || next.word.length >= BEGINNING || isLoneWord(next.word);
    if (!isWhole || !isBegun || isRole(folded, word) || isRole(folded, next)) return false;
    return !folded.slice(word.end, next.start).includes('\n');
  });
  const words = placed.map(({ word }) => word);
  return isKnown.flatMap((isPair, at) => {
    if (!isPair) return [];
    const pair = pairOf(words[at]!, words[at + 1]!);
    return isKnown[at + 1] ? [pair, tripleOf(words[at]!, words[at + 1]!, words[at + 2]!)] : [pair];
  });
}

/** Next to a bracket a word may be the role in "[user]: ", which is in no index. */
export function isRole(folded: string, { start, end }: PlacedWord): boolean {
  return folded[start - 1] === '[' || folded[end] === ']';
}
