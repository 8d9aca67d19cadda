import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import type { TurnOwner } from '../turns.js';
import { DEFAULT_LIMITS, SANDBOX_LIMITS, type SandboxLimits } from './limits.js';
import { ProcessPool, type Send } from './process-pool.js';
import { type ProcessKind, PROGRAMS } from './programs.js';
import type { ProcessCall } from './sandbox-process.js';

/**
 * Runs everything that users wrote, in processes with limits on time and memory that can be ended. A process belongs to one
 * workspace until it ends (decision 004). Owners take turns, and one workspace never has all slots.
 */
@Injectable()
export class Sandbox implements OnApplicationShutdown {
  readonly limits: SandboxLimits;
  private readonly pools: Record<ProcessKind, ProcessPool>;

  constructor(@Optional() @Inject(SANDBOX_LIMITS) limits?: Partial<SandboxLimits>) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const pool = (kind: ProcessKind) => new ProcessPool(PROGRAMS[kind](this.limits), this.limits.processes);
    this.pools = { templates: pool('templates'), plain: pool('plain'), python: pool('python') };
  }

  /** Slots of each kind that one workspace may have. */
  get share(): number {
    return this.pools.plain.share;
  }

  /** Gives the answer. Rejects with `Stopped` when the process had to be ended or died. */
  call<T>(kind: ProcessKind, call: ProcessCall, owner: TurnOwner): Promise<T> {
    return this.inTurn(kind, owner, (send) => send<T>(call));
  }

  /** Does `work` when it is the owner's turn. */
  inTurn<T>(kind: ProcessKind, owner: TurnOwner, work: (send: Send) => Promise<T>): Promise<T> {
    return this.pools[kind].inTurn(owner, work);
  }

  onApplicationShutdown(): void {
    for (const pool of Object.values(this.pools)) pool.close();
  }
}
