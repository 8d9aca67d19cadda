import type { JsonObject } from '../platform/json.js';

export const SOURCES = ['requests', 'traces'] as const;
export type Source = (typeof SOURCES)[number];

export const MEASURES = [
  'count',
  'failed_share',
  'latency_percentile',
  'first_token_percentile',
  'tokens',
  'cost',
  'score_mean',
  'score_false_share',
  'unscored_share',
] as const;
export type Measure = (typeof MEASURES)[number];

/** How a measure is compared with earlier weeks: sums, shares of items, percentiles, or means of values. */
export type Family = 'volume' | 'share' | 'percentile' | 'mean';

export const FAMILIES: Record<Measure, Family> = {
  count: 'volume',
  failed_share: 'share',
  latency_percentile: 'percentile',
  first_token_percentile: 'percentile',
  tokens: 'volume',
  cost: 'volume',
  score_mean: 'mean',
  score_false_share: 'share',
  unscored_share: 'share',
};

export const isOfScore = (measure: Measure): boolean => measure.startsWith('score_') || measure === 'unscored_share';

export const GROUPS = ['model', 'prompt', 'user', 'tag'] as const;
export type GroupKind = (typeof GROUPS)[number];

export const WINDOWS = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 4320, 10_080] as const;

export const DIRECTIONS = ['lower', 'higher', 'either'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface LimitRule {
  kind: 'limit';
  op: 'above' | 'below';
  value: number;
}

export interface UsualRule {
  kind: 'usual';
  direction: Direction;
  weeks: number;
  falseAlarmsPerWeek: number;
  /** Smaller differences from the usual figure never open an alert. */
  leastChange: number;
}

export type Rule = LimitRule | UsualRule;

export const NO_DATA = ['keep', 'ok', 'open'] as const;
export type NoData = (typeof NO_DATA)[number];

/** The items and the measure of a monitor, and the rule that opens alerts. */
export interface Definition {
  source: Source;
  measure: Measure;
  /** Between 0 and 1; null for measures other than percentiles. */
  percentile: number | null;
  score: string | null;
  filterGroup: JsonObject | null;
  q: string | null;
  /** An origin, `server`, or `all`. */
  origin: string;
  by: GroupKind | null;
  windowMinutes: number;
  rule: Rule;
  leastItems: number;
  noData: NoData;
  closesAfterMinutes: number;
  /** Hours after which an alert that is still open is sent again; null for never. */
  repeatHours: number | null;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const WEEK = 168 * HOUR;

/** Windows of less than this are evaluated every five minutes against a limit. */
const SLOW_WINDOW = 360;
const HOURLY = 60;
const FINE = 5;

/**
 * Minutes from one evaluation to the next. Comparisons with earlier weeks share the false alarms that are allowed in a week,
 * so they are as rare as the window allows.
 */
export function stepOf({ windowMinutes, rule }: Pick<Definition, 'windowMinutes' | 'rule'>): number {
  if (rule.kind === 'usual') return Math.min(windowMinutes, HOURLY);
  return windowMinutes < SLOW_WINDOW ? FINE : HOURLY;
}

/** Previews use whole hours where possible, because their sums are stored. */
export const previewStepOf = (definition: Definition): number =>
  definition.windowMinutes < HOURLY ? stepOf(definition) : HOURLY;

/** Scales of the window. A second one, three times as long with the same end, finds smaller changes later. */
const SCALES = [1, 3];
const LONGEST_SCALED = 24 * HOURLY;

/** The lengths that one evaluation compares with earlier weeks, in milliseconds. */
export function lengthsOf({ windowMinutes, rule }: Definition): number[] {
  const scales = rule.kind === 'usual' ? SCALES : [1];
  const minutes = scales.map((scale) => scale * windowMinutes);
  return minutes.filter((length, index) => index === 0 || length <= LONGEST_SCALED).map((length) => length * MINUTE);
}

/** Maximum probability of a false alarm in one comparison: the false alarms of a week divided by its comparisons. */
export function alphaOf(definition: Definition, rule: UsualRule): number {
  const perWeek = WEEK / (stepOf(definition) * MINUTE);
  const sides = rule.direction === 'either' ? 2 : 1;
  return rule.falseAlarmsPerWeek / (perWeek * lengthsOf(definition).length * sides);
}

/** A range of time in milliseconds since 1970; the end is exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** The same hours of an earlier week. Windows below an hour are extended to whole hours. */
export function earlier({ from, to }: Span, weeks: number): Span {
  return { from: Math.floor(from / HOUR) * HOUR - weeks * WEEK, to: Math.ceil(to / HOUR) * HOUR - weeks * WEEK };
}

/** All ranges of time that an evaluation at `to` reads. */
export function spansOf(definition: Definition, to: number): Span[] {
  const { rule } = definition;
  const longest = lengthsOf(definition).at(-1)!;
  const now = { from: to - longest, to };
  if (rule.kind === 'limit') return [now];
  if (FAMILIES[definition.measure] === 'volume') return [{ from: to - longest - rule.weeks * WEEK, to }];
  return [now, ...Array.from({ length: rule.weeks }, (_, index) => earlier(now, index + 1))];
}
