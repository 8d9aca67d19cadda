import { defineErrors } from '../../platform/errors/problem.js';

export const ScorecardErrors = defineErrors({
  scorecard_not_configured: {
    status: 400,
    message: 'This sheet has no scorecard. Configure one with PATCH first.',
  },
  scorecard_not_found: { status: 404, message: 'This sheet has no scorecard.' },
  scorecard_without_steps: {
    status: 400,
    message: 'The scorecard has no steps. Add some with PATCH first.',
  },
  scorecard_invalid: { status: 400, message: (place: string, problem: string) => `${place}: ${problem}` },
  primitive_type_unknown: {
    status: 400,
    message: (place: string, name: string) =>
      `${place}: no step can have the type "${name.slice(0, 60)}". GET /api/public/v2/column-types lists the types; those that are computed can be steps.`,
  },
  step_not_found: { status: 400, message: (id: string) => `The scorecard has no step ${id}.` },
  calculation_not_found: { status: 404, message: (id: string) => `Calculation ${id} was not found.` },
  calculation_not_completed: {
    status: 400,
    message: (id: string) => `Calculation ${id} has not completed, so there is nothing to compare.`,
  },
  calculation_is_first: {
    status: 400,
    message: (id: string) => `No calculation has completed before ${id}. Say in "with" which one to compare it with.`,
  },
  calculations_not_comparable: {
    status: 409,
    message: (problem: string) => `The two calculations cannot be compared. ${problem}`,
  },
  row_result_not_found: {
    status: 404,
    message: (row: number) => `Row ${row} has no result in this calculation.`,
  },
  legacy_score_missing: {
    status: 400,
    message: 'No score is configured for this sheet, so there is nothing to convert.',
  },
});
