import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import Bull, { type Queue, type QueueOptions } from 'bull';
import type { Redis } from 'ioredis';
import { CONFIG, type Config } from '../config/config.js';
import { parseRedisUrl } from '../redis/redis-address.js';
import { connectRedis, type RedisClient, retryStrategy } from '../redis/redis-client.js';

/** All keys of queues lie in one slot of a Redis Cluster, because of the braces. */
export const queueKeys = ({ queuePrefix }: Pick<Config, 'queuePrefix'>): string => `{${queuePrefix}}`;

/** Every queue of this process. */
export function queuesOf(discovery: DiscoveryService): Queue[] {
  const instances = discovery.getProviders().map(({ instance }): unknown => instance);
  return [...new Set(instances)].filter((instance) => instance instanceof Bull);
}

/**
 * How queues reach Redis. Bull connects to a single server by itself. To a Cluster we connect for it: all queues share what
 * only sends and listens, as a connection to a Cluster is one to each of its nodes, and each has its own to wait for jobs.
 */
@Injectable()
export class QueueConnections implements OnApplicationShutdown {
  private readonly shared = new Map<string, RedisClient>();
  private readonly all: RedisClient[] = [];

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  options(): QueueOptions {
    const prefix = queueKeys(this.config);
    const { kind, options } = parseRedisUrl(this.config.redisUrl);
    // Bull alone would wait twenty seconds in the end until it connects again.
    if (kind !== 'cluster') return { prefix, redis: { ...options, retryStrategy } };
    return { prefix, createClient: (type) => this.clusterClient(type) as Redis };
  }

  /** Bull closes none of those that were made for it. */
  onApplicationShutdown(): void {
    for (const client of this.all) client.disconnect();
  }

  private clusterClient(type: 'client' | 'subscriber' | 'bclient'): RedisClient {
    const client = (type !== 'bclient' && this.shared.get(type)) || this.connect(type !== 'client');
    if (type !== 'bclient') this.shared.set(type, client);
    return client;
  }

  /** `waits`: for as long as it takes, a Redis that is away included. */
  private connect(waits: boolean): RedisClient {
    const patience = waits ? { maxRetriesPerRequest: null } : {};
    const client = connectRedis(this.config.redisUrl, { enableReadyCheck: false, ...patience });
    // Every queue that shares it listens to its errors.
    client.setMaxListeners(0);
    this.all.push(client);
    return client;
  }
}

@Module({ providers: [QueueConnections], exports: [QueueConnections] })
export class QueueConnectionsModule {}
