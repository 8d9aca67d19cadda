import { defineErrors } from '../platform/errors/problem.js';

export const MonitorErrors = defineErrors({
  monitor_not_found: { status: 404, message: (id: string) => `Monitor ${id} was not found in this workspace.` },
  monitor_too_many: {
    status: 409,
    message: (most: number) =>
      `A workspace can have ${most} monitors. Delete one that is not needed, group one by model or prompt, or have MONITORS_MAX raised.`,
  },
  monitor_invalid: { status: 400, message: (problem: string) => problem },
});
