import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere, In, IsNull, Not, Raw } from 'typeorm';
import { AccessErrors, auditAll, type Caller, findHolders } from '../access/index.js';
import { auditSignIn, type SignInWay } from '../administration/index.js';
import { newToken, tokenHash } from '../platform/link-token.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { ifStorable } from '../platform/database/if-storable.js';
import type { Problem } from '../platform/errors/problem.js';
import { groupBy } from '../platform/group-by.js';
import { Secrets } from '../platform/secrets/secrets.js';
import type { EndedAtProvider } from '../single-sign-on/index.js';
import { ConsoleSession, idTokenPlace } from './console-session.entity.js';

/** Precision of the last use, which saves a write per request. */
const LAST_USED_PRECISION = `interval '1 minute'`;
/** The token is a part of a URL, which servers limit to some eight kilobytes. */
const LONGEST_ID_TOKEN = 6000;
/** Characters of a User-Agent header that are stored. */
const LONGEST_USER_AGENT = 512;

const TOUCH = `
  WITH used AS (
    UPDATE console_sessions SET last_used_at = now()
     WHERE workspace_id = $1 AND token_hash = $2 AND last_used_at < now() - ${LAST_USED_PRECISION} RETURNING workspace_id, key_id)
  UPDATE api_keys k SET last_used_at = now() FROM used
   WHERE k.workspace_id = used.workspace_id AND k.id = used.key_id
     AND (k.last_used_at IS NULL OR k.last_used_at < now() - ${LAST_USED_PRECISION})`;

/** The key or member behind a session. */
export interface SessionOwner {
  workspaceId: number;
  keyId: number;
  requestId: string;
  /** Where the person signed in; absent for keys, passwords and links. */
  origin?: SessionOrigin;
  /** The end of the browser's previous session, which the new one continues; absent after a sign-in. */
  until?: Date;
  /** The person who has signed in; absent for keys, and when a person changes the workspace. */
  signIn?: SignInWay & { userId: number; name: string | null };
}

/** The identity provider that a session began with, its session there, and the ID token that it sent. */
export interface SessionOrigin extends Pick<ConsoleSession, 'providerId' | 'providerSid'> {
  idToken: string | null;
}

/** The browser in which a session starts. */
export interface Browser {
  address: string;
  userAgent: string | undefined;
  /** Token of the browser's previous session. */
  token: string | undefined;
}

export interface StartedSession {
  token: string;
  expiresAt: Date;
  lifetimeSeconds: number;
}

