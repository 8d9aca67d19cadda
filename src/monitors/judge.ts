import { middleOf, type Series, type SeriesSums } from '../rollups/index.js';
import {
  alphaOf,
  type Definition,
  earlier,
  FAMILIES,
  HOUR,
  lengthsOf,
  type Measure,
  type Span,
  type UsualRule,
  WEEK,
} from './definition.js';
import { type Band, isOutside, type Levels } from './statistics/band.js';
import { meanBand, meanBound, meanOf, pooled } from './statistics/mean.js';
import { classAt, percentileBand, percentileProbability, placeOf, totalOf } from './statistics/percentile.js';
import { fisher, shareBand } from './statistics/proportion.js';
import { type UsualSums, volumeBand, volumeProbability } from './statistics/volume.js';

export const TESTS = ['limit', 'fisher_exact', 'order_statistics', 'chernoff_hoeffding', 'student_t', 'none'] as const;
export type Test = (typeof TESTS)[number];

/** `few`: less than the least number of items. `learning`: too little is known of earlier weeks. */
export const VERDICTS = ['breach', 'fine', 'few', 'no_data', 'learning'] as const;

export interface Verdict {
  kind: (typeof VERDICTS)[number];
  window: Span;
  /** null without items. */
  figure: number | null;
  items: number;
  band: Band;
  test: Test;
  /** Probability of such a figure by chance; null for limits. */
  probability: number | null;
}

const NO_BAND: Band = { low: null, high: null };

/** Judges the windows of a group that end then. */
export function judge(definition: Definition, series: Series, to: number): Verdict {
  const { rule } = definition;
  if (rule.kind === 'limit') return judgeLimit(definition, series, to);
  const verdicts = lengthsOf(definition).map((length) => {
    return judgeUsual(definition, rule, series, { from: to - length, to });
  });
  const breaches = verdicts.filter(({ kind }) => kind === 'breach');
  if (breaches.length === 0) return verdicts[0]!;
  return breaches.reduce((worst, next) => (next.probability! < worst.probability! ? next : worst));
}

function judgeLimit(definition: Definition, series: Series, to: number): Verdict {
  const window = { from: to - lengthsOf(definition)[0]!, to };
  const { op, value } = definition.rule as Extract<Definition['rule'], { kind: 'limit' }>;
  const sums = series.sum(window.from, window.to);
  const found = { ...measure(definition, sums), window, test: 'limit' as const, probability: null };
  const band = op === 'above' ? { low: null, high: value } : { low: value, high: null };
  const kind = lacking(definition, found) ?? (isOutside(found.figure!, band) ? 'breach' : 'fine');
  return { ...found, band, kind };
}

interface Measured {
  figure: number | null;
  items: number;
}

/** Without items a count is 0, and nothing else is known. */
function lacking({ measure: name, leastItems }: Definition, { figure, items }: Measured): 'no_data' | 'few' | null {
  if (figure === null || (items === 0 && name !== 'count')) return 'no_data';
  return items < leastItems ? 'few' : null;
}

/** The figure of a measure, and of how many items it is. */
export function measure({ measure: name, percentile }: Definition, sums: SeriesSums): Measured {
  const family = FAMILIES[name];
  if (family === 'volume') return { figure: volumeOf(name, sums), items: sums.items };
  if (family === 'share') {
    const { marked, items } = shareOf(name, sums);
    return { figure: items === 0 ? null : marked / items, items };
  }
  const items = totalOf(sums.classes);
  if (items === 0) return { figure: null, items };
  if (family === 'mean') return { figure: meanOf(sums.classes), items };
  return { figure: middleOf(classAt(sums.classes, placeOf(percentile!, items))), items };
}

const volumeOf = (name: Measure, { items, tokens, cost }: SeriesSums): number =>
  name === 'count' ? items : name === 'tokens' ? tokens : cost;

function shareOf(name: Measure, { items, failed, classes }: SeriesSums): { marked: number; items: number } {
  if (name === 'failed_share') return { marked: failed, items };
  const scored = totalOf(classes);
  if (name === 'unscored_share') return { marked: items - scored, items };
  return { marked: classes.get(0) ?? 0, items: scored };
}

interface Compared {
  test: Test;
  band: Band;
  probability: number;
  /** The usual figure, in the middle of the expected range. */
  center: number;
}

function judgeUsual(definition: Definition, rule: UsualRule, series: Series, window: Span): Verdict {
  const sums = series.sum(window.from, window.to);
  const found = { ...measure(definition, sums), window };
  const unknown = { ...found, band: NO_BAND, test: 'none' as const, probability: null };
  const lack = lacking(definition, found);
  if (lack === 'no_data') return { ...unknown, kind: lack };
  const alpha = alphaOf(definition, rule);
  const levels = {
    low: rule.direction === 'higher' ? 0 : alpha,
    high: rule.direction === 'lower' ? 0 : alpha,
  };
  const compared = compare(definition, { rule, series, window, sums, levels });
  if (!compared) return { ...unknown, kind: lack ?? 'learning' };
  const { test, probability } = compared;
  const band = widened(compared, rule.leastChange);
  return { ...found, band, test, probability, kind: lack ?? (isOutside(found.figure!, band) ? 'breach' : 'fine') };
}

