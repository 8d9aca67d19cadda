import { packLexemes, type PackedLexemes } from '../../platform/database/binary-arrays.js';
import { type TextWords, textWords } from './text-words.js';
import { wordHash, WordRuns } from './word-runs.js';
import { WordSet } from './word-set.js';
import { endsOf, lexemeOf, MISSING } from './words.js';

/** Beyond it something is not indexed word by word; a tsvector holds 1 MB, the workspace in front of every word included. */
const MOST_WORDS = 20_000;
const MOST_CHARACTERS = 250_000;

/** What the index keeps of some texts. */
export interface IndexedWords {
  words: readonly string[];
  /** False when they have too many words: then some of them are missing here. */
  complete: boolean;
  /** A filter of `WordRuns`; null when it is not known which words stand beside each other. */
  runs: Uint8Array | null;
}

/** Collects the words of texts. */
export class WordCollector {
  private readonly words = new WordSet();
  private readonly runs = new WordRuns();
  private characters = 0;
  private complete = true;

  add(text: string): void {
    this.read(text, true);
  }

  /** For a text whose words are there already, in another order. */
  addRuns(text: string): void {
    this.read(text, false);
  }

  /** `sparsity` of the filter, as `WordRuns` has it if it is not given. */
  found(sparsity?: number): IndexedWords {
    const { complete } = this;
    return { words: this.words.list, complete, runs: complete ? this.runs.toFilter(sparsity) : null };
  }

  private read(text: string, keepsWords: boolean): void {
    if (!this.complete) return;
    const found = textWords(text);
    this.runs.startText();
    while (found.next()) {
      if (keepsWords && !this.words.has(found) && !this.keep(found)) return;
      this.runs.add(found);
    }
  }

  /** False when there are too many. */
  private keep({ word, hash }: TextWords): boolean {
    this.complete = this.words.list.length < MOST_WORDS && this.characters < MOST_CHARACTERS;
    if (!this.complete) return false;
    this.keepWord(word, hash);
    // Shorter ends are there already when a longer one is.
    for (const end of endsOf(word)) {
      const sought = { hash: wordHash(end), is: (other: string) => other === end };
      if (this.words.has(sought)) break;
      this.keepWord(end, sought.hash);
    }
    return true;
  }

  private keepWord(word: string, hash: number): void {
    this.words.add(word, hash);
    this.characters += word.length;
  }
}

/** The entries of words that were found together. */
export function lexemesOf(workspaceId: number, { words, complete }: IndexedWords): PackedLexemes {
  return packLexemes(lexemeOf(workspaceId, ''), complete ? words : [...words, MISSING]);
}
