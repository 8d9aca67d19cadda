import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { ApiKey, auditAll, type Deed, INSTALLATION, User } from '../../access/index.js';
import { emailKey } from './email-key.js';

/** Changes of a user; absent fields stay unchanged. */
export interface UserChange {
  email?: string;
  name?: string | null;
  status?: User['status'];
  externalId?: string | null;
  scim?: object | null;
}

/** The author of a change of a user, for the audit trail. */
export interface UserAuthor {
  requestId: string;
  /** `scim` for an identity provider, `user` for the person; absent for the operator. */
  by?: 'scim' | 'user';
}

/** Changes a user whose row is locked. Returns the user as it is afterwards. Violates `users_email_key` for an address that is taken. */
export async function changeUser(tx: EntityManager, author: UserAuthor, old: User, change: UserChange): Promise<User> {
  const { email } = change;
  const columns = { ...change, ...(email !== undefined && { emailKey: emailKey(email) }), updatedAt: new Date() };
  const user = { ...old, ...columns };
  await tx.update(User, { id: old.id }, columns as object);
  if (user.name !== old.name || user.email !== old.email) await nameMembers(tx, user);
  if (user.email !== old.email) await tx.update(ApiKey, { userId: user.id }, { ownerEmail: user.email });
  await auditEverywhere(tx, author, user, deedsOf(old, change));
  return user;
}

/** Removes a user whose row is locked, with all memberships, personal keys and sessions. Records of actions keep the name. */
export async function removeUser(tx: EntityManager, author: UserAuthor, user: User): Promise<void> {
  const { id } = user;
  await auditEverywhere(tx, author, user, [{ action: 'user.delete', entityId: id, details: nameOf(user) }]);
  await tx.query('UPDATE api_keys SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL', [id]);
  await tx.delete(User, { id });
}

/** In the audit trail of the installation, to which users belong, and of every workspace that the user is a member of. */
export async function auditEverywhere(
  tx: EntityManager,
  { requestId, by }: UserAuthor,
  user: User,
  deeds: Deed[],
): Promise<void> {
  if (deeds.length === 0) return;
  const signed = by === undefined ? deeds : deeds.map((deed) => ({ ...deed, details: { ...deed.details, by } }));
  const members = await tx.find(ApiKey, { where: { userId: user.id, kind: 'member' }, select: { workspaceId: true } });
  for (const workspaceId of new Set([INSTALLATION, ...members.map((each) => each.workspaceId)])) {
    await auditAll(tx, { workspaceId, keyId: null, requestId }, signed);
  }
}

/** Members show the name of their user, or the address of a user without a name. */
/** An action on the account of a user. */
export const deedOf = (action: string, { id, name, email }: User): Deed => ({
  action,
  entityId: id,
  details: { name: name ?? email },
});

async function nameMembers(tx: EntityManager, user: User): Promise<void> {
  await tx.update(ApiKey, { userId: user.id, kind: 'member' }, { name: user.name ?? user.email });
}

const nameOf = ({ email, name }: User) => ({ name: name ?? email, email });

function deedsOf(old: User, { email, name, status, externalId, scim }: UserChange): Deed[] {
  const { id: entityId } = old;
  const attributes = changedAttributes(old, { externalId, scim });
  const deeds: [changed: boolean, action: string, details: object][] = [
    [name !== undefined && name !== old.name, 'user.rename', { name, old_name: old.name }],
    [email !== undefined && email !== old.email, 'user.set_email', { email, old_email: old.email }],
    [status !== undefined && status !== old.status, 'user.set_status', { status }],
    // Names only: the values are about the person.
    [attributes.length > 0, 'user.update', { attributes }],
  ];
  return deeds.filter(([changed]) => changed).map(([, action, details]) => ({ action, entityId, details }));
}

function changedAttributes(old: User, { externalId, scim }: Pick<UserChange, 'externalId' | 'scim'>): string[] {
  const [before, after] = [old.scim ?? {}, scim ?? {}] as Record<string, unknown>[];
  const names = scim === undefined ? [] : Object.keys({ ...before, ...after });
  const isOther = (name: string) => !isDeepStrictEqual(before![name], after![name]);
  const isRelinked = externalId !== undefined && externalId !== old.externalId;
  return [...(isRelinked ? ['externalId'] : []), ...names.filter(isOther)];
}
