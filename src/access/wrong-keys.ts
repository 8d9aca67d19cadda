import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { CONFIG, type Config } from '../platform/config/config.js';
import { networkOf } from '../platform/http/address.js';
import { limitedUntil } from '../platform/http/rate-limit.js';
import { AccessErrors } from './access.errors.js';

/** Counts wrong keys by client address. Requests with a valid key are never counted or refused. */
@Injectable()
export class WrongKeys {
  private readonly perMinute: number;
  private readonly limiter: RateLimiterMemory;

  constructor(@Inject(CONFIG) { wrongKeysPerMinute }: Config) {
    this.perMinute = wrongKeysPerMinute;
    this.limiter = new RateLimiterMemory({ points: wrongKeysPerMinute, duration: 60 });
  }

  /** Throws wrong_keys_limited when there were too many in the last minute. */
  async count(address: string): Promise<void> {
    if (this.perMinute === 0) return;
    try {
      await this.limiter.consume(networkOf(address));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw limitedUntil(AccessErrors.wrong_keys_limited(this.perMinute), refusal);
    }
  }
}
