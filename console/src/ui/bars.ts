/** The count in a range of time, and its bad part. */
export interface TimeBar {
  /** ISO 8601. */
  from: string;
  /** The end, which is not part of the range. */
  to: string;
  value: number;
  bad: number;
}

/** A bar is one unit wide with a gap. The highest one has this height. */
export const HIGHEST = 100;
const GAP = 0.16;
/** Least height of a bar, so that small values stay visible. */
const LEAST = 3;

/** SVG paths for the bad parts, which stand at the bottom so that bars can be compared, and for the rest above them. */
export function barPaths(bars: readonly TimeBar[]): { rest: string; bad: string } {
  const top = bars.reduce((most, { value }) => Math.max(most, value), 0);
  const heightOf = (value: number) => (value > 0 ? Math.max((value / top) * HIGHEST, LEAST) : 0);
  const paths = { rest: '', bad: '' };
  bars.forEach(({ value, bad }, index) => {
    const low = heightOf(Math.min(bad, value));
    const high = value > bad ? Math.max(heightOf(value), Math.min(low + LEAST, HIGHEST)) : low;
    const ground = high === low ? low : Math.min(low, HIGHEST - LEAST);
    if (ground > 0) paths.bad += box(index, 0, ground);
    if (high > ground) paths.rest += box(index, ground, high);
  });
  return paths;
}

function box(index: number, from: number, to: number): string {
  return `M${index + GAP / 2} ${round(HIGHEST - from)}V${round(HIGHEST - to)}h${1 - GAP}V${round(HIGHEST - from)}z`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The bar at a share of the width, 0 to 1. */
export function barAt(share: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(share * count)));
}

/** The largest share of the values that may be cut; at least one value may. */
const OUTLIERS = 0.05;
/** A value below this multiple of the others is no outlier. */
const FAR = 2;

/**
 * The value of a whole bar in a list: the greatest one, unless it is far above the others. Then it is the greatest of
 * the others, so that these stay comparable, and higher values are cut.
 */
export function wholeBar(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => b - a);
  const [greatest = 0] = sorted;
  const other = sorted[Math.max(1, Math.floor(sorted.length * OUTLIERS))] ?? 0;
  return other > 0 && greatest > FAR * other ? other : greatest;
}
