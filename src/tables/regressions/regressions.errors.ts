import { defineErrors } from '../../platform/errors/problem.js';

export const RegressionErrors = defineErrors({
  regression_not_found: { status: 404, message: (id: string) => `Search ${id} was not found in this sheet.` },
  regression_versions_reversed: {
    status: 400,
    message: (good: number, bad: number) =>
      `The good version has to be older than the bad one: version ${good} is not older than version ${bad}.`,
  },
  regression_without_score: {
    status: 400,
    message:
      'Nothing says what the score of a row is: the sheet has no scorecard, no configured score and no column of verdicts. Say in column_ids which columns hold it.',
  },
  regression_score_custom: {
    status: 400,
    message:
      'The score of this sheet is made by code, which scores the sheet as a whole, so that rows cannot be compared. Say in column_ids which columns hold the score of a row.',
  },
  regression_version_unscored: {
    status: 400,
    message: (version: number) => `Version ${version} of the sheet has none of the columns that hold the score.`,
  },
  regression_prompt_unused: {
    status: 400,
    message: (name: string) => `No column of this sheet uses the prompt "${name}" from the registry.`,
  },
  regression_running: {
    status: 400,
    message: (id: string) => `The search ${id} of this sheet has not ended yet. Wait for its end, or cancel it.`,
  },
});
