import { defineErrors } from '../../platform/errors/problem.js';

export const SettingsErrors = defineErrors({
  approval_label_unprotected: {
    status: 400,
    message: (label: string) =>
      `Only protected labels can need an approval, and ${label} is not one. Add it to protected_labels as well.`,
  },
  import_limit_too_large: {
    status: 400,
    message: (limit: number) =>
      `This server imports files of up to ${limit} bytes, so a workspace cannot allow more. Raise IMPORT_MAX_BYTES of the server first.`,
  },
});
