import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';

/**
 * The bytes of request bodies in memory at any moment, over all requests of the process.
 * A request reserves before its body is read and gives back when its answer is known.
 */
@Injectable()
export class BodyBudget {
  private readonly reserved = new Map<object, number>();
  private total = 0;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /**
   * Reserves memory for a request, or changes what it has reserved. False when there is not enough left.
   * A body larger than the whole budget is taken when it is alone: otherwise it could never be sent.
   */
  reserve(request: object, bytes: number): boolean {
    const others = this.total - (this.reserved.get(request) ?? 0);
    if (others > 0 && others + bytes > this.config.bodyMemory) return false;
    this.reserved.set(request, bytes);
    this.total = others + bytes;
    return true;
  }

  release(request: object): void {
    this.total -= this.reserved.get(request) ?? 0;
    this.reserved.delete(request);
  }
}
