import { defineErrors } from '../../platform/errors/problem.js';

export const WorkspaceDeletionErrors = defineErrors({
  workspace_name_differs: {
    status: 409,
    message: (id: number) =>
      `Workspace ${id} has another name. To delete it, send its name exactly as the list of workspaces shows it.`,
  },
  workspace_deletion_running: {
    status: 409,
    message: (id: number) =>
      `Workspace ${id} is being deleted or counted. Read the list of deletions until that has ended.`,
  },
});
