import { defineErrors } from '../../platform/errors/problem.js';

export const RequestErrors = defineErrors({
  request_not_found: { status: 404, message: (id: number) => `Request log ${id} was not found in this workspace.` },
});
