import { Bits } from '../segments/bits.js';
import type { PhraseWord } from '../../words/index.js';
import { addTo, forEachPlaces, type Postings } from '../segments/postings.js';
import { partsOf } from '../segments/segment.js';
import { keyOf, type Question, rangesOfWord, type ValueBetween } from './question.js';

/** The data of a segment for a question. */
export interface LookedUp {
  documents: number;
  parts: number;
  /** The first part of each document; null when each has one part. */
  firsts: Uint32Array | null;
  /** Postings of the terms in a range, by `keyOf` the range. */
  postings: ReadonlyMap<string, readonly Postings[]>;
  /** All parts of the documents with such a word in their lists, by `keyOf` the range. */
  listed: ReadonlyMap<string, Bits>;
  values: ReadonlyMap<string, Float64Array>;
}

/** The documents of a segment for which a question holds. */
export function answer(question: Question, segment: LookedUp): Bits {
  if ('all' in question) return fold(question.all, segment, (found, next) => found.and(next), true);
  if ('any' in question) return fold(question.any, segment, (found, next) => found.or(next), false);
  if ('not' in question) return answer(question.not, segment).flip();
  if ('value' in question) return withValue(question, segment);
  if ('part' in question) return documentsOf(partsWith(question.part, segment), segment);
  return documentsOf(partsWith(question, segment), segment);
}

function fold(
  questions: readonly Question[],
  segment: LookedUp,
  combine: (found: Bits, next: Bits) => Bits,
  begin: boolean,
): Bits {
  let found = begin ? Bits.all(segment.documents) : Bits.none(segment.documents);
  for (const question of questions) {
    found = combine(found, answer(question, segment));
    if (begin && found.isEmpty()) break;
  }
  return found;
}

function partsWith(question: Question, segment: LookedUp): Bits {
  if ('all' in question) {
    return question.all.reduce((found, each) => found.and(partsWith(each, segment)), Bits.all(segment.parts));
  }
  if ('any' in question) {
    return question.any.reduce((found, each) => found.or(partsWith(each, segment)), Bits.none(segment.parts));
  }
  if ('not' in question) return partsWith(question.not, segment).flip();
  if ('part' in question) return partsWith(question.part, segment);
  if ('value' in question) return partsOf(segment, withValue(question, segment));
  if ('phrase' in question) return withPhrase(question.phrase, segment);
  return withTerms(question, segment);
}

function withTerms(word: PhraseWord, segment: LookedUp): Bits {
  const bits = Bits.none(segment.parts);
  for (const postings of postingsOf(word, segment)) addTo(bits, postings);
  return bits.or(listedParts(word, segment));
}

function listedParts(word: PhraseWord, { listed, parts }: LookedUp): Bits {
  const bits = Bits.none(parts);
  for (const range of rangesOfWord(word)) {
    const found = listed.get(keyOf(range));
    if (found) bits.or(found);
  }
  return bits;
}

const postingsOf = (word: PhraseWord, { postings }: LookedUp): readonly Postings[] =>
  rangesOfWord(word).flatMap((range) => postings.get(keyOf(range)) ?? []);

/** Parts that may contain the phrase: they have all its words, one of them in a list, which has no positions. */
function withPhrase(phrase: readonly PhraseWord[], segment: LookedUp): Bits {
  const withAll = phrase.reduce((found, word) => found.and(withTerms(word, segment)), Bits.all(segment.parts));
  if (phrase.length < 2) return withAll;
  const mayBe = phrase.reduce((found, word) => found.or(listedParts(word, segment)), Bits.none(segment.parts));
  return mayBe.and(withAll).or(withPlaces(phrase, withAll, segment));
}

/** Starts with the word with the fewest positions: the positions of the others are read only there. */
function withPlaces(phrase: readonly PhraseWord[], withAll: Bits, segment: LookedUp): Bits {
  let left = withAll;
  const words = phrase
    .map((word, at) => ({ at, postings: postingsOf(word, segment) }))
    .toSorted((a, b) => bytesOfPlaces(a.postings) - bytesOfPlaces(b.postings));
  let begins: Begins | null = null;
  for (const { at, postings } of words) {
    if (left.isEmpty()) return left;
    begins = beginsWith(postings, { at, left, before: begins });
    left = Bits.none(segment.parts);
    for (const part of begins.keys()) left.set(part);
  }
  return left;
}

const bytesOfPlaces = (postings: readonly Postings[]): number =>
  postings.reduce((sum, { places }) => sum + places.length, 0);

/** Possible beginnings of a phrase, by part, according to the words read so far; in ascending order. */
type Begins = Map<number, number[]>;

/** The previous beginnings at which one of some terms is the word `at` of the phrase; all, without `before`. */
function beginsWith(
  terms: readonly Postings[],
  { at, left, before }: { at: number; left: Bits; before: Begins | null },
): Begins {
  const begins: Begins = new Map();
  for (const postings of terms) {
    forEachPlaces(postings, left, (part, places) => {
      const found = before ? inBoth(before.get(part)!, places, at) : places.map((place) => place - at);
      if (found.length === 0) return;
      const others = begins.get(part);
      begins.set(part, others ? [...others, ...found].sort((a, b) => a - b) : found);
    });
  }
  return begins;
}

/** The beginnings with a position at this distance. Both are in ascending order. */
function inBoth(begins: readonly number[], places: readonly number[], distance: number): number[] {
  const found: number[] = [];
  let next = 0;
  for (const begin of begins) {
    while (next < places.length && places[next]! < begin + distance) next++;
    if (places[next] === begin + distance) found.push(begin);
  }
  return found;
}

function withValue({ value, from, to, isOpen }: ValueBetween, { documents, values }: LookedUp): Bits {
  const bits = Bits.none(documents);
  const numbers = values.get(value);
  if (!numbers) return bits;
  const [least, most] = [from ?? -Infinity, to ?? Infinity];
  for (let at = 0; at < documents; at++) {
    const number = numbers[at]!;
    const isOutside = isOpen && (number === from || number === to);
    if (number >= least && number <= most && !isOutside) bits.set(at);
  }
  return bits;
}

function documentsOf(parts: Bits, { firsts, documents }: LookedUp): Bits {
  if (!firsts) return parts;
  const bits = Bits.none(documents);
  let document = 0;
  parts.forEach((part) => {
    while (document + 1 < documents && firsts[document + 1]! <= part) document++;
    bits.set(document);
  });
  return bits;
}
