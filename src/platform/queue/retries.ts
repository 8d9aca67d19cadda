/**
 * Maximum tries. With pauses that triple from five seconds, the last one comes about an hour and a half after the
 * first.
 */
export const MAX_TRIES = 8;

const GROWTH = 3;
const JITTER = 0.1;

/**
 * Milliseconds to wait after `tries` failed ones, null when there have been enough. Spread by a tenth either way, so
 * that what failed together does not come back together.
 */
export function waitAfter(tries: number, baseMs: number): number | null {
  if (tries >= MAX_TRIES) return null;
  const spread = 1 - JITTER + 2 * JITTER * Math.random();
  return Math.round(baseMs * GROWTH ** (tries - 1) * spread);
}
