import { packLexemes, type PackedLexemes } from '../../platform/database/binary-arrays.js';
import { type Conversation, searchedTexts } from './derived.js';
import { WordPairs } from './word-pairs.js';
import { lexemeOf, MISSING, wordsOf } from './words.js';

/** Beyond it something is not indexed word by word; a tsvector holds 1 MB, the workspace in front of every word included. */
const MOST_WORDS = 20_000;
const MOST_CHARACTERS = 250_000;

/** What the index keeps of some texts. */
export interface IndexedWords {
  words: ReadonlySet<string>;
  /** False when they have too many words: then some of them are missing here. */
  complete: boolean;
  /** A filter of `WordPairs`; null when it is not known which words stand beside each other. */
  pairs: Uint8Array | null;
}

/** Collects the words of texts. */
export class WordCollector {
  private readonly words = new Set<string>();
  private readonly pairs = new WordPairs();
  private characters = 0;
  private complete = true;

  add(text: string): void {
    if (!this.complete) return;
    const found = wordsOf(text);
    for (const word of found) {
      if (this.words.has(word)) continue;
      if (this.words.size >= MOST_WORDS || this.characters >= MOST_CHARACTERS) {
        this.complete = false;
        return;
      }
      this.words.add(word);
      this.characters += word.length;
    }
    this.pairs.add(found);
  }

  /** For a text whose words are there already, in another order. */
  addPairs(text: string): void {
    if (this.complete) this.pairs.add(wordsOf(text));
  }

  found(): IndexedWords {
    return { words: this.words, complete: this.complete, pairs: this.complete ? this.pairs.toFilter() : null };
  }
}

/** Of texts that cannot be read. */
export const UNKNOWN_WORDS: IndexedWords = { words: new Set(), complete: false, pairs: null };

export function wordsOfCall(call: Conversation): IndexedWords {
  const collector = new WordCollector();
  const { texts, answer, around } = searchedTexts(call);
  for (const text of texts) collector.add(text);
  collector.add(around);
  if (answer !== around) collector.addPairs(answer);
  return collector.found();
}

/** The entries of words that were found together. */
export function lexemesOf(workspaceId: number, { words, complete }: IndexedWords): PackedLexemes {
  return packLexemes(lexemeOf(workspaceId, ''), complete ? words : [...words, MISSING]);
}
