import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { CONFIG, type Config } from '../config/config.js';
import { variableOf } from '../domain.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { Problem } from '../errors/problem.js';
import type { RedisClient } from '../redis/redis-client.js';
import { REDIS } from '../redis/redis.module.js';
import { networkOf } from './address.js';
import { Throws } from './throws.js';

export interface RateLimitRule {
  /** Routes with the same name share one counter per caller. */
  name: string;
  /** Requests per minute of a caller, or the setting with this number; 0 means any number. */
  perMinute: number | LimitSetting;
  /** Counts all requests of an address together, for all callers. Sessions of the console then have no limit of their own. */
  per?: 'address';
  /** The limited requests, in the plural, for the error message. */
  noun: string;
}

type LimitSetting = 'searchesPerMinute' | 'suggestionsPerMinute' | 'signInsPerMinute' | 'consoleSearchesPerMinute';

const RATE_LIMIT = 'rate-limit';

/** Limits the requests per minute of a caller; further ones get 429 with Retry-After. Refused requests count too. */
export const RateLimit = (rule: RateLimitRule): MethodDecorator =>
  applyDecorators(SetMetadata(RATE_LIMIT, rule), Throws(PlatformErrors.rate_limited));

/** The counted caller, set by authentication. Strangers are counted by address. */
export interface RateLimitedRequest {
  rateLimitKey?: string;
  /** A request of the console, which searches after every few letters. */
  isConsole?: boolean;
}

/** Counts in Redis, so that all api processes share a limit; while Redis is unavailable each process counts by itself. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limiters = new Map<string, RateLimiterRedis>();

  constructor(
    private readonly reflector: Reflector,
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declared = this.reflector.get<RateLimitRule | undefined>(RATE_LIMIT, context.getHandler());
    if (!declared) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & RateLimitedRequest>();
    const rule = request.isConsole ? ofConsole(declared) : declared;
    const limit = this.limitOf(rule);
    if (limit === 0) return true;
    const key = rule.per === 'address' ? networkOf(request.ip) : (request.rateLimitKey ?? request.ip);
    const state = await this.consume(rule, key);
    const reply = http.getResponse<FastifyReply>();
    void reply.header('x-ratelimit-limit', limit).header('x-ratelimit-remaining', state.remainingPoints);
    return true;
  }

  private async consume(rule: RateLimitRule, key: string): Promise<RateLimiterRes> {
    try {
      return await this.limiter(rule).consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const setting = typeof rule.perMinute === 'number' ? null : variableOf(rule.perMinute);
      throw limitedUntil(PlatformErrors.rate_limited(this.limitOf(rule), rule.noun, setting), refusal);
    }
  }

  private limiter(rule: RateLimitRule): RateLimiterRedis {
    let limiter = this.limiters.get(rule.name);
    if (!limiter) {
      const window = { points: this.limitOf(rule), duration: 60 };
      limiter = new RateLimiterRedis({
        ...window,
        storeClient: this.redis,
        keyPrefix: `${this.config.queuePrefix}:rate:${rule.name}`,
        insuranceLimiter: new RateLimiterMemory(window),
      });
      this.limiters.set(rule.name, limiter);
    }
    return limiter;
  }

  private limitOf({ perMinute }: RateLimitRule): number {
    return typeof perMinute === 'number' ? perMinute : this.config[perMinute];
  }
}

function ofConsole(rule: RateLimitRule): RateLimitRule {
  if (rule.per === 'address') return rule;
  return { ...rule, name: `${rule.name}.console`, perMinute: 'consoleSearchesPerMinute' };
}

/** The refusal with the time in seconds after which the next request is allowed. */
export function limitedUntil({ status, code, message }: Problem, { msBeforeNext }: RateLimiterRes): Problem {
  const retryAfter = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
  return new Problem(status, code, message, { headers: { 'retry-after': retryAfter } });
}
