import { isAscii } from '../../platform/comparable-text.js';
import type { DocumentTerms } from './segment-builder.js';
import { endsOf, textWords, wordHash } from '../../words/index.js';

/** The term of an exact value. */
export const facetTerm = (facet: string): string => `=${facet}`;

/** Whether a term is a word; exact values begin with a character that words cannot contain. */
export const isWord = (term: string): boolean => !/^[=#*]/.test(term);

/** Adds the words of a text to the part that is being written. */
export function addText(terms: DocumentTerms, text: string): void {
  const words = textWords(text);
  const mayHaveEnds = !isAscii(text);
  while (words.next()) {
    terms.addWord(words);
    if (mayHaveEnds) addEnds(terms, words.word);
  }
  terms.endText();
}

function addEnds(terms: DocumentTerms, word: string): void {
  for (const end of endsOf(word)) {
    terms.addWord({ word: end, hash: wordHash(end), is: (other) => other === end }, true);
  }
}
