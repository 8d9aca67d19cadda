import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Caller } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Secrets } from '../platform/secrets/secrets.js';

/** The grant of a token: to follow one channel of one workspace until it expires. */
export interface LiveGrant {
  workspaceId: number;
  keyId: number;
  channel: string;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

export interface IssuedToken {
  token: string;
  clientId: string;
  issuedAt: number;
  expiresAt: number;
}

interface Claims {
  workspace_id: number;
  key_id: number;
  channel: string;
}

const ALGORITHM = 'HS256';
const PURPOSE = 'tokens of the live channel';

/** Tokens for the live channel. They are signed and not stored. */
@Injectable()
export class LiveTokens {
  constructor(
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws secrets_key_missing. */
  async issue({ workspaceId, keyId }: Caller, channel: string): Promise<IssuedToken> {
    const clientId = randomUUID();
    // The times of such tokens are whole seconds.
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = issuedAt + this.config.liveTokenSeconds;
    const claims: Claims = { workspace_id: workspaceId, key_id: keyId!, channel };
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setJti(clientId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(this.secrets.keyFor(PURPOSE));
    return { token, clientId, issuedAt: issuedAt * 1000, expiresAt: expiresAt * 1000 };
  }

  /** `expired` for an expired token of this server, `invalid` for any other text. */
  async verify(token: unknown): Promise<LiveGrant | 'expired' | 'invalid'> {
    if (typeof token !== 'string') return 'invalid';
    try {
      const payload = await this.read(token);
      const { workspace_id: workspaceId, key_id: keyId, channel } = payload;
      return { workspaceId, keyId, channel, expiresAt: payload.exp! * 1000 };
    } catch (error) {
      return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
    }
  }

  /** Tokens that were signed before a rotation of SECRETS_KEY are valid until they expire. */
  private async read(token: string): Promise<JWTPayload & Claims> {
    const keys = this.secrets.keysFor(PURPOSE);
    const options = { algorithms: [ALGORITHM], requiredClaims: ['exp'] };
    for (const key of keys.slice(0, -1)) {
      try {
        return (await jwtVerify<Claims>(token, key, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    return (await jwtVerify<Claims>(token, keys.at(-1)!, options)).payload;
  }
}
