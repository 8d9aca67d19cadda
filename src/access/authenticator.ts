import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { ifStorable } from '../platform/database/if-storable.js';
import type { Problem } from '../platform/errors/problem.js';
import type { Caller, RequestOrigin } from './caller.js';
import { findHolderByHash, type Holder } from './holders.queries.js';
import { hashKey, isWellFormed } from './key-material.js';

/** A revoked or restricted key may work this much longer in another process. */
const CACHE_MS = 2000;
const CACHE_SIZE = 1000;
/** `last_used_at` shows unused keys; a minute is precise enough and saves a write per request. */
const LAST_USED_PRECISION = `interval '1 minute'`;

/** Finds the caller by the credentials of a request. */
@Injectable()
export class Authenticator {
  private readonly cache = new Map<string, { known: Promise<Holder | null>; until: number }>();

  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * null for a key that is missing, malformed, unknown or revoked; a Problem for an expired key or one from a network that is not
   * allowed.
   */
  async authenticate(key: string | undefined, { id, ip }: RequestOrigin): Promise<Caller | Problem | null> {
    if (key === undefined || !isWellFormed(key)) return null;
    const known = await this.find(hashKey(key), ip);
    return known && (known.check(ip) ?? { ...known.caller, requestId: id, address: ip });
  }

  /** True for `Bearer <ADMIN_TOKEN>`. Compares in constant time. */
  isOperator(authorization: string | undefined): boolean {
    const { adminToken } = this.config;
    if (!adminToken || !authorization) return false;
    return timingSafeEqual(hashKey(authorization), hashKey(`Bearer ${adminToken}`));
  }

  /** Makes a change to a key visible in this process at once. */
  forget(): void {
    this.cache.clear();
  }

  /** Concurrent requests with one key share one read of the database. */
  private find(hash: Buffer, address: string): Promise<Holder | null> {
    const cacheKey = hash.toString('base64');
    const cached = this.cache.get(cacheKey);
    if (cached && cached.until > Date.now()) return cached.known;
    const known = this.read(hash, address);
    if (this.cache.size >= CACHE_SIZE) this.cache.clear();
    this.cache.set(cacheKey, { known, until: Date.now() + CACHE_MS });
    // A failed read is not cached.
    known.catch(() => this.cache.delete(cacheKey));
    return known;
  }

  private async read(hash: Buffer, address: string): Promise<Holder | null> {
    const holder = await findHolderByHash(this.db.manager, hash);
    if (!holder || holder.check(address)) return holder;
    const { workspaceId, keyId } = holder.caller;
    const noteUse = this.db.query(
      `UPDATE api_keys SET last_used_at = now()
        WHERE workspace_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < now() - ${LAST_USED_PRECISION})`,
      [workspaceId, keyId],
    );
    await ifStorable(noteUse);
    return holder;
  }
}
