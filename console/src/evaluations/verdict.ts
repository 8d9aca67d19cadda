import type { AnswerOf } from '../api/client';

export type RunComparison = AnswerOf<'GET /reports/{report_id}/comparison'>;
export type ColumnComparison = RunComparison['columns'][number];
export type Estimate = ColumnComparison['own'];

/** Shares of rows that passed are told in percent; means of numbers as they are. */
export function isShare({ own, other }: ColumnComparison): boolean {
  const methods = [own, other].map(({ confidence_interval: interval }) => interval?.method);
  return methods.every((method) => method === 'wilson' || method === undefined);
}

export function scoreText(value: number | null, share: boolean): string {
  if (value === null) return '–';
  return share ? `${(value * 100).toFixed(1)} %` : value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** `80.0 % (62.7 % to 90.5 %)`. */
export function estimateText(
  { score, confidence_interval: interval }: Pick<Estimate, 'score' | 'confidence_interval'>,
  share: boolean,
): string {
  if (!interval) return scoreText(score, share);
  return `${scoreText(score, share)} (${scoreText(interval.low, share)} to ${scoreText(interval.high, share)})`;
}

/** What a difference means, in a sentence. */
export function verdictText(column: ColumnComparison): string {
  const { difference, verdict, p_value: p, n } = column;
  if (n === 0 || difference === null) return 'No row has a score in both runs.';
  if (difference === 0) return 'The two runs score the same.';
  const share = isShare(column);
  const size = share ? `${(Math.abs(difference) * 100).toFixed(1)} points` : scoreText(Math.abs(difference), false);
  const direction = difference > 0 ? 'better' : 'worse';
  const chance = p === null ? '' : ` (p ${p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`})`;
  return verdict === 'significant'
    ? `It is ${direction} by ${size}, more than chance would explain${chance}.`
    : `It is ${direction} by ${size}, which is noise: so much happens by chance${chance}.`;
}
