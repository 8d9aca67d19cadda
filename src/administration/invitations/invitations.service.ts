import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { audit, type Caller, demandRoles, FindsInPath, type PathLookup, type Role, User } from '../../access/index.js';
import { newToken, tokenHash } from '../../platform/link-token.js';
import { findMember, lockMembers, type Member } from '../members/members.queries.js';
import { emailKey } from '../users/email-key.js';
import { hashPassword } from '../users/passwords.js';
import { UsersService } from '../users/users.service.js';
import { findOrCreateUser, findUserByEmail, getUser } from '../users/users.queries.js';
import { Invitation } from './invitation.entity.js';
import { getOpenInvitation, joinByInvitation } from './invitations.queries.js';

export interface NewInvitation {
  email: string;
  roles: Role[];
  lifetimeSeconds: number;
}

export interface IssuedInvitation {
  invitation: Invitation;
  /** Shown once. */
  token: string;
}

/** The invitation as the page behind its link shows it. */
export interface OpenInvitation {
  invitation: Invitation;
  /** True if the address has no account: accepting sets a password. False if accepting requires the password of the account. */
  isNewUser: boolean;
}

export interface Acceptance {
  token: string;
  name: string | null;
  password: string;
}

/** Invitations of people to workspaces, by a link that counts once. */
@FindsInPath({ name: 'invitation_id', ids: { invitation_id: 'integer' } })
export class InvitationsService implements PathLookup<{ invitation_id: number }> {
  constructor(
    private readonly db: DataSource,
    private readonly users: UsersService,
  ) {}

  /** Open invitations, newest first. */
  list({ workspaceId }: Caller): Promise<Invitation[]> {
    const where = { workspaceId, acceptedAt: IsNull(), withdrawnAt: IsNull() };
    return this.db.manager.find(Invitation, { where, order: { id: 'DESC' } });
  }

  findInPath(caller: Caller, { invitation_id }: { invitation_id: number }): Promise<Invitation> {
    return getInvitation(this.db.manager, caller, invitation_id);
  }

  /**
   * An earlier invitation of the address ends. Throws permission_missing for roles that may do more than the caller, and
   * member_exists.
   */
  create(caller: Caller, { email, roles, lifetimeSeconds }: NewInvitation): Promise<IssuedInvitation> {
    const { workspaceId, keyId: createdBy } = caller;
    return this.db.transaction(async (tx) => {
      await demandRoles(tx, caller, roles);
      await lockMembers(tx, workspaceId);
      const user = await findUserByEmail(tx, email);
      if (user && (await findMember(tx, workspaceId, user.id))) throw AdministrationErrors.member_exists(email);
      const open = { workspaceId, emailKey: emailKey(email), acceptedAt: IsNull(), withdrawnAt: IsNull() };
      await tx.update(Invitation, open, { withdrawnAt: new Date() });
      const token = newToken();
      const expiresAt = new Date(Date.now() + lifetimeSeconds * 1000);
      const row = { workspaceId, email: email.trim(), emailKey: open.emailKey, roles, createdBy, expiresAt };
      const { identifiers } = await tx.insert(Invitation, { ...row, tokenHash: tokenHash(token)! });
      const where = { workspaceId, id: identifiers[0]!.id as number };
      const invitation = await tx.findOneOrFail(Invitation, { where, relations: { workspace: true } });
      const details = { name: email, roles, expires_at: expiresAt };
      await audit(tx, caller, { action: 'invitation.create', entityId: invitation.id, details });
      return { invitation, token };
    });
  }

  /** Twice changes nothing. Throws invitation_not_found. */
  async withdraw(caller: Caller, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      const invitation = await getInvitation(tx, caller, id, { lock: true });
      if (invitation.withdrawnAt) return;
      await tx.update(Invitation, { workspaceId: caller.workspaceId, id }, { withdrawnAt: new Date() });
      await audit(tx, caller, { action: 'invitation.withdraw', entityId: id, details: { name: invitation.email } });
    });
  }

  /** Throws link_invalid. */
  async open(token: string): Promise<OpenInvitation> {
    const { manager } = this.db;
    const invitation = await getOpenInvitation(manager, tokenHash(token));
    return { invitation, isNewUser: (await findUserByEmail(manager, invitation.email)) === null };
  }

  /**
   * Makes the holder of the link a member. A new user gets the password; an existing one has to know theirs. Throws link_invalid,
   * sign_in_failed and sign_ins_limited.
   */
  async accept(requestId: string, { token, name, password }: Acceptance): Promise<Member> {
    const { invitation, isNewUser } = await this.open(token);
    // Both take long, so neither is done in the transaction.
    const hashed = isNewUser ? await hashPassword(password) : null;
    if (!isNewUser) await this.users.authenticate(invitation.email, password);
    return this.db.transaction(async (tx) => {
      const { user: found, created } = await findOrCreateUser(tx, requestId, { email: invitation.email, name });
      const user = await getUser(tx, found.id, { lock: true });
      await lockMembers(tx, invitation.workspaceId);
      const open = await getOpenInvitation(tx, tokenHash(token));
      // The account was created or deleted meanwhile.
      if (created !== isNewUser || user.status !== 'active') throw AdministrationErrors.sign_in_failed();
      if (hashed) await tx.update(User, { id: user.id }, { password: hashed });
      return joinByInvitation(tx, requestId, open, user);
    });
  }
}

async function getInvitation(
  tx: EntityManager,
  { workspaceId }: Caller,
  id: number,
  { lock = false } = {},
): Promise<Invitation> {
  const where = { workspaceId, id, acceptedAt: IsNull() };
  const invitation = await tx.findOne(Invitation, { where, ...(lock && { lock: { mode: 'pessimistic_write' } }) });
  if (!invitation) throw AdministrationErrors.invitation_not_found(id);
  return invitation;
}
