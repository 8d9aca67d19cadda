import { isLoneWord } from './words.js';

/**
 * Which words stand beside each other in some texts, as a Bloom filter: of most texts that lack a phrase it tells so
 * without anybody reading them. The index of words knows only that all words of a phrase are there.
 *
 * A pair is a word and the beginning of the next one. Its 32 bits name two places in the filter, each modulo its size.
 */

/** Bits while texts are read; when all are there the filter is folded to the size that fits. Powers of two. */
const MOST_BITS = 2 ** 16;
const LEAST_BITS = 64;
/** Bits for each that is set: one pair of seven that are not there seems to be, or one of twenty, as the size rounds. */
const SPARSITY = 2;
/** Of more than this a filter tells next to nothing. */
const MOST_SET = 0.75 * MOST_BITS;

/** UTF-16 units of the second word that count: then the beginning of a word will do at the end of a phrase. */
export const BEGINNING = 3;
/** Below it no word is one by itself. */
const FIRST_LONE = 0x0e00;

/** Of the FNV-1a hash. */
export const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The pairs of some texts. */
export class WordPairs {
  private readonly units = new Uint32Array(MOST_BITS / 32);
  private readonly bytes = new Uint8Array(this.units.buffer);
  private ones = 0;

  /** A word by its hash, and the next one by that of its beginning. */
  add(word: number, beginning: number): void {
    this.set(combined(word, beginning));
  }

  /** The filter as it is stored: bits from the least significant one of the first byte on. Null when there are too many. */
  toFilter(): Uint8Array | null {
    if (this.ones > MOST_SET) return null;
    let bits = MOST_BITS;
    while (bits > LEAST_BITS && this.ones * SPARSITY <= bits / 2) bits /= 2;
    const folded = new Uint32Array(bits / 32);
    for (let at = 0; at < this.units.length; at++) folded[at & (folded.length - 1)]! |= this.units[at]!;
    return new Uint8Array(folded.buffer);
  }

  private set(pair: number): void {
    this.setBit(pair & (MOST_BITS - 1));
    this.setBit(pair >>> 16);
  }

  private setBit(place: number): void {
    const bit = 1 << (place & 7);
    if ((this.bytes[place >>> 3]! & bit) !== 0) return;
    this.bytes[place >>> 3]! |= bit;
    this.ones++;
  }
}

/** As `WordPairs` keeps it. */
export function pairOf(word: string, next: string): number {
  return combined(wordHash(word), beginningHash(next));
}

/** Further pairs narrow little down that these do not; a filter may ask for a text of thousands of words. */
const MOST_TESTED = 16;

/** SQL that holds for every row whose texts have the pairs, and for few others: the ones whose filter does not tell. */
export function mayHavePairs(column: string, pairs: readonly number[]): string {
  const places = pairs.slice(0, MOST_TESTED).flatMap((pair) => [pair & (MOST_BITS - 1), pair >>> 16]);
  const bits = places.map((place) => `get_bit(filter, ${place} & (octet_length(filter) * 8 - 1)) = 1`);
  // Behind the barrier it is fetched once for all bits.
  const holds = `(SELECT ${bits.join(' AND ')} FROM (SELECT ${column} || ''::bytea AS filter OFFSET 0) AS held)`;
  // Of a CASE the planner expects half of the rows; it would take bits for independent of each other, and rare.
  return `CASE WHEN ${column} IS NULL THEN TRUE ELSE ${holds} END`;
}

export const wordHash = (word: string): number => hash(word, word.length);

/** Of the beginning of a word that counts in a pair. */
export const beginningHash = (word: string): number => hash(word, beginningOf(word));

function hash(word: string, length: number): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < length; at++) value = hashedWith(value, word.charCodeAt(at));
  return value;
}

/** Goes on by a UTF-16 unit. */
export const hashedWith = (before: number, unit: number): number => Math.imul(before ^ unit, FNV_PRIME);

/** Two hashes as 32 bits of which each half is as good as random. */
function combined(word: number, beginning: number): number {
  let mixed = Math.imul(word, 31) ^ beginning;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Of a word by itself only its character counts: at the end of a phrase, marks may follow in the text. */
function beginningOf(word: string): number {
  if (word.charCodeAt(0) >= FIRST_LONE && isLoneWord(word)) return word.codePointAt(0)! > 0xffff ? 2 : 1;
  return Math.min(word.length, BEGINNING);
}
