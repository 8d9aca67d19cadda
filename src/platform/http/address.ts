import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';

/** Length of the network part of an IPv6 address: a client with one address has the whole network. */
const NETWORK_GROUPS = 4;

/** The account of an address: an IPv4 address, or the network of an IPv6 address. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(Math.max(0, zeros)).fill('0'), ...last];
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

/** The usual form of an address: IPv4 over IPv6 becomes IPv4, without an interface. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped && isIPv4(mapped) ? mapped : address.split('%')[0]!;
}

/**
 * Finds the client address of connections that never become requests of Fastify, by the same rules as Fastify.
 * @throws Error whose message completes "TRUSTED_PROXIES …"
 */
export function addressReader(trustedProxies: string): (request: IncomingMessage) => string {
  const trusts =
    trustedProxies === '' ? () => false : trustsAnyOf(trustedProxies.split(',').map((each) => each.trim()));
  return (request) => proxyAddress(request, trusts);
}

function trustsAnyOf(proxies: string[]): ReturnType<typeof proxyAddress.compile> {
  try {
    return proxyAddress.compile(proxies);
  } catch (error) {
    throw new Error(`must be addresses or networks, separated by commas: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
