import { defineErrors } from '../../platform/errors/problem.js';

export const SettingsErrors = defineErrors({
  import_limit_too_large: {
    status: 400,
    message: (limit: number) =>
      `This server imports files of up to ${limit} bytes, so a workspace cannot allow more. Raise IMPORT_MAX_BYTES of the server first.`,
  },
});
