import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import type { TurnOwner } from '../turns.js';
import { DEFAULT_LIMITS, SANDBOX_LIMITS, type SandboxLimits } from './limits.js';
import { ProcessPool, type Send, shareOf } from './process-pool.js';
import { PROCESS_KINDS, type ProcessKind, programOf } from './programs.js';
import type { ProcessCall } from './sandbox-process.js';

/**
 * Runs everything that users wrote, in processes with limits on time and memory that can be ended. A process belongs to one
 * workspace until it ends (decision 004). Owners take turns, and one workspace never has all slots.
 */
@Injectable()
export class Sandbox implements OnApplicationShutdown {
  readonly limits: SandboxLimits;
  private readonly pools: Map<ProcessKind, ProcessPool>;

  constructor(@Optional() @Inject(SANDBOX_LIMITS) limits?: Partial<SandboxLimits>) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const { processes } = this.limits;
    this.pools = new Map(PROCESS_KINDS.map((kind) => [kind, new ProcessPool(programOf(kind, this.limits), processes)]));
  }

  /** Slots of each kind that one workspace may have. */
  get share(): number {
    return shareOf(this.limits.processes);
  }

  /** Gives the answer. Rejects with `Stopped` when the process had to be ended or died. */
  call<T>(kind: ProcessKind, call: ProcessCall, owner: TurnOwner): Promise<T> {
    return this.inTurn(kind, owner, (send) => send<T>(call));
  }

  /** Does `work` when it is the owner's turn. */
  inTurn<T>(kind: ProcessKind, owner: TurnOwner, work: (send: Send) => Promise<T>): Promise<T> {
    return this.pools.get(kind)!.inTurn(owner, work);
  }

  onApplicationShutdown(): void {
    for (const pool of this.pools.values()) pool.close();
  }
}
