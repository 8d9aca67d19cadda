import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** The token of a link or a cookie: random, so that a plain hash of it is enough to find it by. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** SHA-256 of a token; null without one, and for a text that cannot be one. */
export function tokenHash(token: string | undefined): Buffer | null {
  return token !== undefined && TOKEN.test(token) ? createHash('sha256').update(token).digest() : null;
}
