import { defineErrors } from '../platform/errors/problem.js';
import type { Permission } from './roles/permissions.js';

export const AccessErrors = defineErrors({
  // One text for every cause: a caller must not learn whether a key ever existed.
  api_key_invalid: {
    status: 401,
    message: 'The API key is missing or not valid. Send a key of your workspace in the X-API-KEY header.',
  },
  api_key_expired: {
    status: 401,
    message:
      'This API key has expired. Send another key, or ask somebody who manages the keys of the workspace to give this one a later expires_at.',
  },
  api_key_outside_networks: {
    status: 401,
    message: (address: string) =>
      `This API key is not accepted from the address ${address}. Send it from one of its allowed networks, or ask somebody who manages the keys of the workspace to add this address to them.`,
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
  label_protected: {
    status: 403,
    message: (label: string) =>
      `The label ${label} is protected in this workspace: only keys with the permission PROTECTED_LABELS, such as those with the role admin or approver, may create, move or delete it, or delete what has it.`,
  },
  approval_needed: {
    status: 403,
    message: (label: string) =>
      `Changes of the label ${label} need the approval of a second person in this workspace. Ask for one with POST /api/public/v2/label-changes. To delete something that has the label, ask for the removal of the label first.`,
  },
  workspace_not_found: { status: 404, message: (id: number | string) => `Workspace ${id} was not found.` },
});
