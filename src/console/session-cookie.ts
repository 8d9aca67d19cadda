import type { FastifyRequest } from 'fastify';
import { ATTEMPT_SECONDS } from '../single-sign-on/index.js';
import type { StartedSession } from './console-sessions.service.js';

const NAME = 'ts_session';
const ATTEMPT_NAME = 'ts_sign_in';
/** A browser takes a cookie with this prefix from this host alone, over HTTPS, so that no other subdomain can plant one. */
const PREFIX = '__Host-';

/** The token in the cookie of a request; undefined without one. */
export function tokenIn(request: Received): string | undefined {
  return valueIn(request, NAME);
}

/** The token of a browser that has left for an identity provider; undefined without one. */
export function attemptTokenIn(request: Received): string | undefined {
  return valueIn(request, ATTEMPT_NAME);
}

type Connection = Pick<FastifyRequest, 'protocol'>;
type Received = Connection & Pick<FastifyRequest, 'headers'>;

function valueIn(request: Received, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const start = `${nameOver(request, name)}=`;
  // A browser sends the most specific cookie first.
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Over plain HTTP, as on the same machine, a browser would discard a cookie with the prefix. */
const nameOver = (connection: Connection, name: string): string => (isSecure(connection) ? PREFIX + name : name);

const isSecure = ({ protocol }: Connection): boolean => protocol === 'https';

/** A cookie that only this site sends back and no script can read. */
export function sessionCookie({ token, lifetimeSeconds }: StartedSession, request: Connection): string {
  return cookie(NAME, token, { sameSite: 'Strict', seconds: lifetimeSeconds }, request);
}

/** Deletes the cookie. */
export function noCookie(request: Connection): string {
  return cookie(NAME, '', { sameSite: 'Strict', seconds: 0 }, request);
}

/** Marks a browser that leaves for an identity provider. Lax, because the provider sends it back. */
export function attemptCookie(token: string, request: Connection): string {
  return cookie(ATTEMPT_NAME, token, { sameSite: 'Lax', seconds: ATTEMPT_SECONDS }, request);
}

function cookie(
  name: string,
  value: string,
  { sameSite, seconds }: { sameSite: 'Strict' | 'Lax'; seconds: number },
  connection: Connection,
): string {
  const pair = `${nameOver(connection, name)}=${value}`;
  const secure = isSecure(connection) ? '; Secure' : '';
  return `${pair}; HttpOnly; SameSite=${sameSite}; Path=/; Max-Age=${seconds}${secure}`;
}
