import type { RedisOptions } from 'ioredis';

export interface RedisNode {
  host: string;
  port: number;
}

/**
 * The address of Redis: one server, one behind Sentinels, or the nodes of a Cluster. `options` are those of each
 * connection.
 */
export type RedisAddress =
  | { kind: 'server'; options: RedisOptions }
  | { kind: 'sentinel'; options: RedisOptions }
  | { kind: 'cluster'; nodes: RedisNode[]; options: RedisOptions };

const FORM = /^rediss?(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const NODE = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;
const PORT = 6379;
const SENTINEL_PORT = 26379;

/**
 * Reads the value of REDIS_URL:
 *
 * - `redis://[user:password@]host[:port][/database]`
 * - `redis+sentinel://[user:password@]host[:port],…/name of the master[/database][?sentinelPassword=…]`
 * - `redis+cluster://[user:password@]host[:port],…`
 *
 * Each also with `rediss` for TLS. Throws an Error whose message completes "REDIS_URL …" and repeats nothing of the value, which
 * may hold a password.
 */
export function parseRedisUrl(text: string): RedisAddress {
  const [, kind = 'server', login = '', hosts, path = '', query = ''] = FORM.exec(text.trim()) ?? [];
  if (hosts === undefined) {
    throw new Error('must be a URL that starts with redis://, rediss://, redis+sentinel:// or redis+cluster://');
  }
  const parts = path.split('/').filter(Boolean).map(decoded);
  const options = { ...credentials(login), ...(text.trim().startsWith('rediss') && { tls: {} }) };
  if (kind === 'cluster') return cluster(hosts, parts, options);
  if (kind === 'sentinel') return sentinel(hosts, parts, { options, query });
  const [node, ...others] = nodesOf(hosts, PORT);
  if (others.length > 0) {
    throw new Error('must start with redis+sentinel:// or redis+cluster:// when it names several servers');
  }
  return { kind: 'server', options: { ...options, ...node, db: databaseOf(parts[0]) } };
}

function cluster(hosts: string, path: string[], options: RedisOptions): RedisAddress {
  if (path.length > 0) throw new Error('must name no database: a Cluster has only one');
  return { kind: 'cluster', nodes: nodesOf(hosts, PORT), options };
}

function sentinel(
  hosts: string,
  [name, database]: string[],
  { options, query }: { options: RedisOptions; query: string },
): RedisAddress {
  if (!name) throw new Error('must end with the name of the master, as the Sentinels know it');
  const sentinels = nodesOf(hosts, SENTINEL_PORT);
  const sentinelPassword = new URLSearchParams(query).get('sentinelPassword') ?? undefined;
  const encrypted = options.tls && { sentinelTLS: {}, enableTLSForSentinelMode: true };
  return {
    kind: 'sentinel',
    options: { ...options, ...encrypted, sentinels, name, sentinelPassword, db: databaseOf(database) },
  };
}

function credentials(login: string): RedisOptions {
  if (login === '') return {};
  const [username = '', ...rest] = login.split(':');
  const password = decoded(rest.join(':'));
  return { ...(username && { username: decoded(username) }), ...(password && { password }) };
}

function nodesOf(hosts: string, defaultPort: number): RedisNode[] {
  return hosts.split(',').map((text) => {
    const [, host, port = String(defaultPort)] = NODE.exec(text) ?? [];
    if (!host || Number(port) < 1 || Number(port) > 65_535) {
      throw new Error('must name its servers as host:port, separated by commas');
    }
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  });
}

function databaseOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,5}$/.test(text)) throw new Error('must end with the number of a database, such as /0');
  return Number(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have % and other special characters percent-encoded, in passwords too');
  }
}
