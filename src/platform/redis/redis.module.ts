import { Global, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { connectRedis, type RedisClient } from './redis-client.js';

/** A server that disconnects is noticed at once. One that hangs, or has vanished, is noticed by its silence. */
const PATIENCE_MS = 1000;

/**
 * The Redis client for everything but the queues, which keep their own connections. Fails fast while Redis is
 * unavailable.
 */
export const REDIS = Symbol('REDIS');

@Global()
@Module({
  providers: [{ provide: REDIS, useFactory: connect, inject: [CONFIG] }],
  exports: [REDIS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  onApplicationShutdown(): void {
    this.redis.removeAllListeners('close');
    this.redis.disconnect();
  }
}

function connect(config: Config): RedisClient {
  const log = new Logger('Redis');
  const redis = connectRedis(config.redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: PATIENCE_MS,
  });
  let connected = true;
  redis.on('error', (error) => log.debug(error.message));
  redis.on('close', () => {
    // Once per outage, not once per attempt.
    if (connected) log.warn('Redis is not reachable. Queued work waits for the sweep.');
    connected = false;
  });
  redis.on('ready', () => {
    connected = true;
    log.log('Redis is connected.');
  });
  return redis;
}
