import { defineErrors, Problem, ValidationProblem } from '../errors/problem.js';

export const FilterErrors = defineErrors({
  filter_invalid: { status: 400, message: (reason: string) => reason },
});

/** The input is not a filter group: answered with 422 and every fault found, in `details`. */
export class FilterSyntaxError extends ValidationProblem {}

/** The filter is well formed but means nothing for its field: answered with 400 and this message. */
export class FilterSemanticsError extends Problem {
  constructor(message: string) {
    super(FilterErrors.filter_invalid.definition.status, FilterErrors.filter_invalid.code, message);
  }
}
