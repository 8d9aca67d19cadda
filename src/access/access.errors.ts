import { defineErrors } from '../platform/errors/problem.js';
import type { Permission } from './permissions.js';

export const AccessErrors = defineErrors({
  // One text for every cause: a caller must not learn whether a key ever existed.
  api_key_invalid: {
    status: 401,
    message: 'The API key is missing or not valid. Send a key of your workspace in the X-API-KEY header.',
  },
  operator_required: {
    status: 401,
    message: 'This needs the admin token of the installation: send Authorization: Bearer <ADMIN_TOKEN>.',
  },
  wrong_keys_limited: {
    status: 429,
    message: (limit: number) =>
      `One address may send ${limit} wrong API keys a minute (WRONG_KEYS_PER_MINUTE). Check the key before you try again; a right one is accepted at once.`,
  },
  permission_missing: {
    status: 403,
    message: (permission: Permission) => `This API key lacks the permission ${permission}.`,
  },
  workspace_not_found: { status: 404, message: (id: number | string) => `Workspace ${id} was not found.` },
  api_key_not_found: { status: 404, message: (id: number) => `API key ${id} was not found in this workspace.` },
});
