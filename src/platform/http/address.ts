import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';

/** Hosts of one network share the first four groups of an IPv6 address; whoever has one address has them all. */
const NETWORK_GROUPS = 4;

/** To whom an address counts: an IPv4 address, or the network of an IPv6 address. */
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

/** An address as people write it: one of IPv4 that came over IPv6 is one of IPv4, and no interface is named. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped && isIPv4(mapped) ? mapped : address.split('%')[0]!;
}

/** Tells where connections come from that never become requests of Fastify, which finds it out in the same way. */
export function addressReader(trustedProxies: string): (request: IncomingMessage) => string {
  const proxies = trustedProxies.split(',').map((each) => each.trim());
  const trusts = trustedProxies === '' ? () => false : proxyAddress.compile(proxies);
  return (request) => proxyAddress(request, trusts);
}

export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
