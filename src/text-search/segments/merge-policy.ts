import { type SegmentHead, SEGMENTS_OF_A_SIZE } from './segments.queries.js';

/** The size classes, in parts. Segments of the last class or beyond are not merged. */
const SIZES = [64, 512, 8192];
/** Segments of this size are not merged either, and no more bytes are merged at once: they are all in memory then. */
const LARGE_BYTES = 8 * 1024 * 1024;
const MOST_BYTES = 24 * 1024 * 1024;

/**
 * The segments of an index to merge into one, oldest first: eight of a size class, or fewer that fill a segment of the last class;
 * or a single one of which more than half is gone. Empty for none.
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

/** The first segments up to a total size. */
function upTo(most: number, heads: readonly SegmentHead[]): SegmentHead[] {
  let bytes = 0;
  return heads.filter((head) => (bytes += head.bytes) <= most);
}
