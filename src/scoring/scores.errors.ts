import { defineErrors } from '../platform/errors/problem.js';

export const ScoreErrors = defineErrors({
  score_type_missing: { status: 400, message: 'score_config needs a score_type that it is for.' },
  score_config_missing: {
    status: 400,
    message: 'Say what to score: give column_ids, column_names, code or score_config.',
  },
  score_code_missing: { status: 400, message: 'A custom score needs code.' },
  score_values_ambiguous: {
    status: 400,
    message: (text: string) => `"${text}" is both in true_values and in false_values. Take it out of one of them.`,
  },
  score_not_configured: {
    status: 400,
    message: 'No score is configured for this sheet. Configure one with PATCH first.',
  },
  score_columns_deleted: {
    status: 400,
    message: 'None of the columns that the score was configured for exists any more. Configure it again.',
  },
});
