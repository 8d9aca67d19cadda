/** What is counted in a time, and how much of it is bad. */
export interface TimeBar {
  /** ISO 8601. */
  from: string;
  /** The end, which is not part of it. */
  to: string;
  value: number;
  bad: number;
}

/** A bar is one unit wide with a gap, and the highest is this high. */
export const HIGHEST = 100;
const GAP = 0.16;
/** What is there can be seen, however little it is. */
const LEAST = 3;

/** Paths of SVG for what is bad, which stands on the ground so that bars can be compared, and for the rest above it. */
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

/** The largest share of the values that is left out; at least one value is. */
const OUTLIERS = 0.05;
/** Below this many times the others a bar flattens nothing. */
const FAR = 2;

/**
 * The value that a whole bar of a list stands for: the greatest one, unless it is far above the others. Then it is the greatest of
 * the others, so that these can still be compared, and what is above it is cut.
 */
export function wholeBar(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => b - a);
  const [greatest = 0] = sorted;
  const other = sorted[Math.max(1, Math.floor(sorted.length * OUTLIERS))] ?? 0;
  return other > 0 && greatest > FAR * other ? other : greatest;
}
