import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import Bull, { type Queue, type QueueOptions } from 'bull';
import type { Redis } from 'ioredis';
import { CONFIG, type Config } from '../config/config.js';
import { parseRedisUrl } from '../config/redis-address.js';
import { connectRedis, type RedisClient, retryStrategy } from '../redis/redis-client.js';

/** Prefix of the keys of queues. The braces put all of them into one slot of a Redis Cluster. */
export const queueKeys = ({ queuePrefix }: Pick<Config, 'queuePrefix'>): string => `{${queuePrefix}}`;

/** Every queue of this process. */
export function queuesOf(discovery: DiscoveryService): Queue[] {
  const instances = discovery.getProviders().map(({ instance }): unknown => instance);
  return [...new Set(instances)].filter((instance) => instance instanceof Bull);
}

/**
 * Connections of queues to Redis. Bull itself connects to a single server. For a Cluster we create the connections,
 * because each is one to every node: all queues share the ones that send and subscribe, and each has its own to wait
 * for jobs.
 */
@Injectable()
export class QueueConnections implements OnApplicationShutdown {
  private readonly shared = new Map<string, RedisClient>();
  private readonly all: RedisClient[] = [];

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  options(): QueueOptions {
    const prefix = queueKeys(this.config);
    const { kind, options } = parseRedisUrl(this.config.redisUrl);
    // Bull's own strategy ends up waiting twenty seconds between attempts.
    if (kind !== 'cluster') return { prefix, redis: { ...options, retryStrategy } };
    return { prefix, createClient: (type) => this.clusterClient(type) as Redis };
  }

  /** Closes the connections, because Bull does not close those that it was given. */
  onApplicationShutdown(): void {
    for (const client of this.all) client.disconnect();
  }

  private clusterClient(type: 'client' | 'subscriber' | 'bclient'): RedisClient {
    const client = (type !== 'bclient' && this.shared.get(type)) || this.connect(type !== 'client');
    if (type !== 'bclient') this.shared.set(type, client);
    return client;
  }

  /** `waits`: commands wait as long as necessary, also while Redis is unavailable. */
  private connect(waits: boolean): RedisClient {
    const patience = waits ? { maxRetriesPerRequest: null } : {};
    const client = connectRedis(this.config.redisUrl, { enableReadyCheck: false, ...patience });
    // Every queue that shares it adds an error listener.
    client.setMaxListeners(0);
    this.all.push(client);
    return client;
  }
}

@Module({ providers: [QueueConnections], exports: [QueueConnections] })
export class QueueConnectionsModule {}
