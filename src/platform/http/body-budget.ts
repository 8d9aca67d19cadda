import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import type { Problem } from '../errors/problem.js';

/** The account of a request's body: an API key, or the address of a caller whose key is not known yet. */
export interface BodyOwner {
  name: string;
  isStranger: boolean;
}

interface Hold {
  owner: BodyOwner;
  bytes: number;
}

/** Bytes held in one of the two memories, in total and by owner. */
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
 * The bytes of request bodies in memory, over all requests of the process. Received bytes count, not announced ones. Strangers
 * have a small memory of their own, and no owner can use a whole memory.
 */
@Injectable()
export class BodyBudget {
  private readonly holds = new Map<object, Hold>();
  private readonly known = new Memory();
  private readonly strangers = new Memory();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Why a body cannot be received; null when it can. Reserves nothing. */
  refusal(owner: BodyOwner, bytes: number): Problem | null {
    return this.check({ owner, bytes: 0 }, bytes);
  }

  /**
   * Updates the size of a request's body. Returns the reason when there is no memory for it; the request then holds the same bytes
   * as before.
   */
  hold(request: object, owner: BodyOwner, bytes: number): Problem | null {
    const held = this.holds.get(request) ?? { owner, bytes: 0 };
    const refusal = this.check(held, bytes);
    if (refusal) return refusal;
    this.memoryOf(held.owner).add(held.owner.name, bytes - held.bytes);
    this.holds.set(request, { ...held, bytes });
    return null;
  }

  /** Moves the bytes of a request to the account of its key, once that is known, even when it is full. */
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

  /** A body larger than a memory or a share is accepted when nothing else is held there: otherwise it could never be sent. */
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
