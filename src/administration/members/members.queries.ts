import { type EntityManager, IsNull } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { ApiKey, type Role, type User } from '../../access/index.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';

/** A member: a row of `api_keys` without a key, with its user. */
export type Member = ApiKey & { user: User };

const LIVE = { kind: 'member', revokedAt: IsNull() } as const;

/** Members of a workspace change one after the other, so that the last administrator stays. */
export function lockMembers(tx: EntityManager, workspaceId: number): Promise<void> {
  return lockUntilCommit(tx, 'members', workspaceId);
}

/** By the time they joined. */
export function listMembers(tx: EntityManager, workspaceId: number): Promise<Member[]> {
  const where = { workspaceId, ...LIVE };
  return tx.find(ApiKey, { where, relations: { user: true }, order: { id: 'ASC' } }) as Promise<Member[]>;
}

export function findMember(tx: EntityManager, workspaceId: number, userId: number): Promise<Member | null> {
  return tx.findOne(ApiKey, {
    where: { workspaceId, userId, ...LIVE },
    relations: { user: true },
  }) as Promise<Member | null>;
}

/** Throws member_not_found. */
export async function getMember(tx: EntityManager, workspaceId: number, userId: number): Promise<Member> {
  const member = await findMember(tx, workspaceId, userId);
  if (!member) throw AdministrationErrors.member_not_found(userId);
  return member;
}

/** The memberships of a user, with their workspaces, oldest first. */
export function membershipsOf(tx: EntityManager, userId: number): Promise<ApiKey[]> {
  return tx.find(ApiKey, { where: { userId, ...LIVE }, relations: { workspace: true }, order: { id: 'ASC' } });
}

/** Adds a user who is not a member. Requires `lockMembers`. */
export async function insertMember(
  tx: EntityManager,
  workspaceId: number,
  { user, roles }: { user: User; roles: Role[] },
): Promise<Member> {
  const { id: userId, email: ownerEmail, name } = user;
  await tx.insert(ApiKey, { workspaceId, userId, kind: 'member', name: name ?? ownerEmail, ownerEmail, roles });
  return getMember(tx, workspaceId, userId);
}
