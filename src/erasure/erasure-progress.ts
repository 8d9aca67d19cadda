import type { Erasure } from './erasure.entity.js';

/** The steps of a round, in order. */
export const STEPS = ['finding', 'rows', 'traces', 'request_logs', 'copies', 'receipts', 'search'] as const;
export type StepName = (typeof STEPS)[number];

/** Progress after the first round, which does nearly everything. Later rounds find new data, and prove that nothing is left. */
const AFTER_FIRST_ROUND = 90;

/** Percent; never falls. */
export function progressOf({ status, step, round }: Pick<Erasure, 'status' | 'step' | 'round'>): number {
  if (status === 'completed') return 100;
  if (round > 0) return Math.min(99, AFTER_FIRST_ROUND + round);
  return Math.floor((Math.max(0, STEPS.indexOf(step as StepName)) / STEPS.length) * AFTER_FIRST_ROUND);
}
