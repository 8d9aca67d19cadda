import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Semaphore } from 'redis-semaphore';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { RedisClient } from '../../platform/redis/redis-client.js';
import { REDIS } from '../../platform/redis/redis.module.js';
import type { ModelCredential } from '../credentials/model-credential.entity.js';

const MINUTE_S = 60;
/** Interval in which a waiting call asks for a slot. Half of it is random. */
const ASK_AGAIN_MS = 100;
/** The vendor's limit may have been raised meanwhile. */
const LONGEST_PAUSE_MS = 60_000;
/** A slot of a dead process is free after this time; a live process renews it. */
const LOCK_MS = 15_000;

type Limited = Pick<ModelCredential, 'workspaceId' | 'id' | 'maxConcurrency' | 'requestsPerMinute' | 'tokensPerMinute'>;

/** The slot of a call. */
export interface CallPlace {
  /** Releases the slot. `tokens` is the number that the call actually took; null when unknown. */
  leave(tokens: number | null): Promise<void>;
}

/**
 * Limits the calls of a credential at the same time and per minute, over all processes: counted in Redis. Minutes are
 * fixed windows that begin with the first call. While Redis is unavailable, no call of a limited credential begins.
 */
@Injectable()
export class CallLimiter {
  private readonly limiters = new Map<string, RateLimiterRedis>();

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(CONFIG) private readonly config: Pick<Config, 'queuePrefix'>,
  ) {}

  /**
   * Resolves when a call of about this many tokens may begin; rejects with the reason of the signal when it is aborted
   * before.
   */
  async enter(credential: Limited, tokens: number, signal: AbortSignal): Promise<CallPlace> {
    const key = `${credential.workspaceId}:${credential.id}`;
    const semaphore = await this.takePlace(credential, key, signal);
    try {
      await this.take('requests', credential.requestsPerMinute, key, { count: 1, signal });
      await this.take('tokens', credential.tokensPerMinute, key, { count: tokens, signal });
    } catch (error) {
      await semaphore?.release();
      throw error;
    }
    return {
      leave: async (used) => {
        await semaphore?.release();
        const { tokensPerMinute } = credential;
        if (used !== null && tokensPerMinute !== null) await this.correct(tokensPerMinute, key, used - tokens);
      },
    };
  }

  /**
   * Stops new calls of a model with the credential for this time, at most a minute, because its provider asked for it.
   */
  async pause(credential: Pick<Limited, 'workspaceId' | 'id'>, model: string, ms: number): Promise<void> {
    await this.redis.set(this.pauseKey(credential, model), '1', 'PX', Math.ceil(Math.min(ms, LONGEST_PAUSE_MS)));
  }

  /** Remaining pause of the model in milliseconds; 0 when unknown. */
  async pauseOf(credential: Pick<Limited, 'workspaceId' | 'id'>, model: string): Promise<number> {
    // Without Redis the pause is unknown; the provider will ask for it again.
    return Math.max(0, await this.redis.pttl(this.pauseKey(credential, model)).catch(() => 0));
  }

  private async takePlace({ maxConcurrency }: Limited, key: string, signal: AbortSignal): Promise<Semaphore | null> {
    if (maxConcurrency === null) return null;
    const semaphore = new Semaphore(this.redis, `${this.config.queuePrefix}:model-calls:${key}`, maxConcurrency, {
      lockTimeout: LOCK_MS,
      acquireAttemptsLimit: 1,
      // Redis was unavailable for long: others may have the slot by now, and the call continues.
      onLockLost: () => undefined,
    });
    while (!(await semaphore.tryAcquire())) await sleep(ASK_AGAIN_MS * (0.5 + Math.random() / 2), signal);
    return semaphore;
  }

  private async take(
    what: 'requests' | 'tokens',
    limit: number | null,
    key: string,
    { count, signal }: { count: number; signal: AbortSignal },
  ): Promise<void> {
    if (limit === null) return;
    const limiter = this.limiter(what, limit);
    // A call larger than a whole minute's allowance has a minute for itself.
    const points = Math.min(count, limit);
    for (;;) {
      const refusal = await limiter.consume(key, points).then(() => null, refusalOf);
      if (!refusal) return;
      await limiter.reward(key, points);
      await sleep(Math.max(1, refusal.msBeforeNext), signal);
    }
  }

  private async correct(limit: number, key: string, tokens: number): Promise<void> {
    const limiter = this.limiter('tokens', limit);
    if (tokens > 0) await limiter.penalty(key, tokens);
    else if (tokens < 0) await limiter.reward(key, -tokens);
  }

  private limiter(what: string, limit: number): RateLimiterRedis {
    const name = `${what}:${limit}`;
    let limiter = this.limiters.get(name);
    if (!limiter) {
      const keyPrefix = `${this.config.queuePrefix}:model-${what}`;
      limiter = new RateLimiterRedis({ storeClient: this.redis, keyPrefix, points: limit, duration: MINUTE_S });
      this.limiters.set(name, limiter);
    }
    return limiter;
  }

  private pauseKey({ workspaceId, id }: Pick<Limited, 'workspaceId' | 'id'>, model: string): string {
    return `${this.config.queuePrefix}:model-pause:${workspaceId}:${id}:${model}`;
  }
}

function refusalOf(error: unknown): RateLimiterRes {
  if (error instanceof RateLimiterRes) return error;
  throw error;
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
