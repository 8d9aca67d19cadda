import type { FastifyRequest } from 'fastify';
import type { Config } from '../platform/config/config.js';

const CONSOLE = '/console/';
/** Paths of routes below it that are no pages. */
const ROUTES = /^\/console\/sign-in(?:\/|$)/;

/** The address of this server as browsers reach it, without a path. */
export function originOf(
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): string {
  // The standard form: without a port that goes without saying.
  return new URL(publicUrl || `${protocol}://${host}`).origin;
}

/** The page of the console that a text names. Anything else leads to the first page, and never to another site. */
export function pageAt(text: string | undefined): string {
  const base = 'http://console.invalid';
  if (text === undefined || !text.startsWith(CONSOLE) || !URL.canParse(text, base)) return CONSOLE;
  const { origin, pathname, search, hash } = new URL(text, base);
  const isPage = origin === base && pathname.startsWith(CONSOLE) && !ROUTES.test(pathname);
  return isPage ? `${pathname}${search}${hash}` : CONSOLE;
}
