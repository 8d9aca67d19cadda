import { expect, it } from 'vitest';
import { type ColumnComparison, correctionText, estimateText, verdictText } from './verdict';

const interval = (low: number, high: number) => ({ low, high, level: 0.95, method: 'hall' });
const column = (more: object) => {
  const estimate = { n: 30, score: 0.8, standard_error: 0.1, confidence_interval: interval(0.627, 0.905) };
  const known = { n: 30, unpaired: 0, improved: 3, regressed: 0, alpha: 0.05, margin: 0.05, p_value: 0.5 };
  const own = { own: estimate, other: estimate, scale: 'share', confidence_interval: interval(-0.02, 0.22) };
  return { ...known, ...own, verdict: 'noise', conclusion: 'too_few_rows', ...more } as ColumnComparison;
};

it.each([
  [{ n: 0, difference: null }, 'No row has a score in both runs.'],
  [
    { difference: 0, improved: 0, conclusion: 'no_difference', p_value: 1 },
    'The same score in 30 rows: within noise, a difference of 5.0 points is excluded (p = 1.000).',
  ],
  [{ difference: 0.1 }, '10.0 points better (−2.0 to +22.0): too few rows to tell (p = 0.500).'],
  [
    { difference: 0.1, alpha: 0.0125, p_value: 0.02, unpaired: 2 },
    '10.0 points better (−2.0 to +22.0): too few rows to tell (p = 0.020). 2 rows failed or had no score in one of the runs.',
  ],
  [
    {
      difference: -0.25,
      verdict: 'significant',
      conclusion: 'difference',
      p_value: 0.0001,
      confidence_interval: interval(-0.4, -0.1),
    },
    '25.0 points worse (−40.0 to −10.0): more than chance would explain (p < 0.001).',
  ],
])('explains what %j means', (more, text) => {
  expect(verdictText(column(more))).toBe(text);
});

it('shows means of numbers as they are, and shares in percent', () => {
  const ratings = column({ scale: 'number', difference: 1.5, confidence_interval: null });
  expect(verdictText(ratings)).toBe('1.5 better: too few rows to tell (p = 0.500).');
  expect(estimateText(column({}).own, true)).toBe('80.0 % (62.7 % to 90.5 %)');
  expect(estimateText({ ...column({}).own, confidence_interval: null }, false)).toBe('0.8');
});

it('explains how several columns are corrected for', () => {
  const columns = Array.from({ length: 4 }, () => column({ alpha: 0.0125 }));
  const text = '4 columns are compared, so each is significant only below p = 0.0125 (Bonferroni).';
  expect(correctionText(columns)).toBe(text);
});
