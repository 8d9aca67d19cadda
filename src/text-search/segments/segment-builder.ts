import { ListedWords, WORD_LIMITS, type WordLimits } from './listed-words.js';
import { type Segment, START } from './segment.js';
import { type SoughtTerm, TermTable } from './term-table.js';

/** The words of a text, one after the other; the object is the word that was reached last. */
export interface WordsOfText extends SoughtTerm {
  next(): boolean;
}

/** A document that is put into the index. */
export interface IndexedDocument {
  key: string;
  values: Readonly<Record<string, number | null>>;
  /** Adds the terms of the document. */
  write(terms: DocumentTerms): void;
}

/** What a document holds, part by part. */
export interface DocumentTerms {
  /** What follows belongs to the next part. A document that is added by `add` has one already. */
  nextPart(): void;
  /** A term without a place, which must be different from all words. */
  addTerm(term: string): void;
  /** A word at the place of the word before it, or at the next one. */
  addWord(word: SoughtTerm, atSamePlace?: boolean): void;
  /** What follows stands beside nothing that was before. */
  endText(): void;
}

/** Two thousand usual texts have a fifth of them. */
const MOST_TERMS = 200_000;
const MOST_LISTED_BYTES = 16 * 1024 * 1024;

/**
 * The terms of documents of which something is missing in the index, and of those among them of which no word is. No word is
 * written so. Release 0.2 knows the first one alone, and looks at the texts of these documents.
 */
export const INCOMPLETE = '*';
export const WITH_ALL_WORDS = '*words';
/** The term of documents with words that are not in the vocabulary. */
export const LISTED = '*listed';

/** Makes a segment of documents, which are given one after the other. */
export class SegmentBuilder implements DocumentTerms {
  private readonly table = new TermTable();
  private readonly keys: string[] = [];
  private readonly firsts: number[] = [];
  private readonly values = new Map<string, number[]>();
  private readonly listed: ListedWords;
  private part = -1;
  /** The first part of the document. */
  private first = 0;
  private place = -1;
  /** Different words of the document that are terms. */
  private different = 0;

  constructor(private readonly limits: WordLimits = WORD_LIMITS) {
    this.listed = new ListedWords(limits.inList);
  }

  /** Whether it is time to begin another one: each term takes half a kilobyte while a segment is made. */
  get isFull(): boolean {
    return this.table.size >= MOST_TERMS || this.listed.bytes >= MOST_LISTED_BYTES;
  }

  add(document: IndexedDocument): void {
    this.begin(document.key);
    this.nextPart();
    document.write(this);
    this.end(document.values);
  }

  /** For a document that is written part by part: what follows belongs to it, and every part begins with `nextPart`. */
  begin(key: string): void {
    this.first = this.part + 1;
    this.firsts.push(this.first);
    this.keys.push(key);
    this.different = 0;
  }

  /** The last one that was begun is complete. */
  end(values: IndexedDocument['values']): void {
    if (this.listed.end(this.keys.length - 1)) {
      for (const term of [INCOMPLETE, WITH_ALL_WORDS, LISTED]) this.addTerm(term);
    }
    for (const [name, value] of Object.entries(values)) this.valuesOf(name).push(value ?? NaN);
  }

  nextPart(): void {
    this.part++;
    this.place = -1;
  }

  addTerm(term: string): void {
    this.table.writerOfTerm(term).add(this.part);
  }

  addWord(word: SoughtTerm, atSamePlace = false): void {
    if (!atSamePlace) this.place++;
    const isListed = this.different >= this.limits.asTerms;
    const writer = isListed ? this.table.known(word) : this.table.writerOf(word);
    if (writer === null) {
      this.listed.add(this.keys.length - 1, word.word);
      return;
    }
    if (!writer.standsFrom(this.first)) this.different++;
    writer.addPlace(this.part, this.place);
  }

  endText(): void {
    this.place++;
  }

  finish(): Segment {
    const parts = this.part + 1;
    const values = new Map([...this.values].map(([name, numbers]) => [name, Float64Array.from(numbers)]));
    return {
      documents: this.keys.length,
      parts,
      ...reachOf(values),
      terms: this.table.sorted().map(([term, writer]) => [term, writer.finish(parts)] as const),
      keys: this.keys,
      values,
      firsts: parts === this.keys.length ? null : Uint32Array.from(this.firsts),
      lists: this.listed.lists,
    };
  }

  private valuesOf(name: string): number[] {
    const values = this.values.get(name) ?? [];
    this.values.set(name, values);
    return values;
  }
}

/** From the first to the last document of a segment. */
export function reachOf(values: Segment['values']): Pick<Segment, 'low' | 'high'> {
  const starts = values.get(START) ?? new Float64Array();
  return {
    low: starts.reduce((a, b) => Math.min(a, b), Infinity),
    high: starts.reduce((a, b) => Math.max(a, b), -Infinity),
  };
}
