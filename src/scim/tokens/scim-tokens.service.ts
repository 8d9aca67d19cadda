import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { auditInstallation } from '../../access/index.js';
import { newToken, tokenHash } from '../../platform/link-token.js';
import { ifStorable } from '../../platform/database/if-storable.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { ScimToken } from './scim-token.entity.js';

/** Prefix that distinguishes tokens from API keys, for people and for secret scanners. */
const PREFIX = 'scim_';
const BEARER = new RegExp(`^Bearer +${PREFIX}(\\S+)$`, 'i');

/** `last_used_at` shows unused tokens; a minute is precise enough. */
const LAST_USED_PRECISION = `interval '1 minute'`;

/** Tokens of identity providers. */
@Injectable()
export class ScimTokens {
  constructor(private readonly db: DataSource) {}

  /** Oldest first. */
  list(): Promise<ScimToken[]> {
    return this.db.manager.find(ScimToken, { order: { id: 'ASC' } });
  }

  /** Creates a token. Its text is returned only once. */
  create(requestId: string, name: string): Promise<{ token: ScimToken; secret: string }> {
    const random = newToken();
    const row = { name, tokenHash: tokenHash(random)!, lastFour: random.slice(-4) };
    return this.db.transaction(async (tx) => {
      const { identifiers } = await tx.insert(ScimToken, row);
      const token = await tx.findOneByOrFail(ScimToken, { id: identifiers[0]!.id as number });
      await auditInstallation(tx, requestId, [{ action: 'scim_token.create', entityId: token.id, details: { name } }]);
      return { token, secret: `${PREFIX}${random}` };
    });
  }

  /** Throws scim_token_not_found. */
  async revoke(requestId: string, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const token = await tx.findOne(ScimToken, { where: { id }, lock });
      if (!token) throw ScimErrors.scim_token_not_found(id);
      await tx.delete(ScimToken, { id });
      const deed = { action: 'scim_token.revoke', entityId: id, details: { name: token.name } };
      await auditInstallation(tx, requestId, [deed]);
    });
  }

  /** The id of the token in a header Authorization; null for a missing, unknown or revoked one. Nothing is cached. */
  async authenticate(authorization: string | undefined): Promise<number | null> {
    const hash = tokenHash(BEARER.exec(authorization ?? '')?.[1]);
    if (!hash) return null;
    const token = await this.db.manager.findOneBy(ScimToken, { tokenHash: hash });
    if (!token) return null;
    const noteUse = this.db.query(
      `UPDATE scim_tokens SET last_used_at = now()
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - ${LAST_USED_PRECISION})`,
      [token.id],
    );
    await ifStorable(noteUse);
    return token.id;
  }
}
