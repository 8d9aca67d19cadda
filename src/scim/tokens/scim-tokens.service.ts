import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newToken, tokenHash } from '../../access/index.js';
import { ifStorable } from '../../platform/database/if-storable.js';
import { ScimErrors } from '../scim.errors.js';
import { ScimToken } from './scim-token.entity.js';

/** Tells a token from an API key, for people and for scanners of secrets. */
const PREFIX = 'scim_';
const BEARER = new RegExp(`^Bearer +${PREFIX}(\\S+)$`, 'i');

/** `last_used_at` shows unused tokens; a minute is precise enough. */
const LAST_USED_PRECISION = `interval '1 minute'`;

/** Tokens of identity providers. */
@Injectable()
export class ScimTokens {
  private readonly log = new Logger('SCIM');

  constructor(private readonly db: DataSource) {}

  /** Oldest first. */
  list(): Promise<ScimToken[]> {
    return this.db.manager.find(ScimToken, { order: { id: 'ASC' } });
  }

  /** The text of a token is only known now. */
  async create(name: string): Promise<{ token: ScimToken; secret: string }> {
    const random = newToken();
    const row = { name, tokenHash: tokenHash(random)!, lastFour: random.slice(-4) };
    const { identifiers } = await this.db.manager.insert(ScimToken, row);
    const token = await this.db.manager.findOneByOrFail(ScimToken, { id: identifiers[0]!.id as number });
    this.log.log(`The operator has created the SCIM token ${token.id}.`);
    return { token, secret: `${PREFIX}${random}` };
  }

  /** Throws scim_token_not_found. */
  async revoke(id: number): Promise<void> {
    const { affected } = await this.db.manager.delete(ScimToken, { id });
    if (affected === 0) throw ScimErrors.scim_token_not_found(id);
    this.log.log(`The operator has revoked the SCIM token ${id}.`);
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
