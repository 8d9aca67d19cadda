import type { EntityManager } from 'typeorm';
import { User } from '../../access/index.js';
import { auditEverywhere, deedOf } from './change-user.js';
import { UserLink } from './user-link.entity.js';

/** Ends the password of a locked user, with all links and sessions: somebody else may have set it. Nothing changes without one. */
export async function endPassword(tx: EntityManager, requestId: string, user: User): Promise<void> {
  if (user.password === null) return;
  await tx.update(User, { id: user.id }, { password: null });
  await tx.delete(UserLink, { userId: user.id });
  await endSessions(tx, user.id);
  await auditEverywhere(tx, { requestId, by: 'user' }, user, [deedOf('user.end_password', user)]);
}

export async function endSessions(tx: EntityManager, userId: number): Promise<void> {
  await tx.query('DELETE FROM console_sessions s USING api_keys k WHERE k.id = s.key_id AND k.user_id = $1', [userId]);
}
