import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { defineErrors } from '../platform/errors/problem.js';
import { FilterErrors } from '../platform/filters/errors.js';

export const ChartErrors = defineErrors({
  chart_invalid: { status: 400, message: (id: string, reason: string) => `The chart "${id}" is not valid: ${reason}.` },
  chart_too_large: {
    status: 400,
    message: (id: string, limit: number) =>
      `With the chart "${id}" the answer would hold more than ${limit} values. Narrow the time range, lower the limit, take wider buckets or bins, or ask for fewer charts at once.`,
  },
});

/** Errors of a route that reads charts. */
export const CHART_ERRORS = [
  ChartErrors.chart_invalid,
  ChartErrors.chart_too_large,
  FilterErrors.filter_invalid,
  PlatformErrors.reading_timeout,
  PlatformErrors.reading_busy,
];
