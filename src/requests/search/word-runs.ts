import { isLoneWord } from './words.js';

/**
 * Which words stand beside each other in some texts, as a Bloom filter: of most texts that lack a phrase it tells so
 * without anybody reading them. The index of words knows only that all words of a phrase are there.
 *
 * A run is two or three words that follow each other. The last counts by its beginning, and the first of three by its end: a
 * phrase may begin and end in the middle of words. Pairs of common words stand in most texts, though apart from each other;
 * triples of them do not. The 32 bits of a run name two places in the filter, each modulo its size.
 */

/** Which runs filters know. Those with a smaller number know pairs, and no triples that anybody asks for. */
export const KNOWN_RUNS = 4;

/** Bits while texts are read; when all are there the filter is folded to the size that fits. Powers of two. */
const MOST_BITS = 2 ** 16;
const LEAST_BITS = 64;
/** Bits for each that is set, at least: one run of seven that are not there seems to be, or one of twenty, as the size rounds. */
const SPARSITY = 2;
/** Of more than this a filter tells next to nothing. */
const MOST_SET = 0.75 * MOST_BITS;

/** UTF-16 units of the last word that count: then the beginning of a word will do at the end of a phrase. */
export const BEGINNING = 3;
/** UTF-16 units of the first of three words that count. */
export const ENDING = 4;
/** Below it no word is one by itself. */
const FIRST_LONE = 0x0e00;

/** Of the FNV-1a hash. */
export const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A word of a text: its hash, that of its beginning, and its end. */
export interface HashedWord {
  hash: number;
  beginning: number;
  ending: number;
}

/** The runs of some texts. */
export class WordRuns {
  private readonly units = new Uint32Array(MOST_BITS / 32);
  private readonly bytes = new Uint8Array(this.units.buffer);
  private ones = 0;
  /** Of the last word of the text, and of the last two as one; null where there are not so many. */
  private last: number | null = null;
  private lastTwo: number | null = null;
  private lastEnding = 0;

  /** What comes now does not follow what came before. */
  startText(): void {
    this.last = null;
    this.lastTwo = null;
  }

  /** The next word of the text. */
  add({ hash, beginning, ending }: HashedWord): void {
    const { last, lastTwo } = this;
    if (last !== null) this.set(combined(last, beginning));
    if (lastTwo !== null) this.set(combined(lastTwo, beginning));
    this.lastTwo = last === null ? null : combined(this.lastEnding, hash);
    this.last = hash;
    this.lastEnding = ending;
  }

  /** The filter as it is stored: bits from the least significant one of the first byte on. Null when there are too many. */
  toFilter(sparsity = SPARSITY): Uint8Array | null {
    if (this.ones > MOST_SET) return null;
    let bits = MOST_BITS;
    while (bits > LEAST_BITS && this.ones * sparsity <= bits / 2) bits /= 2;
    const folded = new Uint32Array(bits / 32);
    for (let at = 0; at < this.units.length; at++) folded[at & (folded.length - 1)]! |= this.units[at]!;
    return new Uint8Array(folded.buffer);
  }

  private set(run: number): void {
    this.setBit(run & (MOST_BITS - 1));
    this.setBit(run >>> 16);
  }

  private setBit(place: number): void {
    const bit = 1 << (place & 7);
    if ((this.bytes[place >>> 3]! & bit) !== 0) return;
    this.bytes[place >>> 3]! |= bit;
    this.ones++;
  }
}

/** A run as filters are asked for it: its number of words and its 32 bits. */
export interface WordRun {
  words: 2 | 3;
  bits: number;
}

export function pairOf(word: string, next: string): WordRun {
  return { words: 2, bits: combined(wordHash(word), beginningHash(next)) };
}

/** The first word may have lost its beginning. */
export function tripleOf(first: string, second: string, third: string): WordRun {
  return { words: 3, bits: combined(combined(endingOf(first), wordHash(second)), beginningHash(third)) };
}

/** The places in a filter that are all set where a run is there. */
export const placesOf = ({ bits }: WordRun): number[] => [bits & (MOST_BITS - 1), bits >>> 16];

/** Further runs narrow little down that these do not; a filter may ask for a text of thousands of words. */
const MOST_TESTED = 16;

/**
 * SQL that holds for every row whose texts have the runs, and for few others: the ones whose filter does not tell. `row` has
 * the filter as `word_runs`, and which runs it knows as `known_runs`.
 */
export function mayHaveRuns(row: string, runs: readonly WordRun[]): string {
  const bitsOf = (words: WordRun['words']) =>
    runs
      .filter((run) => run.words === words)
      .slice(0, MOST_TESTED)
      .flatMap((run) => placesOf(run).map((at) => `get_bit(filter, ${at} & (octet_length(filter) * 8 - 1)) = 1`));
  const triples = bitsOf(3);
  const bits =
    triples.length > 0 ? [...bitsOf(2), `(${row}.known_runs < ${KNOWN_RUNS} OR ${triples.join(' AND ')})`] : bitsOf(2);
  // Behind the barrier it is fetched once for all bits.
  const holds = `(SELECT ${bits.join(' AND ')} FROM (SELECT ${row}.word_runs || ''::bytea AS filter OFFSET 0) AS held)`;
  // Of a CASE the planner expects half of the rows; it would take bits for independent of each other, and rare.
  return `CASE WHEN ${row}.word_runs IS NULL THEN TRUE ELSE ${holds} END`;
}

export const wordHash = (word: string): number => hash(word, word.length);

/** Of the beginning of a word that counts in a pair. */
export const beginningHash = (word: string): number => hash(word, beginningOf(word));

/** The end of a word that counts in a triple. */
export function endingOf(word: string): number {
  let ending = 0;
  for (let at = Math.max(0, word.length - ENDING); at < word.length; at++)
    ending = endingWith(ending, word.charCodeAt(at));
  return ending;
}

function hash(word: string, length: number): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < length; at++) value = hashedWith(value, word.charCodeAt(at));
  return value;
}

/** Goes on by a UTF-16 unit; of the fourth before it nothing is left. */
export const endingWith = (before: number, unit: number): number => (before << (32 / ENDING)) ^ unit;

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
