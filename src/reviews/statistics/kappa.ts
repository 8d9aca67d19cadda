import { LEVEL, normalQuantile } from '../../platform/statistics/distributions.js';

/** `none`: two answers agree or not. `quadratic`: on a scale, answers that lie close together agree in part. */
export type Weights = 'none' | 'quadratic';

/**
 * Reasons for a missing kappa or interval. `one_category`: one of the two gave the same answer to all items, so kappa would always
 * be 0. `no_variation`: all pairs agree or all disagree, so the standard error would be 0.
 */
export const UNKNOWN_REASONS = ['no_pairs', 'one_category', 'no_variation'] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

export interface Kappa {
  n: number;
  /** 1 for perfect agreement, 0 for agreement by chance; null if one of the two gave the same answer to all items. */
  value: number | null;
  standardError: number | null;
  /** null where the pairs do not show how far other items would be from the value. */
  interval: { low: number; high: number; level: number } | null;
  /** null when there are a value and an interval. */
  reason: UnknownReason | null;
}

/** The answers of two to one item, by their position among `count` choices. */
export type Pair = readonly [first: number, second: number];

const UNKNOWN = { value: null, standardError: null, interval: null };

/**
 * Cohen's kappa (1960), weighted (1968) for scales, with the standard error for large samples of Fleiss, Cohen and Everitt (Large
 * sample standard errors of kappa and weighted kappa, Psychological Bulletin 72, 1969), formula 13. Without weights it equals
 * their formula for kappa.
 */
export function kappaOf(pairs: readonly Pair[], count: number, weights: Weights): Kappa {
  const n = pairs.length;
  if (n === 0) return { n, ...UNKNOWN, reason: 'no_pairs' };
  const weight = weights === 'none' ? exact : quadratic(count);
  const cells = tabulate(pairs);
  const [rows, columns] = [marginals(cells, count, 0), marginals(cells, count, 1)];
  const observed = total(cells, ({ pair: [i, j], share }) => share * weight(i, j));
  if ([rows, columns].some((shares) => shares.filter(Boolean).length === 1)) {
    return { n, ...UNKNOWN, reason: 'one_category' };
  }
  // The weight that an answer gets by chance, for each answer of the one and of the other.
  const rowWeights = rows.map((_, i) => columns.reduce((found, share, j) => found + share * weight(i, j), 0));
  const columnWeights = columns.map((_, j) => rows.reduce((found, share, i) => found + share * weight(i, j), 0));
  const expected = rows.reduce((found, share, i) => found + share * rowWeights[i]!, 0);
  const value = (observed - expected) / (1 - expected);
  const square = total(cells, ({ pair: [i, j], share }) => {
    const chance = (rowWeights[i]! + columnWeights[j]!) * (1 - value);
    return share * (weight(i, j) - chance) ** 2;
  });
  const variance = (square - (value - expected * (1 - value)) ** 2) / (n * (1 - expected) ** 2);
  if (variance < ROUNDING) return { n, ...UNKNOWN, value, reason: 'no_variation' };
  const standardError = Math.sqrt(variance);
  return { n, value, standardError, interval: intervalOf(value, standardError), reason: null };
}

const ROUNDING = 1e-12;

const exact = (i: number, j: number): number => (i === j ? 1 : 0);
const quadratic = (count: number) => (i: number, j: number) => 1 - ((i - j) / (count - 1)) ** 2;

/** A combination of answers, and the share of items that have it. */
interface Cell {
  pair: Pair;
  share: number;
}

function tabulate(pairs: readonly Pair[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const pair of pairs) {
    const key = pair.join();
    const cell = cells.get(key) ?? { pair, share: 0 };
    cell.share += 1 / pairs.length;
    cells.set(key, cell);
  }
  return [...cells.values()];
}

function marginals(cells: readonly Cell[], count: number, side: 0 | 1): number[] {
  const shares = Array.from({ length: count }, () => 0);
  for (const { pair, share } of cells) shares[pair[side]]! += share;
  return shares;
}

const total = (cells: readonly Cell[], of: (cell: Cell) => number): number =>
  cells.reduce((found, cell) => found + of(cell), 0);

function intervalOf(value: number, standardError: number): Kappa['interval'] {
  const reach = normalQuantile() * standardError;
  return { low: Math.max(-1, value - reach), high: Math.min(1, value + reach), level: LEVEL };
}
