import { defineErrors } from '../../platform/errors/problem.js';

export const VersionErrors = defineErrors({
  version_not_found: {
    status: 404,
    message: (reference: string) => `Version ${reference} was not found in this sheet.`,
  },
  version_name_missing: {
    status: 400,
    message: 'Give the version a name, or say with source_version_id which version to restore.',
  },
  version_is_current: {
    status: 400,
    message: (number: number) => `Version ${number} is the current state of the sheet: there is nothing to restore.`,
  },
  version_restore_during_import: {
    status: 400,
    message: 'An import into this sheet is running. Wait until it has ended before you restore a version.',
  },
});
