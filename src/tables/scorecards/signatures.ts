import type { StepSignature } from './calculation-plan.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';

/** Equals no signature: some results of the step are from an earlier configuration. */
const MIXED: StepSignature = { config: '', sources: '' };

/**
 * Returns the signature of each step that its results are from. A calculation of some rows keeps the results of the
 * others. If the step has changed since, its results are from different configurations, and the step stays stale.
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
