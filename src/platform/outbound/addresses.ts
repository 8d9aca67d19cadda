import { BlockList, isIP } from 'node:net';

/** Ranges of IPv4 that are no public unicast addresses, from the special-purpose registry of IANA. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only range of IPv6 with public unicast addresses. Loopback, private, link-local and mapped ones are outside. */
const PUBLIC_IPV6 = ['2000::/3'];

/** Exceptions in it: protocol assignments with Teredo, documentation, and 6to4, which hides an IPv4 address. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialIpv4 = rangesOf(SPECIAL_IPV4, 'ipv4');
const publicIpv6 = rangesOf(PUBLIC_IPV6, 'ipv6');
const specialIpv6 = rangesOf(SPECIAL_IPV6, 'ipv6');

/** True for a public address; false for private, special and invalid ones. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !specialIpv4.check(address, 'ipv4');
  // A zone means a link of this machine.
  if (version !== 6 || address.includes('%')) return false;
  return publicIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function rangesOf(ranges: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, bits] = range.split('/') as [string, string];
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
