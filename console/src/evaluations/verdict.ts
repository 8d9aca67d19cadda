import type { AnswerOf } from '../api/client';
import { counted } from '../ui/format';

export type RunComparison = AnswerOf<'GET /reports/{report_id}/comparison'>;
export type ColumnComparison = RunComparison['columns'][number];
export type Estimate = ColumnComparison['own'];

/** The results of the same rows in two runs. */
export type Compared = Pick<
  ColumnComparison,
  | 'n'
  | 'unpaired'
  | 'improved'
  | 'regressed'
  | 'difference'
  | 'confidence_interval'
  | 'p_value'
  | 'margin'
  | 'conclusion'
  | 'scale'
>;

/** Shares of passed rows are shown in percent, means of numbers as they are. */
export const isShare = ({ scale }: Pick<ColumnComparison, 'scale'>): boolean => scale === 'share';

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

/** Explains the correction for comparing several columns, one of which may differ by chance. */
export function correctionText(columns: Pick<ColumnComparison, 'alpha'>[], what = 'columns'): string {
  const alpha = columns[0]!.alpha.toLocaleString('en-US', { maximumFractionDigits: 4 });
  return `${columns.length} ${what} are compared, so each is significant only below p = ${alpha} (Bonferroni).`;
}

/** Explains a difference in a sentence, with the number of rows that were not compared. */
export function verdictText(column: Compared): string {
  const { n, unpaired, difference } = column;
  const left = unpaired === 0 ? '' : ` ${counted(unpaired, 'row')} failed or had no score in one of the runs.`;
  if (n === 0 || difference === null) return `No row has a score in both runs.${left}`;
  return `${differenceText(column, difference)} ${knownText(column)}${left}`;
}

function differenceText(column: Compared, difference: number): string {
  if (column.improved + column.regressed === 0) return `The same score in ${counted(column.n, 'row')}:`;
  if (difference === 0) return 'The same mean score:';
  return `${sizeText(column, Math.abs(difference))} ${difference > 0 ? 'better' : 'worse'}${intervalText(column)}:`;
}

function knownText(column: Compared): string {
  const { conclusion, p_value: p, margin } = column;
  const chance = p === null ? '' : ` (p ${p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`})`;
  if (conclusion === 'difference') return `more than chance would explain${chance}.`;
  if (conclusion === 'no_difference')
    return `within noise, a difference of ${sizeText(column, margin ?? 0)} is excluded${chance}.`;
  return `too few rows to tell${chance}.`;
}

function sizeText(column: Compared, size: number): string {
  return isShare(column) ? `${(size * 100).toFixed(1)} points` : scoreText(size, false);
}

function intervalText(column: Compared): string {
  const { confidence_interval: interval } = column;
  if (!interval) return '';
  const [low, high] = [interval.low, interval.high].map((end) => signed(end, isShare(column)));
  return ` (${low} to ${high})`;
}

function signed(end: number, share: boolean): string {
  const sign = end < 0 ? '−' : '+';
  return `${sign}${share ? (Math.abs(end) * 100).toFixed(1) : scoreText(Math.abs(end), false)}`;
}
