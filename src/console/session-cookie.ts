import type { FastifyRequest } from 'fastify';

const NAME = 'ts_session';
/** A session ends after this time in any case. */
export const SESSION_SECONDS = 7 * 24 * 3600;

/** The token in the cookie of a request; undefined without one. */
export function tokenIn({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  // A browser sends the most specific cookie first.
  return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
}

/** A cookie that only this site sends back and no script can read. */
export function sessionCookie(token: string, request: Pick<FastifyRequest, 'protocol'>): string {
  return cookie(token, SESSION_SECONDS, request);
}

/** Deletes the cookie. */
export function noCookie(request: Pick<FastifyRequest, 'protocol'>): string {
  return cookie('', 0, request);
}

function cookie(value: string, seconds: number, { protocol }: Pick<FastifyRequest, 'protocol'>): string {
  // Over plain HTTP, as on the same machine, a browser would discard a secure cookie.
  const secure = protocol === 'https' ? '; Secure' : '';
  return `${NAME}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
}
