import type { Definition, Measure } from './definition.js';
import type { Band } from './statistics/band.js';

const TITLES: Record<Measure, (definition: Pick<Definition, 'percentile' | 'score'>) => string> = {
  count: () => 'items',
  failed_share: () => 'share of failures',
  latency_percentile: ({ percentile }) => `latency p${Math.round(percentile! * 1000) / 10}`,
  first_token_percentile: ({ percentile }) => `time to first token p${Math.round(percentile! * 1000) / 10}`,
  tokens: () => 'tokens',
  cost: () => 'cost',
  score_mean: ({ score }) => `mean of “${score}”`,
  score_false_share: ({ score }) => `share of false of “${score}”`,
  unscored_share: ({ score }) => `share without a score “${score}”`,
};

/** A measure in words. */
export const titleOf = (definition: Definition): string => TITLES[definition.measure](definition);

const round = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits });

/** A figure with its unit. */
export function figureText(measure: Measure, figure: number): string {
  if (measure.endsWith('_share')) return `${round(figure * 100, 1)} %`;
  if (measure.endsWith('_percentile')) return figure < 1000 ? `${round(figure, 0)} ms` : `${round(figure / 1000, 2)} s`;
  if (measure === 'cost') return `$${round(figure, figure < 1 ? 4 : 2)}`;
  return round(figure, measure === 'score_mean' ? 1 : 0);
}

/** The expected range in words. */
export function rangeText(measure: Measure, { low, high }: Band): string {
  if (low !== null && high !== null) return `${figureText(measure, low)} to ${figureText(measure, high)}`;
  if (high !== null) return `at most ${figureText(measure, high)}`;
  return low === null ? 'not known' : `at least ${figureText(measure, low)}`;
}
