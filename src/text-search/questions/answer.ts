import { Bits } from '../segments/bits.js';
import { addTo, placesIn, type Postings } from '../segments/postings.js';
import { keyOf, type PhraseWord, type Question, rangesOfWord, type ValueBetween } from './question.js';

/** What is known of a segment to answer a question. */
export interface LookedUp {
  documents: number;
  parts: number;
  /** The first part of each document; null when each has one part. */
  firsts: Uint32Array | null;
  /** By `keyOf` a range, what its terms have. */
  postings: ReadonlyMap<string, readonly Postings[]>;
  values: ReadonlyMap<string, Float64Array>;
}

/** The documents of a segment that a question is true of. */
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
  if ('value' in question) return partsOf(withValue(question, segment), segment);
  if ('phrase' in question) return withPhrase(question.phrase, segment);
  return withTerms(question, segment);
}

function withTerms(word: PhraseWord, segment: LookedUp): Bits {
  const bits = Bits.none(segment.parts);
  for (const postings of postingsOf(word, segment)) addTo(bits, postings);
  return bits;
}

const postingsOf = (word: PhraseWord, { postings }: LookedUp): readonly Postings[] =>
  rangesOfWord(word).flatMap((range) => postings.get(keyOf(range)) ?? []);

function withPhrase(phrase: readonly PhraseWord[], segment: LookedUp): Bits {
  const candidates = phrase.reduce((found, word) => found.and(withTerms(word, segment)), Bits.all(segment.parts));
  if (phrase.length < 2 || candidates.isEmpty()) return candidates;
  const places = phrase.map((word) => placesOf(word, candidates, segment));
  const found = Bits.none(segment.parts);
  candidates.forEach((part) => {
    const sets = places.map((each) => each.get(part)!);
    const follow = (place: number) => sets.every((set, at) => set.has(place + at));
    for (const place of sets[0]!) {
      if (!follow(place)) continue;
      found.set(part);
      break;
    }
  });
  return found;
}

function placesOf(word: PhraseWord, wanted: Bits, segment: LookedUp): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  for (const postings of postingsOf(word, segment)) {
    for (const [part, places] of placesIn(postings, wanted)) {
      const all = found.get(part);
      if (all) for (const place of places) all.add(place);
      else found.set(part, new Set(places));
    }
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

function partsOf(found: Bits, { firsts, documents, parts }: LookedUp): Bits {
  if (!firsts) return found;
  const bits = Bits.none(parts);
  found.forEach((document) => {
    const end = document + 1 < documents ? firsts[document + 1]! : parts;
    for (let part = firsts[document]!; part < end; part++) bits.set(part);
  });
  return bits;
}
