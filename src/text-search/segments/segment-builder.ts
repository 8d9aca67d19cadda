import { ListedWords, WORD_LIMITS, type WordLimits } from './listed-words.js';
import { type Segment, START } from './segment.js';
import { type SoughtTerm, TermTable } from './term-table.js';

/** The words of a text, one after the other; the object is the current word. */
export interface WordsOfText extends SoughtTerm {
  next(): boolean;
}

/** A document to index. */
export interface IndexedDocument {
  key: string;
  values: Readonly<Record<string, number | null>>;
  /** Adds the terms of the document. */
  write(terms: DocumentTerms): void;
}

/** Receives the terms of a document, part by part. */
export interface DocumentTerms {
  /** Starts the next part. A document that is added by `add` already has one. */
  nextPart(): void;
  /** Adds a term without a place, which must differ from all words. */
  addTerm(term: string): void;
  /** Adds a word at the place of the previous word, or at the next place. */
  addWord(word: SoughtTerm, atSamePlace?: boolean): void;
  /** Ends a text: the next word is not adjacent to the last one. */
  endText(): void;
}

/** Two thousand typical texts have a fifth of these. */
const MOST_TERMS = 200_000;
const MOST_LISTED_BYTES = 16 * 1024 * 1024;

/**
 * Terms that mark documents with terms missing in the index, and those of them whose words are complete. No word has this form.
 * Release 0.2 supports only the first, and reads the texts of these documents.
 */
export const INCOMPLETE = '*';
export const WITH_ALL_WORDS = '*words';
/** The term of documents with words that are not in the vocabulary. */
export const LISTED = '*listed';

/** Builds a segment of documents, which are added one after the other. */
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

  /** Whether another segment should be started: each term takes half a kilobyte while a segment is built. */
  get isFull(): boolean {
    return this.table.size >= MOST_TERMS || this.listed.bytes >= MOST_LISTED_BYTES;
  }

  add(document: IndexedDocument): void {
    this.begin(document.key);
    this.nextPart();
    document.write(this);
    this.end(document.values);
  }

  /** Starts a document that is written part by part; every part begins with `nextPart`. */
  begin(key: string): void {
    this.first = this.part + 1;
    this.firsts.push(this.first);
    this.keys.push(key);
    this.different = 0;
  }

  /** Ends the document that was started last. */
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

/** The range from the first to the last document of a segment. */
export function reachOf(values: Segment['values']): Pick<Segment, 'low' | 'high'> {
  const starts = values.get(START) ?? new Float64Array();
  return {
    low: starts.reduce((a, b) => Math.min(a, b), Infinity),
    high: starts.reduce((a, b) => Math.max(a, b), -Infinity),
  };
}
