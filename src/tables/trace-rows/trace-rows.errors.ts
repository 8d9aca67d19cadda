import { defineErrors } from '../../platform/errors/problem.js';

export const TraceRowErrors = defineErrors({
  trace_column_computed: {
    status: 400,
    message: (title: string) =>
      `The column "${title}" of this sheet is computed, so no trace can be put into it. Give it another title: then the trace gets a column of its own.`,
  },
});
