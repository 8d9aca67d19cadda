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
  /** A word at the place of the word before it, or at the next one. Gives whether the part had it not yet. */
  addWord(word: SoughtTerm, atSamePlace?: boolean): boolean;
  /** What follows stands beside nothing that was before. */
  endText(): void;
}

/** Two thousand usual texts have a fifth of them. */
const MOST_TERMS = 200_000;

/** Makes a segment of documents, which are given one after the other. */
export class SegmentBuilder implements DocumentTerms {
  private readonly table = new TermTable();
  private readonly keys: string[] = [];
  private readonly firsts: number[] = [];
  private readonly values = new Map<string, number[]>();
  private part = -1;
  private place = -1;

  /** Whether it is time to begin another one: each term takes half a kilobyte while a segment is made. */
  get isFull(): boolean {
    return this.table.size >= MOST_TERMS;
  }

  add(document: IndexedDocument): void {
    this.begin(document.key);
    this.nextPart();
    document.write(this);
    this.end(document.values);
  }

  /** For a document that is written part by part: what follows belongs to it, and every part begins with `nextPart`. */
  begin(key: string): void {
    this.firsts.push(this.part + 1);
    this.keys.push(key);
  }

  /** The last one that was begun is complete. */
  end(values: IndexedDocument['values']): void {
    for (const [name, value] of Object.entries(values)) this.valuesOf(name).push(value ?? NaN);
  }

  nextPart(): void {
    this.part++;
    this.place = -1;
  }

  addTerm(term: string): void {
    this.table.writerOfTerm(term).add(this.part);
  }

  addWord(word: SoughtTerm, atSamePlace = false): boolean {
    if (!atSamePlace) this.place++;
    return this.table.writerOf(word).addPlace(this.part, this.place);
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
