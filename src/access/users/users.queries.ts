import type { EntityManager } from 'typeorm';
import { AccessErrors } from '../access.errors.js';
import { emailKey } from './email-key.js';
import { User } from './user.entity.js';

export function findUserByEmail(tx: EntityManager, email: string): Promise<User | null> {
  return tx.findOneBy(User, { emailKey: emailKey(email) });
}

/** Throws user_not_found. */
export async function getUser(tx: EntityManager, id: number, { lock = false } = {}): Promise<User> {
  const user = await tx.findOne(User, { where: { id }, ...(lock && { lock: { mode: 'pessimistic_write' } }) });
  if (!user) throw AccessErrors.user_not_found(id);
  return user;
}

/** The user with an address, made when there is none. Two at once make one. */
export async function findOrCreateUser(
  tx: EntityManager,
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
  return { user, created: identifiers[0] !== undefined };
}
