import { isAscii } from '../../platform/comparable-text.js';
import type { DocumentTerms } from '../segments/segment-builder.js';
import { textWords } from './text-words.js';
import { wordHash } from './word-hash.js';
import { endsOf } from './words.js';

/** The term of documents of which something is missing in the index: they may fulfil what it cannot tell. No word is written so. */
export const INCOMPLETE = '*';

/** The term of an exact value. */
export const facetTerm = (facet: string): string => `=${facet}`;

/** Whether a term is a word; exact values begin with what no word holds. */
export const isWord = (term: string): boolean => !/^[=#*]/.test(term);

/** Words that may still be added to a document: running ones, and different ones. */
export interface RoomForWords {
  words: number;
  different: number;
}

/** What a document may have. Of what follows nothing is known but that it is missing. */
export const roomForWords = (): RoomForWords => ({ words: 500_000, different: 20_000 });

/** Adds the words of a text to the part that is being written; false when there are too many. */
export function addText(terms: DocumentTerms, text: string, left: RoomForWords): boolean {
  const words = textWords(text);
  const mayHaveEnds = !isAscii(text);
  while (words.next()) {
    if (left.words-- <= 0) return false;
    if (terms.addWord(words) && left.different-- <= 0) return false;
    if (mayHaveEnds) addEnds(terms, words.word);
  }
  terms.endText();
  return true;
}

function addEnds(terms: DocumentTerms, word: string): void {
  for (const end of endsOf(word)) {
    terms.addWord({ word: end, hash: wordHash(end), is: (other) => other === end }, true);
  }
}
