import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { auditAll, type User } from '../../access/index.js';
import { findMember, insertMember, lockMembers, type Member } from '../members/members.queries.js';
import { emailKey } from '../users/email-key.js';
import { Invitation } from './invitation.entity.js';

const OPEN = { acceptedAt: IsNull(), withdrawnAt: IsNull() };

/** An invitation that still counts, by the hash of its token. Throws link_invalid. */
export async function getOpenInvitation(tx: EntityManager, hash: Buffer | null): Promise<Invitation> {
  const where = { tokenHash: hash!, ...OPEN };
  const invitation = hash && (await tx.findOne(Invitation, { where, relations: { workspace: true } }));
  if (!invitation || invitation.expiresAt.getTime() <= Date.now()) throw AdministrationErrors.link_invalid();
  return invitation;
}

/** The invitations of an address that still count, in the order of their workspaces. */
export function findOpenInvitations(tx: EntityManager, email: string): Promise<Invitation[]> {
  const where = { emailKey: emailKey(email), expiresAt: MoreThan(new Date()), ...OPEN };
  return tx.find(Invitation, { where, order: { workspaceId: 'ASC', id: 'ASC' } });
}

/** Makes a user a member by an invitation. A member of the workspace keeps the roles. Throws link_invalid when it was used meanwhile. */
export async function joinByInvitation(
  tx: EntityManager,
  requestId: string,
  { id, workspaceId, roles }: Invitation,
  user: User,
): Promise<Member> {
  await lockMembers(tx, workspaceId);
  const { affected } = await tx.update(Invitation, { workspaceId, id, ...OPEN }, { acceptedAt: new Date() });
  if (affected !== 1) throw AdministrationErrors.link_invalid();
  const old = await findMember(tx, workspaceId, user.id);
  const member = old ?? (await insertMember(tx, workspaceId, { user, roles }));
  const caller = { workspaceId, keyId: member.id, requestId };
  const details = { name: member.name, roles, invitation_id: id };
  await auditAll(tx, caller, [{ action: 'member.join', entityId: user.id, details }]);
  return member;
}
