import type { MonitorBody } from '../api/schema.gen';
import { count, dollars, duration } from '../ui/format';

export type Measure = MonitorBody['measure'];

export const MEASURES: Record<Measure, string> = {
  failed_share: 'share of failures',
  latency_percentile: 'latency percentile',
  first_token_percentile: 'time to first token percentile',
  count: 'number of items',
  tokens: 'tokens',
  cost: 'cost',
  score_mean: 'mean of a score',
  score_false_share: 'share of false of a score',
  unscored_share: 'share without a score',
};

export const WINDOWS: Record<string, string> = {
  '5': '5 minutes',
  '15': '15 minutes',
  '60': '1 hour',
  '180': '3 hours',
  '360': '6 hours',
  '1440': '1 day',
  '10080': '7 days',
};

const TESTS: Record<MonitorBody['latest'][number]['test'], string> = {
  limit: 'fixed limit',
  fisher_exact: 'Fisher’s exact test',
  order_statistics: 'interval of order statistics',
  chernoff_hoeffding: 'bound of Chernoff and Hoeffding',
  student_t: 'Student’s prediction interval',
  none: 'no test yet',
};

export const nameOfTest = (test: keyof typeof TESTS): string => TESTS[test];

export const isShare = (measure: Measure): boolean => measure.endsWith('_share');
export const isPercentile = (measure: Measure): boolean => measure.endsWith('_percentile');
export const isOfScore = (measure: Measure): boolean => measure.startsWith('score_') || measure === 'unscored_share';

/** A figure with its unit. */
export function figureOf(measure: Measure, figure: number | null): string {
  if (figure === null) return '–';
  if (isShare(measure)) return `${(figure * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })} %`;
  if (isPercentile(measure)) return duration(figure);
  if (measure === 'cost') return dollars(figure);
  return measure === 'score_mean'
    ? figure.toLocaleString('en-US', { maximumFractionDigits: 1 })
    : count(Math.round(figure));
}

interface Expected {
  expected_low: number | null;
  expected_high: number | null;
}

/** The expected range, in words. */
export function expectedOf(measure: Measure, { expected_low: low, expected_high: high }: Expected): string {
  if (low !== null && high !== null) return `${figureOf(measure, low)}–${figureOf(measure, high)}`;
  if (high !== null) return `≤ ${figureOf(measure, high)}`;
  return low === null ? '–' : `≥ ${figureOf(measure, low)}`;
}

/** The measure and filter of a monitor, in one line. */
export function describeMonitor(monitor: MonitorBody): string {
  const { measure, percentile, score, by, source, origin } = monitor;
  const what = isPercentile(measure)
    ? `${MEASURES[measure].replace(' percentile', '')}, p${percentile}`
    : MEASURES[measure];
  return [
    score === null ? what : `${what} “${score}”`,
    source,
    ...(by === null ? [] : [`by ${by}`]),
    ...(origin === 'application' ? [] : [`origin ${origin}`]),
  ].join(' · ');
}

/** A duration in words, such as “2 h 10 min”. */
export function lengthOf(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 48) return `${Math.round(hours / 24)} d`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
