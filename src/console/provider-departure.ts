import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../platform/config/config.js';
import type { Departed, Departure } from '../single-sign-on/index.js';
import { originOf, pageAt } from './own-address.js';
import { attemptCookie, attemptTokenIn } from './session-cookie.js';

/** A sign-in that leaves this browser for a provider and comes back to the first page. */
export function departureFrom(request: FastifyRequest, slug: string, config: Config): Departure {
  return {
    browserToken: attemptTokenIn(request),
    redirectUri: `${originOf(request, config)}/console/sign-in/${encodeURIComponent(slug)}/callback`,
    returnTo: pageAt(undefined),
  };
}

/** Marks the browser, which alone can come back. */
export function keepAttempt({ browserToken }: Departed, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('set-cookie', attemptCookie(browserToken, request));
}
