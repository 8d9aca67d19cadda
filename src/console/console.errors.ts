import { defineErrors } from '../platform/errors/problem.js';

export const ConsoleErrors = defineErrors({
  session_not_found: { status: 404, message: (id: string) => `You have no session ${id}, or it has ended.` },
});
