import { Bits } from './bits.js';
import type { WordList } from './listed-words.js';
import type { Postings } from './postings.js';

/** The value by which documents are ordered; every document has it. */
export const START = 'start';

/**
 * A part of an index that never changes: some documents, what they hold, and their values.
 *
 * A document has one part or several (the spans of a trace), and terms stand in parts. Documents and parts are numbered from 0;
 * the parts of a document follow each other.
 */
export interface Segment {
  documents: number;
  parts: number;
  /** The lowest and the highest order value of its documents (`START`). */
  low: number;
  high: number;
  /** In byte order. */
  terms: readonly (readonly [term: string, postings: Postings])[];
  /** The keys of the documents. */
  keys: readonly string[];
  /** By name: a number for each document, NaN for a missing one. */
  values: ReadonlyMap<string, Float64Array>;
  /** The first part of each document; null when each has one part. */
  firsts: Uint32Array | null;
  /** Further words of documents with too many words for terms. */
  lists: readonly WordList[];
}

/** The parts of some documents. */
export function partsOf({ parts, firsts }: Pick<Segment, 'parts' | 'firsts'>, documents: Bits): Bits {
  if (!firsts) return documents;
  const found = Bits.none(parts);
  documents.forEach((document) => {
    const end = firsts[document + 1] ?? parts;
    for (let part = firsts[document]!; part < end; part++) found.set(part);
  });
  return found;
}
