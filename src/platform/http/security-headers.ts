import type { FastifyInstance } from 'fastify';

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Answers of the API are data: a browser that is led to one runs and loads nothing. */
const FOR_DATA = {
  ...COMMON,
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Swagger UI runs its own scripts, writes styles into its elements, draws with data URLs and calls this server. */
const FOR_PAGES = {
  ...COMMON,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** Every answer says what a browser may do with it. Pages are below `pages`; everything else is data. */
export function sendSecurityHeaders(fastify: FastifyInstance, pages: string): void {
  fastify.addHook('onRequest', async ({ url }, reply) => {
    const path = url.split('?')[0]!;
    void reply.headers(path === pages || path.startsWith(`${pages}/`) ? FOR_PAGES : FOR_DATA);
  });
}
