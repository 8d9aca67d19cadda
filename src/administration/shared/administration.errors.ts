import { defineErrors } from '../../platform/errors/problem.js';

export const AdministrationErrors = defineErrors({
  api_key_would_lock_out: {
    status: 400,
    message: (address: string) =>
      `These networks do not hold ${address}, the address that you call from: your own key would be refused from now on. Add the address, or change the key with another one.`,
  },
  api_key_ended: {
    status: 409,
    message: (id: number) => `API key ${id} is revoked or has expired, so it cannot be rotated. Create a new key.`,
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
    message: (name: string, uses: string) => `The role ${name} is in use: ${uses}. Give them another role first.`,
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
  api_key_not_found: { status: 404, message: (id: number) => `API key ${id} was not found in this workspace.` },
});
