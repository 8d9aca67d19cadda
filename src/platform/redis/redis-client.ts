import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from '../config/redis-address.js';

/** A connection to one server or to a Cluster; both have the same commands. */
export type RedisClient = Redis | Cluster;

/** Timeout for closing connections. */
const CLOSING_MS = 200;

/**
 * A Cluster that stays closed. ioredis' own never emits `end` when it is closed twice or has no nodes, and reconnects
 * when somebody calls `connect` later. Queues do both when they are closed.
 */
class ClosableCluster extends Cluster {
  private isClosed = false;

  override connect(): Promise<void> {
    return this.isClosed ? Promise.resolve() : super.connect();
  }

  override disconnect(reconnect = false): void {
    if (!this.isClosed) super.disconnect(reconnect);
    this.isClosed ||= !reconnect;
    if (this.isClosed) setTimeout(() => this.emit('end'), CLOSING_MS).unref();
  }

  override quit(): Promise<'OK'> {
    this.disconnect();
    return Promise.resolve('OK');
  }
}

/** Milliseconds until the next attempt to connect. */
export const retryStrategy = (attempt: number): number => Math.min(attempt * 100, 2000);

/** Connects to REDIS_URL. `options` are those of a connection to one server; a Cluster has one to each. */
export function connectRedis(url: string, options: RedisOptions = {}): RedisClient {
  const address = parseRedisUrl(url);
  if (address.kind !== 'cluster') return new Redis({ retryStrategy, ...address.options, ...options });
  return connectCluster(address, options);
}

function connectCluster(address: RedisAddress & { kind: 'cluster' }, options: RedisOptions): Cluster {
  const { lazyConnect, enableOfflineQueue, retryStrategy: retry = retryStrategy, ...each } = options;
  return new ClosableCluster(address.nodes, {
    lazyConnect,
    enableOfflineQueue,
    clusterRetryStrategy: (attempt) => retry?.(attempt) ?? null,
    redisOptions: { ...address.options, ...each },
  });
}

/** Another connection to the same Redis, with options of its own. */
export function anotherConnection(client: RedisClient, options: RedisOptions): RedisClient {
  if (!(client instanceof Cluster)) return client.duplicate(options);
  const { lazyConnect, ...each } = options;
  return client.duplicate([], { lazyConnect, redisOptions: { ...client.options.redisOptions, ...each } });
}
