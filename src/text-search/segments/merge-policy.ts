import type { SegmentHead } from './segments.queries.js';

/** Segments of about the same size that are merged; together they belong to the next size. */
const SEGMENTS_OF_A_SIZE = 8;
/** The sizes, in parts. Segments of the last one or beyond stay as they are. */
const SIZES = [64, 512, 8192];

/**
 * Which segments of an index are to be merged into one: all of a size when there are eight of them, or when they fill a segment
 * of the last size, the smallest first; or one by itself of which more than half is gone. Empty when none are.
 */
export function segmentsToMerge(heads: readonly SegmentHead[]): SegmentHead[] {
  for (const [at, size] of SIZES.entries()) {
    const ofSize = heads.filter(({ parts }) => parts < size && parts >= (SIZES[at - 1] ?? 0));
    const parts = ofSize.reduce((sum, head) => sum + head.parts, 0);
    if (ofSize.length >= SEGMENTS_OF_A_SIZE || (ofSize.length > 1 && parts >= SIZES.at(-1)!)) return inTime(ofSize);
  }
  const hollow = heads.find(({ gone, documents }) => gone !== null && gone.count() * 2 > documents);
  return hollow ? [hollow] : [];
}

const inTime = (heads: SegmentHead[]): SegmentHead[] => heads.toSorted((a, b) => a.low - b.low);
