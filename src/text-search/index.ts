export {
  type AmongOptions,
  DocumentMatches,
  type FoundRows,
  type IndexSort,
  type MatchPage,
  type MatchSource,
  type Waiting,
} from './matches/document-matches.js';
export {
  allOf,
  ANY,
  anyOf,
  type Asked,
  askForBounds,
  askForPattern,
  askForText,
  exactly,
  microsOf,
  MISSES_WORDS,
  noneOf,
  saysNothing,
  unaskedWordsOf,
} from './questions/asked.js';
export type { Question } from './questions/question.js';
export {
  type DocumentTerms,
  INCOMPLETE,
  type IndexedDocument,
  SegmentBuilder,
  WITH_ALL_WORDS,
} from './segments/segment-builder.js';
export { type Segment, START } from './segments/segment.js';
export type { IndexOf } from './segments/segments.queries.js';
export { countDocuments, eraseDocuments } from './segments/erase-documents.js';
export { addSegment, forgetDocuments, lockIndex, mergeSegments } from './segments/write-index.js';
export { addText, facetTerm, isWord } from './words/add-text.js';
export { literalOf, partsIn } from './words/parts-of-words.js';
export { FORGIVEN, forgiveMisspelling } from './words/spelling.js';
export { havePhrases, haveWords, isAmong } from './words/text-match.js';
export { phraseStandsIn, withoutApostrophes, wordStandsIn } from './words/text-sql.js';
export { beginningsOf, parseTextQuery, type TextQuery, type WantedWord } from './words/text-query.js';
export { deleteUnusedWords } from './words/unused-words.queries.js';
export { type KeptWords, Vocabulary } from './words/vocabulary.js';
export { findWordsWith, forgetCachedWords, type WordsWith } from './words/vocabulary.queries.js';
export { APOSTROPHES, isLoneWord, startsWithHangul, wordsAsWritten, wordsOf } from './words/words.js';
