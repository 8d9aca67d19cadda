import type { StepSignature } from './calculation-plan.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';

/** No step has it: something of the step is from when it was different. */
const MIXED: StepSignature = { config: '', sources: '' };

/**
 * What each step was that its results in a calculation are from. A calculation of some rows keeps those of the others: when
 * the step has changed since, they are not all of one kind, and the step stays stale.
 */
export function signaturesAfter(
  { plan, scope }: ScorecardCalculation,
  previous: ScorecardCalculation | null,
): Record<string, StepSignature> {
  return Object.fromEntries(
    plan.steps.map(({ id, signature }) => {
      const isCalculated = !scope?.stepIds || scope.stepIds.includes(id);
      if (isCalculated && !scope?.rows) return [id, signature];
      const before = previous?.result?.signatures[id] ?? MIXED;
      return [id, isCalculated && !isSame(before, signature) ? MIXED : before];
    }),
  );
}

export function isSame(a: StepSignature, b: StepSignature): boolean {
  return a.config === b.config && a.sources === b.sources;
}
