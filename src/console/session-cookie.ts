import type { FastifyRequest } from 'fastify';
import { ATTEMPT_SECONDS } from '../single-sign-on/index.js';

const NAME = 'ts_session';
const ATTEMPT_NAME = 'ts_sign_in';
/** Only the routes of the sign-in get it. */
const ATTEMPT_PATH = '/console';
/** A session ends after this time in any case. */
export const SESSION_SECONDS = 7 * 24 * 3600;

/** The token in the cookie of a request; undefined without one. */
export function tokenIn(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  return valueIn(request, NAME);
}

/** The token of a browser that has left for an identity provider; undefined without one. */
export function attemptTokenIn(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  return valueIn(request, ATTEMPT_NAME);
}

function valueIn({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  // A browser sends the most specific cookie first.
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

type Connection = Pick<FastifyRequest, 'protocol'>;

/** A cookie that only this site sends back and no script can read. */
export function sessionCookie(token: string, request: Connection): string {
  return cookie(`${NAME}=${token}`, `SameSite=Strict; Path=/; Max-Age=${SESSION_SECONDS}`, request);
}

/** Deletes the cookie. */
export function noCookie(request: Connection): string {
  return cookie(`${NAME}=`, `SameSite=Strict; Path=/; Max-Age=0`, request);
}

/** Marks a browser that leaves for an identity provider. Lax, because the provider sends it back. */
export function attemptCookie(token: string, request: Connection): string {
  return cookie(`${ATTEMPT_NAME}=${token}`, `SameSite=Lax; Path=${ATTEMPT_PATH}; Max-Age=${ATTEMPT_SECONDS}`, request);
}

function cookie(pair: string, limits: string, { protocol }: Connection): string {
  // Over plain HTTP, as on the same machine, a browser would discard a secure cookie.
  const secure = protocol === 'https' ? '; Secure' : '';
  return `${pair}; HttpOnly; ${limits}${secure}`;
}
