export {
  type AmongOptions,
  DocumentMatches,
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
export { forgiveMisspelling, FORGIVEN } from './questions/spelling.js';
export { addText, facetTerm, isWord } from './segments/add-text.js';
export { countDocuments, eraseDocuments } from './segments/erase-documents.js';
export {
  type DocumentTerms,
  INCOMPLETE,
  type IndexedDocument,
  SegmentBuilder,
  WITH_ALL_WORDS,
} from './segments/segment-builder.js';
export { type Segment, START } from './segments/segment.js';
export { addSegment, forgetDocuments, lockIndex, mergeSegments } from './segments/write-index.js';
