import { defineErrors } from '../platform/errors/problem.js';

export const ErasureErrors = defineErrors({
  erasure_not_found: { status: 404, message: (id: string) => `Erasure ${id} was not found in this workspace.` },
});
