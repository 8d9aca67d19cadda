export { AccessModule } from './access.module.js';
export { EmailField, WorkspacePath } from './access.dto.js';
export { MeResponse, toMeResponse } from './me.dto.js';
export { MeService } from './me.service.js';
export { AccessErrors } from './access.errors.js';
export { Can, OperatorOnly, OperatorToo } from './access.guard.js';
export { ApiKeysService, personBehind } from './api-keys.service.js';
export { type Permission, type Role, BUILT_IN_ROLES } from './roles/permissions.js';
export { can, demand, demandAny } from './demand.js';
export { type LabelRules, readLabelRules, writeLabelRules } from './label-rules.js';
export { StorageService } from './storage/storage.service.js';
export { Stores } from './storage/stores.js';
export { HeldKeys } from './held-keys.js';
export { FindsInPath, type PathLookup } from './path-lookups.js';
export { WorkspacesService } from './workspaces.service.js';
export { ApiKey } from './api-key.entity.js';
export { CustomRole } from './roles/custom-role.entity.js';
export { closeWorkspace } from './close-workspace.queries.js';
export { type ArchivedUser, readUsersOf, revokeUnknownUsers, withdrawInvitations } from './restored-people.queries.js';
export { audit, auditAll, auditInstallation, type Deed, INSTALLATION } from './audit.js';
export { changeGroup, keepRules, setGroups } from './groups/groups.queries.js';
export { LONGEST_GROUP_NAME } from './groups/group-rules.dto.js';
export { findHolders, type Holder } from './holders.queries.js';
export { newToken, tokenHash } from './link-token.js';
export type { Invitation } from './invitations/invitation.entity.js';
export { InvitationsService, type OpenInvitation } from './invitations/invitations.service.js';
export { findOpenInvitations, getOpenInvitation, joinByInvitation } from './invitations/invitations.queries.js';
export { emailKey } from './users/email-key.js';
export { membershipsOf } from './members/members.queries.js';
export { UserLink } from './users/user-link.entity.js';
export { auditCreation, findOrCreateUser, findUserByEmail, getUser, lockUsers } from './users/users.queries.js';
export {
  auditRefusal,
  auditSignIn,
  isRefusal,
  type RefusedSignIn,
  type SignInDeed,
  type SignInWay,
} from './users/sign-in-deeds.js';
export { PasswordField, UserNameField } from './users/users.dto.js';
export { User, type UserStatus } from './users/user.entity.js';
export { auditEverywhere, changeUser, removeUser, type UserAuthor, type UserChange } from './users/change-user.js';
export { passwordMail } from './users/password-mail.js';
export { UsersService } from './users/users.service.js';
export { eraseFromAudit } from './erase-audit.queries.js';
export { AuditFilterQuery, toAuditFilters } from './audit-entries.dto.js';
export { auditCondition, type AuditFilters } from './audit-entries.service.js';
export { keyNameOf } from './key-name.js';
export { AuditEntry } from './audit-entry.entity.js';
export { Authenticator } from './authenticator.js';
export { AcceptsBodyKey, BodyKeyField, takeBodyKey } from './body-key.js';
export { bootstrap } from './bootstrap.js';
export { type AuthenticatedRequest, type Caller, CurrentCaller, operatorIn, type RequestOrigin } from './caller.js';
export { type Plan, Workspace } from './workspace.entity.js';
export { WrongKeys } from './wrong-keys.js';
