import { defineErrors } from '../../platform/errors/problem.js';

export const EvaluationErrors = defineErrors({
  evaluation_not_found: {
    status: 404,
    message: (id: number | string) => `Report ${id} was not found in this workspace.`,
  },
  evaluation_name_not_found: {
    status: 404,
    message: (name: string) => `No report named "${name}" was found in this workspace.`,
  },
  report_column_not_found: {
    status: 404,
    message: (id: number) => `Report column ${id} was not found in this workspace.`,
  },
  dataset_without_versions: {
    status: 400,
    message: 'Dataset must have at least one non-draft version. Save its draft, or import a file, first.',
  },
  dataset_version_draft: {
    status: 400,
    message: 'A draft cannot be evaluated. Save it, and name the version that it becomes.',
  },
  dataset_version_not_found: {
    status: 404,
    message: (version: number) => `The dataset group has no version ${version}.`,
  },
  report_column_type_unknown: {
    status: 400,
    message: (type: string, known: readonly string[]) =>
      `"${type}" is no type of an evaluation column. Use one of ${known.join(', ')}.`,
  },
  report_column_config_invalid: {
    status: 400,
    message: (name: string, problem: string) => `The column "${name}" cannot be computed: ${problem}`,
  },
  report_column_name_taken: {
    status: 400,
    message: (name: string) => `Report already has a column with that name: "${name}". Choose another one.`,
  },
  report_column_source_unknown: {
    status: 400,
    message: (name: string, place: string, source: string) =>
      `The column "${name}" names "${source}" as ${place}, which is no column of the report. Names are exact, letter case included.`,
  },
  report_column_source_right: {
    status: 400,
    message: (name: string, place: string, source: string) =>
      `The column "${name}" names "${source}" as ${place}, which does not stand to its left. A column reads only what stands to its left.`,
  },
  dataset_column_fixed: {
    status: 403,
    message: 'You can not overwrite dataset columns. Evaluation columns stand to the right of them.',
  },
  report_run_fixed: {
    status: 403,
    message: 'The columns of a run cannot be changed. Change those of its pipeline and run that again.',
  },
  report_not_runnable: {
    status: 403,
    message: 'This report is a run. Only a pipeline (blueprint) can be run: see parent_report_id.',
  },
  report_not_completed: {
    status: 400,
    message: 'Only a completed run can be copied into a table. Wait until its status is COMPLETED.',
  },
  report_run_unfinished: {
    status: 409,
    message: (id: number) => `Run ${id} is not completed yet. Only completed runs can be compared.`,
  },
  report_run_is_first: {
    status: 409,
    message: (id: number) =>
      `There is no completed run before run ${id} over the same version of the dataset. Name one to compare with.`,
  },
  report_rows_differ: {
    status: 409,
    message: 'These runs are over different versions of the dataset, so their rows are not the same.',
  },
  report_rename_empty: { status: 400, message: 'Give a name, tags, or both.' },
  report_score_of_blueprint: {
    status: 400,
    message: 'A pipeline (blueprint) has no score. Run it and ask for the score of the run.',
  },
  report_score_column_unknown: {
    status: 400,
    message: (name: string) => `"${name}" is no column of the report, so it cannot be part of the score.`,
  },
  report_workspace_forbidden: {
    status: 403,
    message: 'This API key belongs to another workspace. Leave workspace_id out, or send the workspace of the key.',
  },
  report_workspace_invalid: {
    status: 400,
    message: (id: number) => `Invalid workspace_id ${id}: the API key belongs to another workspace. Leave it out.`,
  },
});
