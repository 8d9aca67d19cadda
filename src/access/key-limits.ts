import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { type Problem, ValidationProblem } from '../platform/errors/problem.js';
import { plainAddress } from '../platform/http/address.js';
import { AccessErrors } from './access.errors.js';
import type { ApiKey } from './api-key.entity.js';

/** Expiry and allowed networks of a key. */
export type KeyLimits = Pick<ApiKey, 'expiresAt' | 'allowedNetworks'>;

/** Why a key is refused at this moment from an address; null when it is accepted. */
export type KeyCheck = (address: string | undefined) => Problem | null;

const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const LONGEST_PREFIX = { ipv4: 32, ipv6: 128 } as const;

interface Network {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/** The check of a key. It compares the current time on each call, so it can be cached as long as the limits do not change. */
export function keyCheck({ expiresAt, allowedNetworks }: KeyLimits): KeyCheck {
  const networks = allowedNetworks.length === 0 ? null : blockListOf(allowedNetworks);
  return (address) => {
    if (expiresAt && expiresAt.getTime() <= Date.now()) return AccessErrors.api_key_expired();
    if (networks && !isIn(networks, address)) return AccessErrors.api_key_outside_networks(address ?? 'unknown');
    return null;
  };
}

/** True when the list is empty or one of its networks contains the address. */
export function areHolding(allowedNetworks: string[], address: string): boolean {
  return allowedNetworks.length === 0 || isIn(blockListOf(allowedNetworks), address);
}

/** The networks, each once. Throws a 422 that names the first that is neither an address nor one with a prefix length. */
export function readNetworks(given: string[]): string[] {
  const wrong = given.findIndex((text) => toNetwork(text) === null);
  if (wrong >= 0) {
    const msg = 'Input should be a network such as 192.0.2.0/24 or 2001:db8::/32';
    throw new ValidationProblem([{ loc: ['body', 'allowed_networks', wrong], msg, type: 'value_error' }]);
  }
  return [...new Set(given.map((text) => text.trim()))];
}

function toNetwork(text: string): Network | null {
  const [address = '', length, ...more] = text.trim().split('/');
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : null;
  if (!family || more.length > 0) return null;
  if (length === undefined) return { address, prefix: LONGEST_PREFIX[family], family };
  if (!PREFIX.test(length) || Number(length) > LONGEST_PREFIX[family]) return null;
  return { address, prefix: Number(length), family };
}

function blockListOf(networks: string[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of networks.map((text) => toNetwork(text)!)) {
    list.addSubnet(address, prefix, family);
  }
  return list;
}

function isIn(networks: BlockList, address = ''): boolean {
  const plain = plainAddress(address);
  if (isIPv4(plain)) return networks.check(plain, 'ipv4');
  return isIPv6(plain) && networks.check(plain, 'ipv6');
}
