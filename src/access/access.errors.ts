import { defineErrors } from '../platform/errors/problem.js';
import type { RoleUse } from './roles/custom-roles.queries.js';
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
  api_key_would_lock_out: {
    status: 400,
    message: (address: string) =>
      `These networks do not hold ${address}, the address that you call from: your own key would be refused from now on. Add the address, or change the key with another one.`,
  },
  api_key_ended: {
    status: 409,
    message: (id: number) => `API key ${id} is revoked or has expired, so it cannot be rotated. Create a new key.`,
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
  workspace_full: {
    status: 403,
    message: (limit: 'stored_bytes' | 'rows', used: number, most: number) =>
      `This workspace is full: ${limit} ${used} of ${most}. Nothing was stored. Delete what is not needed, or ask the operator for a higher limit; deleted bytes are counted within minutes.`,
  },
  // One text for every cause: nobody must learn who has an account.
  sign_in_failed: {
    status: 401,
    message: 'The e-mail address or the password is not right, or the account is disabled.',
  },
  sign_ins_limited: {
    status: 429,
    message: 'There were too many attempts to sign in with this e-mail address. Wait a few minutes and try again.',
  },
  local_sign_in_off: {
    status: 403,
    message:
      'This installation has no sign-in with a password (LOCAL_SIGN_IN). Sign in with your identity provider, or with an API key.',
  },
  password_reset_off: {
    status: 403,
    message:
      'This installation sends no links for new passwords: it has no SMTP_URL, or no sign-in with a password. Ask the operator for a link.',
  },
  link_invalid: {
    status: 404,
    message: 'This link was used, was withdrawn or has expired. Ask whoever sent it for a new one.',
  },
  no_workspace: {
    status: 403,
    message: 'You are not a member of this workspace. Ask one of its administrators for an invitation.',
  },
  user_required: {
    status: 403,
    message:
      'Only people who have signed in to the console have this. Service keys are created with POST /api/admin/v1/workspaces/{workspace_id}/api-keys.',
  },
  personal_key_of_another: {
    status: 403,
    message: 'Only its user can rotate a personal key. You can revoke it instead.',
  },
  last_admin: {
    status: 409,
    message:
      'This is the last administrator of the workspace. Give the role admin to another member first; the operator may change the last one, too.',
  },
  member_exists: { status: 409, message: (email: string) => `${email} is a member of this workspace already.` },
  member_from_groups: {
    status: 409,
    message:
      'This membership comes from the groups of the user, by a rule of the operator. Change the groups at the identity provider, or the rule.',
  },
  group_rule_exists: {
    status: 409,
    message: (group: string, workspaceId: number) =>
      `There is a rule for the group ${group} and workspace ${workspaceId} already. Change its roles.`,
  },
  group_rule_not_found: { status: 404, message: (id: number) => `Group rule ${id} was not found.` },
  role_exists: { status: 409, message: (name: string) => `There is a role ${name} already. Choose another name.` },
  role_in_use: {
    status: 409,
    message: (name: string, use: RoleUse) =>
      `The role ${name} is in use: ${use.keys} keys, ${use.members} members, ${use.invitations} open invitations, ${use.group_rules} group rules. Give them another role first.`,
  },
  role_not_found: {
    status: 404,
    message: (name: string) => `The role ${name} is not one that this workspace has defined.`,
  },
  user_not_found: { status: 404, message: (id: number) => `User ${id} was not found.` },
  member_not_found: { status: 404, message: (id: number) => `User ${id} is not a member of this workspace.` },
  invitation_not_found: {
    status: 404,
    message: (id: number) => `Invitation ${id} was not found in this workspace, or was accepted.`,
  },
  workspace_not_found: { status: 404, message: (id: number | string) => `Workspace ${id} was not found.` },
  api_key_not_found: { status: 404, message: (id: number) => `API key ${id} was not found in this workspace.` },
});
