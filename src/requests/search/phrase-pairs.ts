import { BEGINNING, pairOf } from './word-pairs.js';
import { isLoneWord, type PlacedWord, placedWordsOf } from './words.js';

/**
 * The pairs of words, see `WordPairs`, of every text that a folded phrase stands in. Its first word may be the end of a
 * longer one there unless `startsWord`, its last the beginning of one. Lines may be texts of their own.
 */
export function pairsIn(folded: string, { startsWord }: { startsWord: boolean }): number[] {
  const placed = placedWordsOf(folded);
  return placed.slice(1).flatMap((next, index) => {
    const word = placed[index]!;
    const isWhole = word.start > 0 || startsWord || isLoneWord(word.word);
    const isBegun = next.end < folded.length || next.word.length >= BEGINNING || isLoneWord(next.word);
    if (!isWhole || !isBegun || isRole(folded, word) || isRole(folded, next)) return [];
    return folded.slice(word.end, next.start).includes('\n') ? [] : [pairOf(word.word, next.word)];
  });
}

/** Next to a bracket a word may be the role in "[user]: ", which is in no index. */
export function isRole(folded: string, { start, end }: PlacedWord): boolean {
  return folded[start - 1] === '[' || folded[end] === ']';
}
