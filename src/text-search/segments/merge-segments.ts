import type { Bits } from './bits.js';
import type { WordList } from './listed-words.js';
import { type Postings, PostingsWriter } from './postings.js';
import { partsOf, type Segment } from './segment.js';
import { reachOf } from './segment-builder.js';
import { compareBytes } from './term-table.js';

/** A segment to merge, with its deleted documents. */
export interface MergedSegment extends Segment {
  gone: Bits | null;
}

/** One segment of the remaining documents of several. Documents keep their order. */
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
    lists: mergedLists(segments),
  };
}

function mergedLists(segments: readonly MergedSegment[]): WordList[] {
  let offset = 0;
  return segments.flatMap(({ lists, documents, gone }) => {
    const to = Array.from({ length: documents }, (_, document) => (gone?.has(document) ? -1 : offset++));
    return lists.flatMap((list) => (to[list.document]! < 0 ? [] : [{ ...list, document: to[list.document]! }]));
  });
}

/** Merges term by term, so that only one is being written. */
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
      const [{ to }, offset] = [moves[at]!, offsets[at]!];
      if (to) writer.appendSome(postings, { to, offset });
      else writer.append(postings, { length: segments[at]!.parts, offset });
    }
    if (writer.count > 0) merged.push([term, writer.finish(parts)]);
  }
  return merged;
}

/** The new numbers of a segment's parts, counted from the first remaining one. */
interface Move {
  /** The number of remaining parts. */
  length: number;
  /** The new number of each part, -1 for a deleted one; null when all remain. */
  to: Int32Array | null;
}

function toMove(segment: MergedSegment): Move {
  const { parts, gone } = segment;
  if (!gone || gone.isEmpty()) return { length: parts, to: null };
  const goneParts = partsOf(segment, gone);
  const to = new Int32Array(parts);
  let length = 0;
  for (let part = 0; part < parts; part++) to[part] = goneParts.has(part) ? -1 : length++;
  return { length, to };
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
