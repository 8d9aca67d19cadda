import { isIP } from 'node:net';
import { isPublicAddress } from './addresses.js';

const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/;

/** The URL of a user, or a sentence with the reason why it cannot be called. Resolves no name. */
export function readTarget(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'It must start with http:// or https://.';
  // Lists show URLs, and logs may.
  if (url.username || url.password) return 'It must not hold a user name or password.';
  return url;
}

/**
 * Why the host of a URL is not allowed, as far as the URL shows it; null for a public address and for a name, which is checked
 * when it is resolved. URL parsing has normalized every spelling of an IPv4 address.
 */
export function hostProblem(url: URL): string | null {
  const address = literalAddress(url);
  const isLocal = address === null ? LOCAL_NAME.test(url.hostname) : !isPublicAddress(address);
  return isLocal ? 'Its host is not on the public internet.' : null;
}

/** The IP address in a URL in place of a name. */
function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) ? bare : null;
}
