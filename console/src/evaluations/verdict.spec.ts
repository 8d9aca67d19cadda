import { expect, it } from 'vitest';
import { type ColumnComparison, estimateText, verdictText } from './verdict';

const interval = (method: string) => ({ low: 0.627, high: 0.905, level: 0.95, method });
const column = (more: object, method = 'wilson') => {
  const estimate = { n: 30, score: 0.8, standard_error: 0.1, confidence_interval: interval(method) };
  return { n: 30, own: estimate, other: estimate, verdict: 'noise', p_value: 0.5, ...more } as ColumnComparison;
};

it.each([
  [{ n: 0, difference: null }, 'No row has a score in both runs.'],
  [{ difference: 0 }, 'The two runs score the same.'],
  [{ difference: 0.1 }, 'It is better by 10.0 points, which is noise: so much happens by chance (p = 0.500).'],
  [
    { difference: -0.25, verdict: 'significant', p_value: 0.0001 },
    'It is worse by 25.0 points, more than chance would explain (p < 0.001).',
  ],
])('tells what %j means', (more, text) => {
  expect(verdictText(column(more))).toBe(text);
});

it('tells means of numbers as they are, and shares in percent', () => {
  expect(verdictText(column({ difference: 1.5 }, 'student_t'))).toContain('better by 1.5, which is noise');
  expect(estimateText(column({}).own, true)).toBe('80.0 % (62.7 % to 90.5 %)');
  expect(estimateText({ ...column({}).own, confidence_interval: null }, false)).toBe('0.8');
});
