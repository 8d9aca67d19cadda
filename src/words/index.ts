export { literalOf, partsIn } from './parts-of-words.js';
export { SimilarBeginnings } from './similar-beginnings.js';
export { havePhrases, haveWords, isAmong } from './text-match.js';
export { beginningsOf, parseTextQuery, type TextQuery, type WantedWord } from './text-query.js';
export { phraseStandsIn, withoutApostrophes, wordStandsIn } from './text-sql.js';
export { textWords } from './text-words.js';
export { deleteUnusedWords } from './unused-words.queries.js';
export {
  findKnownBeginnings,
  findWordsWith,
  forgetCachedWords,
  forgetWords,
  type WordsWith,
} from './vocabulary.queries.js';
export { type KeptWords, Vocabulary } from './vocabulary.js';
export { wordHash } from './word-hash.js';
export { type PhraseWord, sequencesIn, type WordSequence } from './word-sequences.js';
export { APOSTROPHES, endsOf, foldText, isLoneWord, startsWithHangul, wordsAsWritten, wordsOf } from './words.js';
