import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import { Identities } from './identities.service.js';
import { IdentityProviders } from './identity-providers.service.js';
import { LogoutToken } from './logout-token.entity.js';
import { OidcClient } from './oidc-client.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

/** A token is too old before this time has passed. */
const KEPT_MS = 15 * 60_000;

/** The sessions that a provider ends. */
export interface EndedAtProvider {
  providerId: number;
  /** The session at the provider; null for all of a person. */
  sid: string | null;
  /** The person; null when only the session is named. */
  userId: number | null;
}

/** Logout that a provider asks for by a request of its own (back-channel logout). */
@Injectable()
export class Logouts {
  constructor(
    private readonly db: DataSource,
    private readonly providers: IdentityProviders,
    private readonly identities: Identities,
    private readonly client: OidcClient,
  ) {}

  /** Null when the person has no account here. Throws identity_provider_not_found, logout_token_invalid and provider_unreachable. */
  async read(slug: string, token: string): Promise<EndedAtProvider | null> {
    const provider = await this.providers.get(slug);
    const { jti, subject, sid } = await this.client.verifyLogoutToken(provider, token);
    const providerId = await this.providers.idOf(this.db.manager, provider);
    await this.useOnce(providerId, jti);
    const userId = subject === null ? null : await this.identities.findUserId(providerId, provider, subject);
    if (subject !== null && userId === null) return null;
    return { providerId, sid, userId };
  }

  private async useOnce(providerId: number, jti: string): Promise<void> {
    const jtiHash = createHash('sha256').update(jti).digest();
    const { manager } = this.db;
    await manager.delete(LogoutToken, { expiresAt: LessThan(new Date()) });
    const { raw }: { raw: unknown[] } = await manager
      .createQueryBuilder()
      .insert()
      .into(LogoutToken)
      .values({ providerId, jtiHash, expiresAt: new Date(Date.now() + KEPT_MS) })
      .orIgnore()
      .returning(['providerId'])
      .execute();
    if (raw.length === 0) throw SingleSignOnErrors.logout_token_invalid();
  }
}
