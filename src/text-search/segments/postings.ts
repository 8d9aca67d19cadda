import { Bits } from './bits.js';
import { ByteList, ByteReader } from './byte-list.js';

/**
 * The ordinals of one segment with a term, in ascending order, and its places in their texts.
 *
 * `ordinals`: the distance of each from the one before it, the first one from -1. Where that takes more bytes than a bit for each
 * ordinal of the segment does, it is a 0, which no distance is, and then the bits. So no list is longer than an eighth of its segment.
 *
 * `places`: for each ordinal in turn the distances of its places (the first from -1), and a 0. Empty for terms without places.
 */
export interface Postings {
  count: number;
  ordinals: Uint8Array;
  places: Uint8Array;
}

const AS_BITS = 0;

/** Collects the postings of one term. Ordinals, and places in them, must be added in ascending order; repeated ones count once. */
export class PostingsWriter {
  count = 0;
  private last = -1;
  private lastPlace = -1;
  private readonly ordinals = new ByteList();
  private readonly places = new ByteList();

  add(ordinal: number): void {
    if (ordinal === this.last) return;
    this.endPlaces();
    this.ordinals.add(ordinal - this.last);
    this.last = ordinal;
    this.count++;
  }

  addPlace(ordinal: number, place: number): void {
    this.add(ordinal);
    if (place === this.lastPlace) return;
    this.places.add(place - this.lastPlace);
    this.lastPlace = place;
  }

  /** Whether the term occurs at `first` or after it. */
  standsFrom(first: number): boolean {
    return this.last >= first;
  }

  /** Appends postings of a segment of `length`, whose ordinals follow the existing ones: each is increased by `offset`. */
  append(postings: Postings, { length, offset }: { length: number; offset: number }): void {
    this.endPlaces();
    forEachOrdinal(postings, length, (ordinal) => {
      this.ordinals.add(ordinal + offset - this.last);
      this.last = ordinal + offset;
    });
    this.count += postings.count;
    this.places.addBytes(postings.places);
  }

  /** The same with deleted ordinals: `to` has the new value of each before `offset` is added, -1 for a deleted one. */
  appendSome(postings: Postings, { to, offset }: { to: Int32Array; offset: number }): void {
    this.endPlaces();
    const { places } = postings;
    let at = 0;
    forEachOrdinal(postings, to.length, (ordinal) => {
      const moved = to[ordinal]!;
      if (moved < 0) {
        at = places.length > 0 ? places.indexOf(0, at) + 1 : 0;
        return;
      }
      this.ordinals.add(moved + offset - this.last);
      this.last = moved + offset;
      this.count++;
      if (places.length > 0) at = this.places.addUntilZero(places, at);
    });
  }

  /** The postings, in a segment of `length`. Nothing can be added afterwards. */
  finish(length: number): Postings {
    this.endPlaces();
    const distances = this.ordinals.taken();
    const places = this.places.taken();
    if (distances.length <= Math.ceil(length / 8)) return { count: this.count, ordinals: distances, places };
    const bits = bitsOf({ count: this.count, ordinals: distances, places }, length).toBytes();
    const ordinals = new Uint8Array(bits.length + 1);
    ordinals.set(bits, 1);
    return { count: this.count, ordinals, places };
  }

  private endPlaces(): void {
    if (this.lastPlace >= 0) this.places.add(0);
    this.lastPlace = -1;
  }
}

export function forEachOrdinal({ ordinals }: Postings, length: number, visit: (ordinal: number) => void): void {
  if (ordinals[0] === AS_BITS) {
    Bits.of(length, ordinals.subarray(1)).forEach(visit);
    return;
  }
  const reader = new ByteReader(ordinals);
  for (let ordinal = -1; !reader.isAtEnd;) visit((ordinal += reader.next()));
}

/** Whether the term occurs at one of some ordinals. */
export function standsAtAny(postings: Postings, wanted: Bits): boolean {
  if (postings.ordinals[0] === AS_BITS) return !bitsOf(postings, wanted.length).and(wanted).isEmpty();
  const reader = new ByteReader(postings.ordinals);
  for (let ordinal = -1; !reader.isAtEnd;) if (wanted.has((ordinal += reader.next()))) return true;
  return false;
}

export function bitsOf(postings: Postings, length: number): Bits {
  const bits = Bits.none(length);
  addTo(bits, postings);
  return bits;
}

/** Sets the bits of all ordinals. */
export function addTo(bits: Bits, postings: Postings): void {
  if (postings.ordinals[0] === AS_BITS) bits.or(Bits.of(bits.length, postings.ordinals.subarray(1)));
  else forEachOrdinal(postings, bits.length, (ordinal) => bits.set(ordinal));
}

/** Visits the given ordinals that have the term, with its places there, in ascending order. The list is the same object each time. */
export function forEachPlaces(
  postings: Postings,
  wanted: Bits,
  visit: (ordinal: number, places: readonly number[]) => void,
): void {
  const reader = new ByteReader(postings.places);
  const places: number[] = [];
  forEachOrdinal(postings, wanted.length, (ordinal) => {
    if (!wanted.has(ordinal)) {
      reader.skipUntilZero();
      return;
    }
    places.length = 0;
    let place = -1;
    for (let distance = reader.next(); distance !== 0; distance = reader.next()) places.push((place += distance));
    visit(ordinal, places);
  });
}
