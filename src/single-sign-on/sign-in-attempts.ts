import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import { newToken, tokenHash } from '../platform/link-token.js';
import { OidcClient, type SignInChecks } from './oidc-client.js';
import type { Provider } from './provider.js';
import { SignInAttempt } from './sign-in-attempt.entity.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';

/** Time to sign in at the provider, second factors included. */
export const ATTEMPT_SECONDS = 600;
const VERIFIER_BYTES = 32;

export interface Departure {
  /** Token in the browser's cookie of an earlier attempt. */
  browserToken: string | undefined;
  redirectUri: string;
  returnTo: string;
  workspaceId?: number | null;
  /** Token of the invitation that the sign-in accepts. */
  invitationToken?: string;
  /** The user who links an identity. */
  userId?: number;
}

export interface Departed {
  /** The page of the provider. */
  url: URL;
  /** For the cookie of the browser. */
  browserToken: string;
}

/** An attempt whose browser came back. */
export interface Arrival extends SignInAttempt {
  state: string;
}

/** Sign-ins under way: each belongs to one browser and counts once. */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly db: DataSource,
    private readonly client: OidcClient,
  ) {}

  /** Throws provider_unreachable and provider_answer_invalid. */
  async begin(provider: Provider, departure: Departure): Promise<Departed> {
    const { redirectUri, returnTo, workspaceId = null, invitationToken, userId = null } = departure;
    const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
    const checks: SignInChecks = { state: newToken(), nonce: newToken(), verifier };
    const url = await this.client.authorizationUrl(provider, redirectUri, checks);
    // Several tabs of a browser can sign in at the same time with one cookie.
    const { browserToken: earlier } = departure;
    const browserToken = earlier !== undefined && tokenHash(earlier) ? earlier : newToken();
    const { manager } = this.db;
    await manager.delete(SignInAttempt, { expiresAt: LessThan(new Date()) });
    await manager.insert(SignInAttempt, {
      stateHash: tokenHash(checks.state)!,
      browserHash: tokenHash(browserToken)!,
      provider: provider.slug,
      nonce: checks.nonce,
      verifier,
      redirectUri,
      returnTo,
      workspaceId,
      invitationHash: tokenHash(invitationToken),
      userId,
      expiresAt: new Date(Date.now() + ATTEMPT_SECONDS * 1000),
    });
    return { url, browserToken };
  }

  /** Uses up the attempt of a state, if it is of this browser and this provider. Throws sign_in_expired. */
  async take(
    { slug }: Pick<Provider, 'slug'>,
    state: string | undefined,
    browserToken: string | undefined,
  ): Promise<Arrival> {
    const [stateHash, browserHash] = [tokenHash(state), tokenHash(browserToken)];
    if (!stateHash || !browserHash) throw SingleSignOnErrors.sign_in_expired();
    const { raw } = await this.db.manager
      .createQueryBuilder()
      .delete()
      .from(SignInAttempt)
      .where({ stateHash, browserHash, provider: slug })
      .returning('*')
      .execute();
    const [row] = raw as Record<string, unknown>[];
    const attempt = row && this.db.manager.create(SignInAttempt, toAttempt(row));
    if (!attempt || attempt.expiresAt.getTime() <= Date.now()) throw SingleSignOnErrors.sign_in_expired();
    return Object.assign(attempt, { state: state! });
  }
}

/** The columns that a finished sign-in needs. */
function toAttempt(row: Record<string, unknown>): Partial<SignInAttempt> {
  return {
    provider: row.provider as string,
    nonce: row.nonce as string,
    verifier: row.verifier as string,
    redirectUri: row.redirect_uri as string,
    returnTo: row.return_to as string,
    workspaceId: row.workspace_id as number | null,
    invitationHash: row.invitation_hash as Buffer | null,
    userId: row.user_id as number | null,
    expiresAt: row.expires_at as Date,
  };
}
