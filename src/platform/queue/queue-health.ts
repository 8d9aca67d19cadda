import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.js';
import type { RedisClient } from '../redis/redis-client.js';
import { REDIS } from '../redis/redis.module.js';
import { queueKeys, queuesOf } from './queue-connections.js';

const KEPT_MS = 1000;

/** Whether queues move: Redis answers, and every queue is connected to it. */
@Injectable()
export class QueueHealth {
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
}
