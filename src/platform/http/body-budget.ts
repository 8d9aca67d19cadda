import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import type { Problem } from '../errors/problem.js';

/** To whose account the body of a request goes: an API key, or the address of a caller whose key is not known yet. */
export interface BodyOwner {
  name: string;
  isStranger: boolean;
}

interface Hold {
  owner: BodyOwner;
  bytes: number;
}

/** Bytes held in one of the two memories, and how they are spread over those who hold them. */
class Memory {
  total = 0;
  private readonly byOwner = new Map<string, number>();

  of(owner: string): number {
    return this.byOwner.get(owner) ?? 0;
  }

  add(owner: string, bytes: number): void {
    this.total += bytes;
    const held = this.of(owner) + bytes;
    if (held > 0) this.byOwner.set(owner, held);
    else this.byOwner.delete(owner);
  }
}

/**
 * The bytes of request bodies in memory at any moment, over all requests of the process. What counts is what has arrived,
 * not what was announced. Strangers have a small memory of their own, and nobody fills a memory alone.
 */
@Injectable()
export class BodyBudget {
  private readonly holds = new Map<object, Hold>();
  private readonly known = new Memory();
  private readonly strangers = new Memory();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Why there is no room for a body that is about to arrive; null when there is. Nothing is held by asking. */
  refusal(owner: BodyOwner, bytes: number): Problem | null {
    return this.check({ owner, bytes: 0 }, bytes);
  }

  /**
   * Says how large the body of a request is by now. Gives the reason when there is no room for that; the request then holds
   * what it held before.
   */
  hold(request: object, owner: BodyOwner, bytes: number): Problem | null {
    const held = this.holds.get(request) ?? { owner, bytes: 0 };
    const refusal = this.check(held, bytes);
    if (refusal) return refusal;
    this.memoryOf(held.owner).add(held.owner.name, bytes - held.bytes);
    this.holds.set(request, { ...held, bytes });
    return null;
  }

  /** The key of a stranger is known now: what the request holds goes to its account, whether or not that is full. */
  transfer(request: object, owner: BodyOwner): void {
    const held = this.holds.get(request);
    if (!held) return;
    this.release(request);
    this.memoryOf(owner).add(owner.name, held.bytes);
    this.holds.set(request, { owner, bytes: held.bytes });
  }

  release(request: object): void {
    const held = this.holds.get(request);
    if (!held) return;
    this.memoryOf(held.owner).add(held.owner.name, -held.bytes);
    this.holds.delete(request);
  }

  private memoryOf({ isStranger }: BodyOwner): Memory {
    return isStranger ? this.strangers : this.known;
  }

  /**
   * A body larger than a memory or a share of it is taken when nothing else is held there: otherwise it could never be sent.
   */
  private check({ owner, bytes: held }: Hold, bytes: number): Problem | null {
    const { bodyMemory, strangerBodyMemory, bodyMemoryShare } = this.config;
    const memory = this.memoryOf(owner);
    const limit = owner.isStranger ? strangerBodyMemory : bodyMemory;
    const others = memory.total - held;
    if (others > 0 && others + bytes > limit) return PlatformErrors.memory_exhausted();
    const share = Math.floor((limit * bodyMemoryShare) / 100);
    const own = memory.of(owner.name) - held;
    if (own > 0 && own + bytes > share) return PlatformErrors.memory_share_exhausted(share);
    return null;
  }
}
