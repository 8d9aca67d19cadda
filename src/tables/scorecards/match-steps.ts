import type { PlannedStep } from './calculation-plan.js';

/**
 * Maps each step of one calculation to the matching step of another: the one with its id, or else the only one with its
 * title and type. Clients that configure a scorecard before every calculation give their steps no ids.
 */
export function matchSteps(steps: PlannedStep[], others: PlannedStep[]): Map<string, PlannedStep> {
  const found = steps.flatMap((step): [string, PlannedStep][] => {
    const other = others.find(({ id }) => id === step.id) ?? namesake(step, steps, others);
    return other ? [[step.id, other]] : [];
  });
  return new Map(found);
}

function namesake(step: PlannedStep, steps: PlannedStep[], others: PlannedStep[]): PlannedStep | null {
  const isAlike = ({ title, type }: PlannedStep) => title === step.title && type === step.type;
  const [first, ...more] = others.filter(isAlike);
  const isKnown = steps.some(({ id }) => id === first?.id);
  return first && more.length === 0 && !isKnown && steps.filter(isAlike).length === 1 ? first : null;
}
