import { BEGINNING, ENDING, pairOf, tripleOf, type WordRun } from './word-runs.js';
import { isLoneWord, type PlacedWord, placedWordsOf } from './words.js';

/** In a text they may belong to a character before, which is a word by itself. */
const LEADING_MARKS = /^\p{M}+/u;

/**
 * The runs of words, see `WordRuns`, of every text that a folded phrase stands in. Its first word may be the end of a
 * longer one there unless `startsWord`, its last the beginning of one. Lines may be texts of their own.
 */
export function runsIn(folded: string, { startsWord }: { startsWord: boolean }): WordRun[] {
  const placed = placedWordsOf(folded);
  const isWhole = ({ word, start }: PlacedWord) => start > 0 || startsWord || isLoneWord(word);
  const isBegun = ({ word, end }: PlacedWord) => end < folded.length || word.length >= BEGINNING || isLoneWord(word);
  const isEnded = (first: PlacedWord) => isWhole(first) || first.word.replace(LEADING_MARKS, '').length >= ENDING;
  const isFollowed = placed.slice(1).map((next, at) => areNeighbours(folded, placed[at]!, next));
  return isFollowed.flatMap((follows, at) => {
    const [first, second, third] = [placed[at]!, placed[at + 1]!, placed[at + 2]];
    if (!follows) return [];
    const pair = isWhole(first) && isBegun(second) ? [pairOf(first.word, second.word)] : [];
    if (!third || !isFollowed[at + 1] || !isEnded(first) || !isBegun(third)) return pair;
    return [...pair, tripleOf(folded.slice(first.start, first.end), second.word, third.word)];
  });
}

/** Whether two words of a phrase must follow each other in a text. */
export function areNeighbours(folded: string, word: PlacedWord, next: PlacedWord): boolean {
  return !isRole(folded, word) && !isRole(folded, next) && !folded.slice(word.end, next.start).includes('\n');
}

/** Next to a bracket a word may be the role in "[user]: ", which is in no index. */
export function isRole(folded: string, { start, end }: PlacedWord): boolean {
  return folded[start - 1] === '[' || folded[end] === ']';
}
