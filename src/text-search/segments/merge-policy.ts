import { type SegmentHead, SEGMENTS_OF_A_SIZE } from './segments.queries.js';

/** The sizes, in parts. Segments of the last one or beyond stay as they are. */
const SIZES = [64, 512, 8192];
/** Segments of so many bytes stay as they are, too, and no more are merged at once: all of it is in memory then. */
const LARGE_BYTES = 8 * 1024 * 1024;
const MOST_BYTES = 24 * 1024 * 1024;

/**
 * Which segments of an index are to be merged into one, the oldest first: those of a size when there are eight of them, or when they fill
 * a segment of the last size; or one by itself of which more than half is gone. Empty when none are.
 */
export function segmentsToMerge(heads: readonly SegmentHead[]): SegmentHead[] {
  for (const [at, size] of SIZES.entries()) {
    const ofSize = heads
      .filter(({ parts, bytes }) => parts < size && parts >= (SIZES[at - 1] ?? 0) && bytes < LARGE_BYTES)
      .toSorted((a, b) => a.low - b.low);
    const some = upTo(MOST_BYTES, ofSize);
    const isCut = some.length < ofSize.length;
    const fills = total(some, 'parts') >= SIZES.at(-1)!;
    if (some.length > 1 && (some.length >= SEGMENTS_OF_A_SIZE || fills || isCut)) return some;
  }
  const hollow = heads.find(({ gone, documents }) => gone !== null && gone.count() * 2 > documents);
  return hollow ? [hollow] : [];
}

const total = (heads: readonly SegmentHead[], of: 'parts' | 'bytes'): number =>
  heads.reduce((sum, head) => sum + head[of], 0);

/** The first ones that do not take more bytes. */
function upTo(most: number, heads: readonly SegmentHead[]): SegmentHead[] {
  let bytes = 0;
  return heads.filter((head) => (bytes += head.bytes) <= most);
}
