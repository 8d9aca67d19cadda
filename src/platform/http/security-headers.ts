import type { FastifyInstance } from 'fastify';

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Neither browsers nor proxies keep what belongs to a workspace. Files that may be kept say so themselves. */
const NOT_KEPT = { 'cache-control': 'no-store' };

/** Answers of the API are data: a browser that is led to one runs and loads nothing. */
const FOR_DATA = {
  ...COMMON,
  ...NOT_KEPT,
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

/** The console shows text that strangers wrote: no script and no style of a page counts, and no script can make markup of text. */
const FOR_CONSOLE = {
  ...COMMON,
  ...NOT_KEPT,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/** Where there are pages; everything else is data. */
interface Pages {
  docs: string;
  console: string;
}

/** Every answer says what a browser may do with it, and whether it may be kept. */
export function sendSecurityHeaders(fastify: FastifyInstance, pages: Pages): void {
  fastify.addHook('onRequest', async ({ url }, reply) => {
    const path = url.split('?')[0]!;
    const isBelow = (page: string) => path === page || path.startsWith(`${page}/`);
    void reply.headers(isBelow(pages.console) ? FOR_CONSOLE : isBelow(pages.docs) ? FOR_PAGES : FOR_DATA);
  });
}
