export const RESOLUTIONS = ['auto', 'raw', 'min_max_bucket'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const RANGES = ['all', 'last_25', 'last_50', 'last_100', 'last_250'] as const;
export type HistoryRange = (typeof RANGES)[number];

/** Number of the newest versions in a range; null for all of them. */
export function versionsIn(range: HistoryRange): number | null {
  return range === 'all' ? null : Number(range.slice('last_'.length));
}

export interface Sample<P> {
  points: P[];
  /** The kind of sampling. */
  resolution: Exclude<Resolution, 'auto'>;
}

/** Samples at most this many of the points, which are in order of time. */
export function samplePoints<P extends { score: number }>(
  points: P[],
  { resolution, maxPoints }: { resolution: Resolution; maxPoints: number },
): Sample<P> {
  const isRaw = resolution === 'raw' || (resolution === 'auto' && points.length <= maxPoints);
  if (isRaw) return { points: points.slice(-maxPoints), resolution: 'raw' };
  const half = Math.floor(maxPoints / 2);
  const sampled = extremes(points, half);
  // The first and the last point may add to the two per bucket. One bucket less makes room for them.
  const fits = sampled.length <= maxPoints ? sampled : extremes(points, half - 1);
  return { points: fits, resolution: 'min_max_bucket' };
}

/** The first point, the last one, and the lowest and the highest of each of some equal parts. */
function extremes<P extends { score: number }>(points: P[], buckets: number): P[] {
  if (points.length === 0) return [];
  const kept = new Set([0, points.length - 1]);
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor((bucket * points.length) / buckets);
    const to = Math.floor(((bucket + 1) * points.length) / buckets);
    if (from === to) continue;
    let [low, high] = [from, from];
    for (let at = from + 1; at < to; at++) {
      if (points[at]!.score < points[low]!.score) low = at;
      if (points[at]!.score > points[high]!.score) high = at;
    }
    kept.add(low).add(high);
  }
  return [...kept].sort((a, b) => a - b).map((at) => points[at]!);
}
