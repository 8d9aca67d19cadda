import type { EntityManager } from 'typeorm';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { auditInstallation, User } from '../../access/index.js';
import type { UserAuthor } from './change-user.js';
import { emailKey } from './email-key.js';

export function findUserByEmail(tx: EntityManager, email: string): Promise<User | null> {
  return tx.findOneBy(User, { emailKey: emailKey(email) });
}

/** Throws user_not_found. */
export async function getUser(tx: EntityManager, id: number, { lock = false } = {}): Promise<User> {
  const user = await tx.findOne(User, { where: { id }, ...(lock && { lock: { mode: 'for_no_key_update' } }) });
  if (!user) throw AdministrationErrors.user_not_found(id);
  return user;
}

/** The user with an address, who creates an account when there is none. Two at once make one. */
export async function findOrCreateUser(
  tx: EntityManager,
  requestId: string,
  { email, name }: Pick<User, 'email' | 'name'>,
): Promise<{ user: User; created: boolean }> {
  const key = emailKey(email);
  const { identifiers } = await tx
    .createQueryBuilder()
    .insert()
    .into(User)
    .values({ email: email.trim(), emailKey: key, name })
    .orIgnore()
    .execute();
  const user = await tx.findOneByOrFail(User, { emailKey: key });
  const created = identifiers[0] !== undefined;
  if (created) await auditCreation(tx, { requestId, by: 'user' }, user);
  return { user, created };
}

/** A new user is a member of no workspace yet, so only the installation has an entry. */
export function auditCreation(
  tx: EntityManager,
  { requestId, by }: UserAuthor,
  { id, email, name }: Pick<User, 'id' | 'email' | 'name'>,
): Promise<void> {
  const details = { name: name ?? email, email, ...(by && { by }) };
  return auditInstallation(tx, requestId, [{ action: 'user.create', entityId: id, details }]);
}

/**
 * Locks users until the commit, in the order of their ids; returns those who exist. The order of locks about people is: rules
 * (`keepRules`, `lockRules`), identity provider, users, members of workspaces (`lockMembers`) by their ids, and then rows of these.
 */
export async function lockUsers(tx: EntityManager, ids: number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }[]>(
    'SELECT id FROM users WHERE id = ANY ($1::int[]) ORDER BY id FOR NO KEY UPDATE',
    [ids],
  );
  return rows.map(({ id }) => id);
}
