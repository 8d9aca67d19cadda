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
  /** A difference from the usual that is smaller never opens an alert. */
  leastChange: number;
}

export type Rule = LimitRule | UsualRule;

export const NO_DATA = ['keep', 'ok', 'open'] as const;
export type NoData = (typeof NO_DATA)[number];

/** What a monitor watches and when it opens an alert. */
export interface Definition {
  source: Source;
  measure: Measure;
  /** Between 0 and 1; null for measures that are no percentile. */
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
 * Minutes from one evaluation to the next. Evaluations against earlier weeks share the false alarms of a week among each other,
 * so they are as few as the windows allow.
 */
export function stepOf({ windowMinutes, rule }: Pick<Definition, 'windowMinutes' | 'rule'>): number {
  if (rule.kind === 'usual') return Math.min(windowMinutes, HOURLY);
  return windowMinutes < SLOW_WINDOW ? FINE : HOURLY;
}

/** Previews take whole hours where they can, because these are added up already. */
export const previewStepOf = (definition: Definition): number =>
  definition.windowMinutes < HOURLY ? stepOf(definition) : HOURLY;

/** A window of the same end, three times as long, finds smaller changes later. */
const SCALES = [1, 3];
const LONGEST_SCALED = 24 * HOURLY;

/** The lengths that one evaluation compares with earlier weeks, in milliseconds. */
export function lengthsOf({ windowMinutes, rule }: Definition): number[] {
  const scales = rule.kind === 'usual' ? SCALES : [1];
  const minutes = scales.map((scale) => scale * windowMinutes);
  return minutes.filter((length, index) => index === 0 || length <= LONGEST_SCALED).map((length) => length * MINUTE);
}

/** How probable a false alarm may be in one comparison: the false alarms of a week divided by its comparisons. */
export function alphaOf(definition: Definition, rule: UsualRule): number {
  const perWeek = WEEK / (stepOf(definition) * MINUTE);
  const sides = rule.direction === 'either' ? 2 : 1;
  return rule.falseAlarmsPerWeek / (perWeek * lengthsOf(definition).length * sides);
}

/** A part of time in milliseconds since 1970; the end is not part of it. */
export interface Span {
  from: number;
  to: number;
}

/** The same hours of an earlier week. Of windows below an hour it is the hours that they lie in. */
export function earlier({ from, to }: Span, weeks: number): Span {
  return { from: Math.floor(from / HOUR) * HOUR - weeks * WEEK, to: Math.ceil(to / HOUR) * HOUR - weeks * WEEK };
}

/** Everything that an evaluation of the windows that end then reads. */
export function spansOf(definition: Definition, to: number): Span[] {
  const { rule } = definition;
  const longest = lengthsOf(definition).at(-1)!;
  const now = { from: to - longest, to };
  if (rule.kind === 'limit') return [now];
  if (FAMILIES[definition.measure] === 'volume') return [{ from: to - longest - rule.weeks * WEEK, to }];
  return [now, ...Array.from({ length: rule.weeks }, (_, index) => earlier(now, index + 1))];
}
