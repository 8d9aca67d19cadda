import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Raw } from 'typeorm';
import { AccessErrors, audit, type Caller, keyCheck, keyNameOf, type RequestOrigin } from '../access/index.js';
import { ifStorable } from '../platform/database/if-storable.js';
import type { Problem } from '../platform/errors/problem.js';
import { ConsoleSession } from './console-session.entity.js';
import { SESSION_SECONDS } from './session-cookie.js';

/** A session ends after this time without use. */
const IDLE = `interval '12 hours'`;
/** Precision of the last use, which saves a write per request. */
const LAST_USED_PRECISION = `interval '1 minute'`;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

const TOUCH = `
  WITH used AS (
    UPDATE console_sessions SET last_used_at = now()
     WHERE workspace_id = $1 AND token_hash = $2 AND last_used_at < now() - ${LAST_USED_PRECISION} RETURNING workspace_id, key_id)
  UPDATE api_keys k SET last_used_at = now() FROM used
   WHERE k.workspace_id = used.workspace_id AND k.id = used.key_id
     AND (k.last_used_at IS NULL OR k.last_used_at < now() - ${LAST_USED_PRECISION})`;

/** Exchanges keys for cookies, and finds the caller of a cookie. */
@Injectable()
export class ConsoleSessions {
  constructor(private readonly db: DataSource) {}

  /** Starts a session with the caller's key, replacing the browser's previous session, and returns its token. */
  async start(caller: Caller, previous: string | undefined): Promise<{ token: string; expiresAt: Date }> {
    const { workspaceId, keyId } = caller;
    // Only keys have sessions; the operator's token is not for browsers.
    if (keyId === null) throw AccessErrors.api_key_invalid();
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(Date.now() + SESSION_SECONDS * 1000);
    await this.db.transaction(async (tx) => {
      if (previous !== undefined) await tx.delete(ConsoleSession, { tokenHash: hashOf(previous) });
      // Expired sessions are deleted here, at the next sign-in.
      await tx.query(
        `DELETE FROM console_sessions WHERE workspace_id = $1 AND (expires_at <= now() OR last_used_at <= now() - ${IDLE})`,
        [workspaceId],
      );
      await tx.insert(ConsoleSession, { workspaceId, tokenHash: hashOf(token), keyId, expiresAt });
      await audit(tx, caller, { action: 'console_session.start', entityId: keyId });
    });
    return { token, expiresAt };
  }

  /**
   * The caller of the session's key; null when the session has ended or the key is revoked; a Problem when the key has expired or
   * is not accepted from this address.
   */
  async authenticate(token: string | undefined, { id, ip }: RequestOrigin): Promise<Caller | Problem | null> {
    const session = await this.find(token);
    if (!session) return null;
    const { workspaceId, tokenHash } = session;
    const key = session.key!;
    const refusal = keyCheck(key)(ip);
    if (refusal) return refusal;
    await ifStorable(this.db.query(TOUCH, [workspaceId, tokenHash]));
    return { workspaceId, keyId: key.id, keyName: keyNameOf(key), roles: key.roles, requestId: id, address: ip };
  }

  /** Null when the session has ended. */
  async find(token: string | undefined): Promise<ConsoleSession | null> {
    if (token === undefined || !TOKEN.test(token)) return null;
    return this.db.manager.findOne(ConsoleSession, {
      where: {
        tokenHash: hashOf(token),
        expiresAt: Raw((column) => `${column} > now()`),
        lastUsedAt: Raw((column) => `${column} > now() - ${IDLE}`),
        key: { revokedAt: IsNull() },
      },
      relations: { key: true },
    });
  }

  async end(caller: Caller, token: string | undefined): Promise<void> {
    if (token === undefined) return;
    await this.db.transaction(async (tx) => {
      const { workspaceId, keyId } = caller;
      const { affected } = await tx.delete(ConsoleSession, { workspaceId, tokenHash: hashOf(token) });
      if (affected) await audit(tx, caller, { action: 'console_session.end', entityId: keyId! });
    });
  }
}

/** SHA-256. A slow hash would add nothing: a token is random, not a password. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
