import { defineErrors } from '../platform/errors/problem.js';

export const StorageErrors = defineErrors({
  workspace_full: {
    status: 403,
    message: (limit: 'stored_bytes' | 'rows', used: number, most: number) =>
      `This workspace is full: ${limit} ${used} of ${most}. Nothing was stored. Delete what is not needed, or ask the operator for a higher limit; deleted bytes are counted within minutes.`,
  },
});
