export { AdministrationModule } from './administration.module.js';
export { AdministrationErrors } from './shared/administration.errors.js';
export { AuditFilterQuery, toAuditFilters } from './audit-entries/audit-entries.dto.js';
export { auditCondition, type AuditFilters } from './audit-entries/audit-entries.service.js';
export { eraseFromAudit } from './audit-entries/erase-audit.queries.js';
export { LONGEST_GROUP_NAME } from './groups/group-rules.dto.js';
export { changeGroup, keepRules, setGroups } from './groups/groups.queries.js';
export type { Invitation } from './invitations/invitation.entity.js';
export { findOpenInvitations, getOpenInvitation, joinByInvitation } from './invitations/invitations.queries.js';
export { InvitationsService, type OpenInvitation } from './invitations/invitations.service.js';
export { ApiKeysService } from './keys/api-keys.service.js';
export { MeResponse, toMeResponse } from './me/me.dto.js';
export { MeService } from './me/me.service.js';
export { membershipsOf } from './members/members.queries.js';
export { auditEverywhere, changeUser, removeUser, type UserAuthor, type UserChange } from './users/change-user.js';
export { emailKey } from './users/email-key.js';
export { endPassword } from './users/end-password.js';
export { passwordMail } from './users/password-mail.js';
export { auditRefusal, auditSignIn, isRefusal, type SignInWay } from './users/sign-in-deeds.js';
export { UserLink } from './users/user-link.entity.js';
export { PasswordField, UserNameField } from './users/users.dto.js';
export { auditCreation, findOrCreateUser, findUserByEmail, getUser } from './users/users.queries.js';
export { UsersService } from './users/users.service.js';
export { closeWorkspace } from './workspaces/close-workspace.queries.js';
export {
  type ArchivedUser,
  readUsersOf,
  revokeUnknownUsers,
  withdrawInvitations,
} from './workspaces/restored-people.queries.js';
