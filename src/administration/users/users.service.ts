import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource, type EntityManager } from 'typeorm';
import { limitedUntil } from '../../platform/http/rate-limit.js';
import { AdministrationErrors } from '../shared/administration.errors.js';
import { ApiKey, User } from '../../access/index.js';
import { newToken, tokenHash } from '../../platform/link-token.js';
import { membershipsOf } from '../members/members.queries.js';
import { auditEverywhere, changeUser, deedOf, removeUser, type UserAuthor, type UserChange } from './change-user.js';
import { emailKey } from './email-key.js';
import { endSessions } from './end-password.js';
import { hashPassword, isPassword } from './passwords.js';
import { type LinkPurpose, UserLink } from './user-link.entity.js';
import { auditRefusal, type RefusedSignIn } from './sign-in-deeds.js';
import { listUsers, type UserFilters, type UserPage } from './list-users.queries.js';
import { findUserByEmail, getUser, lockUsers } from './users.queries.js';

/** How long links count, in minutes. */
const LINK_MINUTES: Record<LinkPurpose, number> = { password: 24 * 60, sign_in: 15 };
const MINUTE_MS = 60_000;
/** Actions in the audit log. */
const LINK_DEEDS: Record<LinkPurpose, string> = {
  password: 'user.create_password_link',
  sign_in: 'user.create_sign_in_link',
};

/** Wrong passwords for one address, from any client, in one process. */
const GUESSES = { points: 10, duration: 15 * 60 };

/** A link token, shown once. */
export interface IssuedLink {
  token: string;
  expiresAt: Date;
}

/** The people of the installation, for the operator and for themselves. */
@Injectable()
export class UsersService {
  private readonly guesses = new RateLimiterMemory(GUESSES);

  constructor(private readonly db: DataSource) {}

  /** Up to `limit + 1` users: the extra one shows that there are more. */
  list(filters: UserFilters, page: UserPage): Promise<User[]> {
    return listUsers(this.db.manager, filters, page);
  }

  /** Null for an unknown address and a disabled user. */
  async findActive(email: string): Promise<User | null> {
    const user = await findUserByEmail(this.db.manager, email);
    return user?.status === 'active' ? user : null;
  }

  /** Throws user_not_found. */
  async update(requestId: string, id: number, change: UserChange): Promise<User> {
    return this.db.transaction(async (tx) => {
      const old = await getUser(tx, id, { lock: true });
      return changeUser(tx, { requestId }, old, change);
    });
  }

  /** Removes a user with all memberships, personal keys and sessions. Records of actions keep the name. Throws user_not_found. */
  async delete(requestId: string, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      await removeUser(tx, { requestId }, await getUser(tx, id, { lock: true }));
    });
  }

  /** A link with which the user sets a password; earlier ones end. Throws user_not_found. */
  createPasswordLink(author: UserAuthor, id: number): Promise<IssuedLink> {
    return this.createLink(author, id, 'password');
  }

  /** A link with which the user signs in once, whatever LOCAL_SIGN_IN is; earlier links end. Throws user_not_found. */
  createSignInLink(requestId: string, id: number): Promise<IssuedLink> {
    return this.createLink({ requestId }, id, 'sign_in');
  }

  /** Sets the password by a link, once, and ends all sessions. Throws link_invalid. */
  async setPasswordByLink(requestId: string, token: string, password: string): Promise<User> {
    const stored = await hashPassword(password);
    return this.db.transaction(async (tx) => {
      const user = await takeLink(tx, token, 'password');
      await tx.update(User, { id: user.id }, { password: stored });
      await endSessions(tx, user.id);
      await auditEverywhere(tx, { requestId, by: 'user' }, user, [deedOf('user.set_password', user)]);
      return user;
    });
  }

  /** The active user of a sign-in link, which counts once. Throws link_invalid. */
  async authenticateByLink(requestId: string, token: string): Promise<User> {
    return this.db.transaction(async (tx) => {
      const user = await takeLink(tx, token, 'sign_in');
      if (user.status !== 'active') throw AdministrationErrors.link_invalid();
      await auditEverywhere(tx, { requestId, by: 'user' }, user, [deedOf('user.use_sign_in_link', user)]);
      return user;
    });
  }

  /**
   * The active user with an address and a password. Throws sign_in_failed for every other pair, after the same time, and
   * sign_ins_limited after too many of them.
   */
  async authenticate(email: string, password: string): Promise<User> {
    const key = emailKey(email);
    // Counted before the password is checked, so that guesses at the same time count, too.
    await this.guesses.consume(key).catch(refuseLimited);
    const user = await findUserByEmail(this.db.manager, email);
    const isRight = await isPassword(password, user?.password ?? null);
    if (!isRight || user?.status !== 'active') throw AdministrationErrors.sign_in_failed();
    await this.guesses.reward(key);
    return user;
  }

  /** The membership of a user in a workspace; without a workspace the first one. */
  async findMembership(userId: number, workspaceId: number | null): Promise<ApiKey | undefined> {
    const members = await membershipsOf(this.db.manager, userId);
    return workspaceId === null ? members[0] : members.find((each) => each.workspaceId === workspaceId);
  }

  async noteSignIn(id: number): Promise<void> {
    await this.db.manager.update(User, { id }, { lastSeenAt: new Date() });
  }

  /** Records a refused sign-in. An unknown address takes the same statements as a known one, and is not stored: it may be a password. */
  async noteRefusal(requestId: string, email: string | null, refusal: RefusedSignIn): Promise<void> {
    const user = email === null ? null : await findUserByEmail(this.db.manager, email);
    await auditRefusal(this.db.manager, requestId, user, refusal);
  }

  private createLink({ requestId, ...author }: UserAuthor, id: number, purpose: LinkPurpose): Promise<IssuedLink> {
    return this.db.transaction(async (tx) => {
      const user = await getUser(tx, id, { lock: true });
      const token = newToken();
      const expiresAt = new Date(Date.now() + LINK_MINUTES[purpose] * MINUTE_MS);
      await tx.delete(UserLink, { userId: id });
      await tx.insert(UserLink, { tokenHash: tokenHash(token)!, userId: id, purpose, expiresAt });
      await auditEverywhere(tx, { requestId, ...author }, user, [deedOf(LINK_DEEDS[purpose], user)]);
      return { token, expiresAt };
    });
  }
}

/** Uses up a link and locks its user, who is locked first, as when a link is created. Throws link_invalid. */
async function takeLink(tx: EntityManager, token: string, purpose: LinkPurpose): Promise<User> {
  const hash = tokenHash(token);
  const link = hash && (await tx.findOneBy(UserLink, { tokenHash: hash, purpose }));
  if (!link || link.expiresAt.getTime() <= Date.now()) throw AdministrationErrors.link_invalid();
  const [id] = await lockUsers(tx, [link.userId]);
  const { affected } = await tx.delete(UserLink, { tokenHash: link.tokenHash });
  // It was used, or another one was created, before the user was locked.
  if (id === undefined || affected !== 1) throw AdministrationErrors.link_invalid();
  return getUser(tx, id);
}

function refuseLimited(refusal: unknown): never {
  throw refusal instanceof RateLimiterRes ? limitedUntil(AdministrationErrors.sign_ins_limited(), refusal) : refusal;
}
