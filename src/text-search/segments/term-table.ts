import { PostingsWriter } from './postings.js';

const FIRST_SLOTS = 4096;

/** A word of a text, before it is a string. */
export interface SoughtTerm {
  readonly hash: number;
  /** The term. */
  readonly word: string;
  is(word: string): boolean;
}

/**
 * The postings of terms. A term can be looked up by its hash and its characters in a text: most words of a text already exist and
 * never become strings.
 */
export class TermTable {
  private readonly terms: string[] = [];
  private readonly hashes: number[] = [];
  private readonly writers: PostingsWriter[] = [];
  /** Indexes into the lists, counted from 1, at the hash or after it; 0 for an empty slot. */
  private slots = new Int32Array(FIRST_SLOTS);

  get size(): number {
    return this.terms.length;
  }

  /** The writer of a term that is not a word of a text. */
  writerOfTerm(word: string): PostingsWriter {
    return this.writerOf({ word, hash: hashOf(word), is: (other) => other === word });
  }

  writerOf(sought: SoughtTerm): PostingsWriter {
    return this.known(sought) ?? this.add(sought);
  }

  /** Null for an unknown term. */
  known(sought: SoughtTerm): PostingsWriter | null {
    const { slots, hashes, terms } = this;
    const last = slots.length - 1;
    let slot = sought.hash & last;
    for (; slots[slot] !== 0; slot = (slot + 1) & last) {
      const place = slots[slot]! - 1;
      if (hashes[place] === sought.hash && sought.is(terms[place]!)) return this.writers[place]!;
    }
    return null;
  }

  /** In byte order. */
  sorted(): [string, PostingsWriter][] {
    return sortedByBytes(this.terms.map((term, place) => [term, this.writers[place]!]));
  }

  private add({ word, hash }: SoughtTerm): PostingsWriter {
    const writer = new PostingsWriter();
    this.terms.push(word);
    this.hashes.push(hash);
    this.writers.push(writer);
    if (2 * this.terms.length > this.slots.length) this.grow();
    else this.place(hash, this.terms.length);
    return writer;
  }

  private place(hash: number, value: number): void {
    const last = this.slots.length - 1;
    let slot = hash & last;
    while (this.slots[slot] !== 0) slot = (slot + 1) & last;
    this.slots[slot] = value;
  }

  private grow(): void {
    this.slots = new Int32Array(2 * this.slots.length);
    for (const [place, hash] of this.hashes.entries()) this.place(hash, place + 1);
  }
}

/** FNV-1a of the UTF-16 units. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash;
}

/** The byte order of the database. JavaScript sorts by UTF-16, which differs beyond U+D800. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return orderOf(left) - orderOf(right);
  }
  return a.length - b.length;
}

/** Surrogates come after all other characters. */
const orderOf = (code: number): number => (code >= 0xe000 ? code - 0x2000 : code >= 0xd800 ? code + 0x2000 : code);

const sortedByBytes = <T>(entries: [string, T][]): [string, T][] => entries.sort(([a], [b]) => compareBytes(a, b));
