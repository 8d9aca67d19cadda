import { defineErrors } from '../../platform/errors/problem.js';

export const WorkspaceExportErrors = defineErrors({
  workspace_exports_busy: {
    status: 503,
    headers: { 'retry-after': '60' },
    message: (most: number) =>
      `This process exports ${most} workspaces already. Repeat the request when one has ended, or use \`npm run admin -- workspaces export\`.`,
  },
});
