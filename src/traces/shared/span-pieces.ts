/** Spans that one statement reads with their payloads: few enough that these fit into memory several times. */
export const PIECE = { spans: 500, bytes: 4 * 1024 * 1024 };

/**
 * Groups neighbouring spans up to these limits; a span that exceeds them is a piece of its own. Bytes are those of
 * stored payloads.
 */
export function* piecesOf<T extends { bytes: number }>(
  spans: Iterable<T>,
  limits: { spans: number; bytes: number },
): Generator<T[]> {
  let piece: T[] = [];
  let bytes = 0;
  for (const span of spans) {
    if (piece.length > 0 && (piece.length >= limits.spans || bytes + span.bytes > limits.bytes)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(span);
    bytes += span.bytes;
  }
  if (piece.length > 0) yield piece;
}
