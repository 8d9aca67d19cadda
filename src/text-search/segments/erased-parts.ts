import type { Bits } from './bits.js';
import { type Postings, PostingsWriter, standsAtAny } from './postings.js';

/** Parts of a segment that are erased. All others keep their numbers. */
export class ErasedParts {
  /** The new number of each part, or -1. */
  private readonly to: Int32Array;

  constructor(private readonly erased: Bits) {
    this.to = Int32Array.from({ length: erased.length }, (_, part) => (erased.has(part) ? -1 : part));
  }

  /** Whether a term occurs in one of them. `ordinals` of the postings are enough. */
  have(postings: Postings): boolean {
    return standsAtAny(postings, this.erased);
  }

  /** The remaining postings of a term; null when it occurs only in erased parts. */
  takenFrom(postings: Postings): Postings | null {
    const writer = new PostingsWriter();
    writer.appendSome(postings, { to: this.to, offset: 0 });
    return writer.count > 0 ? writer.finish(this.erased.length) : null;
  }
}
