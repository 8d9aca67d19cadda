import { defineErrors } from '../../platform/errors/problem.js';

export const DatasetErrors = defineErrors({
  dataset_group_not_found: {
    status: 404,
    message: (id: number) => `Dataset group ${id} was not found in this workspace.`,
  },
  dataset_not_found: { status: 404, message: (id: number) => `Dataset ${id} was not found in this workspace.` },
  dataset_source_not_found: {
    status: 404,
    message: (id: number, group: number) =>
      `Dataset ${id} is no saved version of dataset group ${group}. GET /api/public/v2/datasets?dataset_group_id=${group} lists those that there are.`,
  },
  dataset_draft_not_found: {
    status: 404,
    message: (group: number) =>
      `Dataset group ${group} has no draft. Create one with POST /api/public/v2/dataset-versions/create-draft.`,
  },
  dataset_log_not_found: { status: 404, message: (id: number) => `Request log ${id} was not found in this workspace.` },
  dataset_group_name_taken: {
    status: 400,
    message: (name: string) => `A dataset group named "${name}" exists already. Choose another name.`,
  },
  dataset_draft_exists: {
    status: 409,
    message: (group: number) => `Dataset group ${group} has a draft already. Save it before you create another one.`,
  },
  dataset_is_draft: {
    status: 400,
    message: (id: number) => `Dataset ${id} is a draft, whose rows may still change. Save it first.`,
  },
  dataset_not_refreshable: {
    status: 403,
    message: (id: number) =>
      `Dataset ${id} was not made by a search of request logs, so there is nothing to search for again.`,
  },
  dataset_refresh_empty: { status: 401, message: 'No requests found for the given criteria' },
});
