import { Bits } from './bits.js';
import { forEachOrdinal, placesIn, type Postings, PostingsWriter } from './postings.js';
import type { Segment } from './segment.js';
import { reachOf } from './segment-builder.js';
import { compareBytes } from './term-table.js';

/** A segment to be merged, and which of its documents are gone. */
export interface MergedSegment extends Segment {
  gone: Bits | null;
}

/** One segment of what is left of several. Documents keep their order. */
export function mergedSegment(segments: readonly MergedSegment[]): Segment {
  const moves = segments.map(toMove);
  let parts = 0;
  const offsets = moves.map(({ length }) => (parts += length) - length);
  const keys = segments.flatMap(({ keys, gone }) => keys.filter((_, document) => !gone?.has(document)));
  const values = mergedValues(segments);
  return {
    documents: keys.length,
    parts,
    keys,
    terms: mergedTerms(segments, moves, offsets, parts),
    values,
    ...reachOf(values),
    firsts: mergedFirsts(segments, moves, offsets, parts),
  };
}

/** The terms of a segment without those that only documents have that are gone. Everything keeps its number. */
export function termsThatStay(segment: MergedSegment): Segment['terms'] {
  const { to } = toMove(segment);
  const inPlace = to && { length: segment.parts, to: to.map((place, part) => (place < 0 ? -1 : part)) };
  return inPlace ? mergedTerms([segment], [inPlace], [0], segment.parts) : segment.terms;
}

/** One term after the other, so that no more than one is being written. */
function mergedTerms(
  segments: readonly MergedSegment[],
  moves: readonly Move[],
  offsets: readonly number[],
  parts: number,
): Segment['terms'] {
  const entries = segments.flatMap(({ terms }, at) => terms.map(([term, postings]) => ({ term, postings, at })));
  // Equal terms stay in the order of their segments.
  entries.sort((a, b) => compareBytes(a.term, b.term));
  const merged: (readonly [string, Postings])[] = [];
  for (let from = 0; from < entries.length;) {
    const { term } = entries[from]!;
    const writer = new PostingsWriter();
    for (; entries[from]?.term === term; from++) {
      const { postings, at } = entries[from]!;
      append(writer, postings, { move: moves[at]!, offset: offsets[at]!, parts: segments[at]!.parts });
    }
    if (writer.count > 0) merged.push([term, writer.finish(parts)]);
  }
  return merged;
}

/** Where the parts of a segment go, counted from the first one that stays. */
interface Move {
  /** The number of parts that stay. */
  length: number;
  /** For each part its new number, -1 when it is gone; null when all stay. */
  to: Int32Array | null;
}

function toMove({ parts, firsts, documents, gone }: MergedSegment): Move {
  if (!gone || gone.isEmpty()) return { length: parts, to: null };
  const to = new Int32Array(parts);
  let length = 0;
  for (let document = 0; document < documents; document++) {
    const first = firsts ? firsts[document]! : document;
    const end = firsts ? (firsts[document + 1] ?? parts) : document + 1;
    for (let part = first; part < end; part++) to[part] = gone.has(document) ? -1 : length++;
  }
  return { length, to };
}

function append(
  writer: PostingsWriter,
  postings: Postings,
  { move, offset, parts }: { move: Move; offset: number; parts: number },
): void {
  const { to } = move;
  if (!to) {
    writer.append(postings, { length: parts, offset });
    return;
  }
  const stays = Bits.none(parts);
  to.forEach((place, part) => place >= 0 && stays.set(part));
  const places = postings.places.length > 0 ? placesIn(postings, stays) : null;
  forEachOrdinal(postings, parts, (part) => {
    if (to[part]! < 0) return;
    if (!places) writer.add(to[part]! + offset);
    for (const place of places?.get(part) ?? []) writer.addPlace(to[part]! + offset, place);
  });
}

function mergedValues(segments: readonly MergedSegment[]): Map<string, Float64Array> {
  const names = new Set(segments.flatMap(({ values }) => [...values.keys()]));
  return new Map([...names].map((name) => [name, Float64Array.from(segments.flatMap((each) => staying(each, name)))]));
}

function staying({ values, documents, gone }: MergedSegment, name: string): number[] {
  const all = values.get(name) ?? new Float64Array(documents).fill(NaN);
  return [...all].filter((_, document) => !gone?.has(document));
}

function mergedFirsts(
  segments: readonly MergedSegment[],
  moves: readonly Move[],
  offsets: readonly number[],
  parts: number,
): Uint32Array | null {
  const firsts = segments.flatMap(({ firsts, documents, gone }, at) => {
    const { to } = moves[at]!;
    return Array.from({ length: documents }, (_, document) => document)
      .filter((document) => !gone?.has(document))
      .map((document) => {
        const part = firsts ? firsts[document]! : document;
        return (to ? to[part]! : part) + offsets[at]!;
      });
  });
  return firsts.length === parts ? null : Uint32Array.from(firsts);
}