/** Exchanges keys and members for cookies, and finds the caller of a cookie. */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Starts a session of a key or a member, replacing the browser's previous session, and returns its token. A session that continues
   * another one ends with it at the latest. Throws api_key_invalid when that one has been ended meanwhile.
   */
  async start(whose: SessionOwner, browser: Browser): Promise<StartedSession> {
    const { workspaceId, keyId, origin, until, signIn, requestId } = whose;
    const token = newToken();
    const { expiresAt, lifetimeSeconds } = this.lifetime(until);
    const { address, userAgent = '', token: previous } = browser;
    await this.db.transaction(async (tx) => {
      const isReplaced = await removeSession(tx, previous);
      if (until && !isReplaced) throw AccessErrors.api_key_invalid();
      // Expired sessions are deleted here, at the next sign-in.
      await tx.query(
        `DELETE FROM console_sessions WHERE workspace_id = $1 AND (expires_at <= now() OR last_used_at <= now() - $2 * interval '1 minute')`,
        [workspaceId, this.config.sessionIdleMinutes],
      );
      const hash = tokenHash(token)!;
      const from = { address, userAgent: userAgent.slice(0, LONGEST_USER_AGENT) || null };
      await tx.insert(ConsoleSession, {
        id: randomUUID(),
        workspaceId,
        tokenHash: hash,
        keyId,
        expiresAt,
        ...from,
        providerId: origin?.providerId ?? null,
        providerSid: origin?.providerSid ?? null,
        idToken: this.encrypt(origin?.idToken ?? null, idTokenPlace(workspaceId, hash)),
      });
      await auditAll(tx, whose, [{ action: 'console_session.start', entityId: keyId }]);
      if (signIn) await auditSignIn(tx, requestId, { ...signIn, workspaceId, address });
    });
    return { token, expiresAt, lifetimeSeconds };
  }

  /**
   * The caller of the session's key; null when the session has ended or the key is revoked; a Problem when the key has expired or
   * is not accepted from this address.
   */
  async authenticate(
    token: string | undefined,
    { id, ip }: { id: string; ip: string },
  ): Promise<Caller | Problem | null> {
    const session = await this.find(token);
    const holder = session && (await findHolders(this.db.manager, [session.keyId])).get(session.keyId);
    if (!holder) return null;
    const refusal = holder.check(ip);
    if (refusal) return refusal;
    await ifStorable(this.db.query(TOUCH, [session.workspaceId, session.tokenHash]));
    return { ...holder.caller, requestId: id, address: ip };
  }

  /** Null when the session has ended. */
  async find(token: string | undefined): Promise<ConsoleSession | null> {
    const hash = tokenHash(token);
    return hash && this.db.manager.findOneBy(ConsoleSession, { tokenHash: hash, ...this.live() });
  }

  /** Where a session began, and when it ends; null when it has ended. */
  async originOf(token: string | undefined): Promise<(SessionOrigin & { expiresAt: Date }) | null> {
    const session = await this.find(token);
    if (!session) return null;
    const { workspaceId, tokenHash: hash, providerId, providerSid, expiresAt } = session;
    const where = { workspaceId, tokenHash: hash };
    const stored = await this.db.manager.findOne(ConsoleSession, { where, select: { tokenHash: true, idToken: true } });
    const idToken = this.decrypt(stored?.idToken ?? null, idTokenPlace(workspaceId, hash));
    return { providerId, providerSid, idToken, expiresAt };
  }

  async end(caller: Caller, token: string | undefined): Promise<void> {
    const hash = tokenHash(token);
    if (hash) await this.endWhere(caller, { tokenHash: hash });
  }

  /** Live sessions of the caller, the latest used first: a user's in all workspaces, or a key's own. */
  list(caller: Caller): Promise<ConsoleSession[]> {
    return this.db.manager.find(ConsoleSession, {
      where: { ...ownedBy(caller), ...this.live(), id: Not(IsNull()) },
      order: { lastUsedAt: 'DESC', id: 'ASC' },
    });
  }

  /** Ends a session of the caller; true when there was one. */
  async endOne(caller: Caller, id: string): Promise<boolean> {
    return (await this.endWhere(caller, { id })) > 0;
  }

  /** Ends all sessions of the caller but one; returns their number. */
  endOthers(caller: Caller, kept: string | undefined): Promise<number> {
    const hash = tokenHash(kept);
    return this.endWhere(caller, hash ? { tokenHash: Not(hash) } : {});
  }

  /** Ends the sessions that an identity provider signs out; returns their number. */
  endAtProvider(requestId: string, { providerId, sid, userId }: EndedAtProvider): Promise<number> {
    return this.endAll(
      { keyId: null, requestId },
      {
        providerId,
        ...(sid !== null && { providerSid: sid }),
        ...(userId !== null && { key: { userId } }),
      },
    );
  }

  private endWhere(caller: Caller, which: FindOptionsWhere<ConsoleSession>): Promise<number> {
    return this.endAll(caller, { ...which, ...ownedBy(caller) });
  }

  private endAll(by: Pick<Caller, 'keyId' | 'requestId'>, where: FindOptionsWhere<ConsoleSession>): Promise<number> {
    return this.db.transaction(async (tx) => {
      const ended = await tx.find(ConsoleSession, { where });
      await tx.delete(ConsoleSession, { tokenHash: In(ended.map((each) => each.tokenHash)) });
      // The sessions of a user may be of several workspaces, each with its own audit log.
      for (const [workspaceId, sessions] of groupBy(ended, (each) => each.workspaceId)) {
        const deeds = sessions.map(({ keyId }) => ({ action: 'console_session.end', entityId: keyId }));
        await auditAll(tx, { ...by, workspaceId }, deeds);
      }
      return ended.length;
    });
  }

  private lifetime(until?: Date): Omit<StartedSession, 'token'> {
    const now = Date.now();
    const end = Math.min(now + this.config.sessionMinutes * 60_000, until?.getTime() ?? Infinity);
    return { expiresAt: new Date(end), lifetimeSeconds: Math.ceil((end - now) / 1000) };
  }

  /** A session counts while neither of its limits has passed. */
  private live(): FindOptionsWhere<ConsoleSession> {
    const { sessionIdleMinutes: idle } = this.config;
    return {
      expiresAt: Raw((column) => `${column} > now()`),
      lastUsedAt: Raw((column) => `${column} > now() - :idle * interval '1 minute'`, { idle }),
    };
  }

  /** Without SECRETS_KEY nothing is stored, and a token that is too long for a URL is of no use. */
  private encrypt(idToken: string | null, place: string): Buffer | null {
    if (idToken === null || idToken.length > LONGEST_ID_TOKEN || !this.config.secretsKey) return null;
    return this.secrets.encrypt(idToken, place);
  }

  /** Null for a token of a key that was lost: the session ends all the same. */
  private decrypt(idToken: Buffer | null, place: string): string | null {
    try {
      return idToken && this.secrets.decrypt(idToken, place);
    } catch {
      return null;
    }
  }
}

/** Deletes a session; true when there was one. */
async function removeSession(tx: EntityManager, token: string | undefined): Promise<boolean> {
  const hash = tokenHash(token);
  return hash !== null && (await tx.delete(ConsoleSession, { tokenHash: hash })).affected === 1;
}

/** All sessions of a user, or those of a key. */
function ownedBy({ workspaceId, keyId, user }: Caller): FindOptionsWhere<ConsoleSession> {
  return user ? { key: { userId: user.id } } : { workspaceId, keyId: keyId ?? 0 };
}
