import type { FastifyInstance } from 'fastify';

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Browsers and proxies must not cache data of a workspace. Cacheable files set their own header. */
const NOT_KEPT = { 'cache-control': 'no-store' };

/** Answers of the API are data: a browser that opens one runs and loads nothing. */
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

/** The console shows text of strangers: inline scripts and styles are disabled, and scripts cannot turn text into markup. */
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

/** Paths of pages; all others are data. */
interface Pages {
  docs: string;
  console: string;
}

/** Sets the security and caching headers of every answer. */
export function sendSecurityHeaders(fastify: FastifyInstance, pages: Pages): void {
  fastify.addHook('onRequest', async ({ url }, reply) => {
    const path = url.split('?')[0]!;
    const isBelow = (page: string) => path === page || path.startsWith(`${page}/`);
    void reply.headers(isBelow(pages.console) ? FOR_CONSOLE : isBelow(pages.docs) ? FOR_PAGES : FOR_DATA);
  });
}