function widened({ band: { low, high }, center }: Compared, leastChange: number): Band {
  return {
    low: low === null ? null : Math.min(low, center - leastChange),
    high: high === null ? null : Math.max(high, center + leastChange),
  };
}

interface Comparison {
  rule: UsualRule;
  series: Series;
  window: Span;
  sums: SeriesSums;
  levels: Levels;
}

/** null when too little is known of earlier weeks. */
function compare(definition: Definition, comparison: Comparison): Compared | null {
  const family = FAMILIES[definition.measure];
  if (family === 'volume') return compareVolumes(definition.measure, comparison);
  const usual = usualOf(comparison);
  if (measure(definition, usual).items < Math.max(definition.leastItems, LEAST_USUAL)) return null;
  if (family === 'share') return compareShares(definition.measure, comparison, usual);
  return family === 'mean' ? compareMeans(comparison, usual) : comparePercentiles(definition, comparison, usual);
}

/** Fewer items of earlier weeks are no base for a comparison. */
const LEAST_USUAL = 10;

/** Sums of the same hours of all earlier weeks. */
function usualOf({ rule, series, window }: Comparison): SeriesSums {
  const [first, ...others] = weeksOf(rule, series, window);
  for (const other of others) first!.addAll(other);
  return first!;
}

const weeksOf = (rule: UsualRule, series: Series, window: Span): SeriesSums[] =>
  Array.from({ length: rule.weeks }, (_, index) => {
    const { from, to } = earlier(window, index + 1);
    return series.sum(from, to);
  });

/** The probability of the tested side. With both sides it is the smaller one, doubled. */
function sided({ low, high }: Levels, probability: { low: number; high: number }): number {
  if (low === 0) return probability.high;
  if (high === 0) return probability.low;
  return Math.min(1, 2 * Math.min(probability.low, probability.high));
}

function compareShares(name: Measure, { sums, levels }: Comparison, before: SeriesSums): Compared {
  const [now, usual] = [shareOf(name, sums), shareOf(name, before)];
  return {
    test: 'fisher_exact',
    band: shareBand(now.items, usual, levels),
    probability: sided(levels, fisher(now, usual)),
    center: usual.marked / usual.items,
  };
}

function comparePercentiles(
  { percentile }: Definition,
  { sums: { classes: now }, levels }: Comparison,
  { classes: usual }: SeriesSums,
): Compared {
  const [part, count] = [percentile!, totalOf(now)];
  const { low, high } = percentileBand(part, count, usual, levels);
  const figure = classAt(now, placeOf(part, count));
  return {
    test: 'order_statistics',
    band: { low: low === null ? null : middleOf(low), high: high === null ? null : middleOf(high) },
    probability: sided(levels, percentileProbability(part, figure, count, usual)),
    center: middleOf(classAt(usual, placeOf(part, totalOf(usual)))),
  };
}

function compareMeans({ sums: { classes: now }, levels }: Comparison, { classes: usual }: SeriesSums): Compared {
  const all = pooled(now, usual);
  const [count, figure, center] = [totalOf(now), meanOf(now), meanOf(all)];
  const bound = meanBound(figure, count, all);
  return {
    test: 'chernoff_hoeffding',
    band: meanBand(count, all, levels),
    probability: sided(levels, { low: figure < center ? bound : 1, high: figure > center ? bound : 1 }),
    center: meanOf(usual),
  };
}

/** Compares sums. Weeks without items were before the first item, so they do not count. */
function compareVolumes(name: Measure, { rule, series, window, levels }: Comparison): Compared | null {
  const usual = usualSums(name, { rule, series, window });
  const band = volumeBand(usual, levels);
  if (!band) return null;
  let sum = 0;
  for (const part of series.between(window.from, window.to)) sum += volumeOf(name, part);
  return {
    test: 'student_t',
    band,
    probability: sided(levels, volumeProbability(sum, usual)),
    center: usual.same.reduce((total, each) => total + each, 0) / usual.same.length,
  };
}

/** Items that occur independently vary so much in their square root. */
const POISSON_DEVIATION = 0.5;

function usualSums(name: Measure, { rule, series, window }: Pick<Comparison, 'rule' | 'series' | 'window'>): UsualSums {
  const length = window.to - window.from;
  const places: number[][] = [];
  for (let back = 0; back + length <= WEEK; back += Math.max(length, HOUR)) {
    places.push(
      Array.from({ length: rule.weeks }, (_, index) => {
        const to = window.to - back - (index + 1) * WEEK;
        let sum = 0;
        for (const part of series.between(to - length, to)) sum += volumeOf(name, part);
        return sum;
      }),
    );
  }
  const filled = Array.from({ length: rule.weeks }, (_, week) => places.some((sums) => sums[week]! > 0));
  const [same, ...others] = places.map((sums) => sums.filter((_, week) => filled[week]));
  return { same: same!, places: others, leastDeviation: name === 'count' ? POISSON_DEVIATION : 0 };
}
