import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.js';
import type { RedisClient } from '../redis/redis-client.js';
import { parseRedisUrl } from '../config/redis-address.js';
import { REDIS } from '../redis/redis.module.js';
import { queueKeys, queuesOf } from './queue-connections.js';

const KEPT_MS = 1000;
/** Cache time. A list of connections costs Redis more than a key, and health is a public route. */
const COUNTED_MS = 2000;

/** Whether queues move: Redis answers, and every queue is connected to it. */
@Injectable()
export class QueueHealth {
  private counted: { at: number; workers: Promise<number | null> } | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * In a Cluster some nodes may answer and the one with the queues not, so a key of theirs is written. A Redis that cannot write to its
   * disk answers reads only.
   */
  async read(): Promise<'up' | 'down'> {
    const clients = [this.redis, ...queuesOf(this.discovery).map(({ client }) => client)];
    if (clients.some(({ status }) => status !== 'ready')) return 'down';
    return this.redis.set(`${queueKeys(this.config)}:health`, '', 'PX', KEPT_MS).then(
      () => 'up',
      () => 'down',
    );
  }

  /**
   * Processes that take work from the queues, two seconds old at most: the connections on which they wait for jobs have a name. Null
   * when Redis does not say it, as a Cluster, of which each node knows only its own connections.
   */
  workers(): Promise<number | null> {
    const now = Date.now();
    if (!this.counted || now - this.counted.at > COUNTED_MS) this.counted = { at: now, workers: this.countWorkers() };
    return this.counted.workers;
  }

  private async countWorkers(): Promise<number | null> {
    const [queue] = queuesOf(this.discovery);
    if (!queue || queue.client.status !== 'ready' || parseRedisUrl(this.config.redisUrl).kind === 'cluster')
      return null;
    // A worker takes from every queue, so one of them has them all.
    return queue.getWorkers().then(
      (connections: unknown[] | undefined) => connections?.length ?? null,
      () => null,
    );
  }
}
