import { expect, it } from 'vitest';
import { toComparison } from './comparisons.dto.js';
import { comparePaired } from '../../platform/statistics/comparison.js';

const { alpha, margin, verdict: _, conclusion: __, ...OLDEST } = comparePaired([0, 0, 1], [0, 1, 1]);
const OLDER = { ...OLDEST, alpha, margin };

it.each([
  ['an answer of today', comparePaired([0, 0, 1], [0, 1, 1]), 'noise', 'too_few_rows'],
  ['three verdicts, nothing known', { ...OLDER, verdict: 'too_few_rows' as const }, 'noise', 'too_few_rows'],
  ['three verdicts, no difference', { ...OLDER, verdict: 'noise' as const }, 'noise', 'no_difference'],
  ['three verdicts, a difference', { ...OLDER, verdict: 'significant' as const }, 'significant', 'difference'],
  ['no margin, a difference', { ...OLDEST, verdict: 'significant' as const }, 'significant', 'difference'],
  ['no margin, nothing significant', { ...OLDEST, verdict: 'noise' as const }, 'noise', null],
])('reads stored comparisons: %s', (_name, stored, verdict, conclusion) => {
  expect(toComparison(stored)).toMatchObject({ verdict, conclusion, alpha: 0.05, p_value: 1 });
});
