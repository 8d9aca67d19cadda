import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import type { TurnOwner } from '../turns.js';
import { DEFAULT_LIMITS, SANDBOX_LIMITS, type SandboxLimits } from './limits.js';
import { plainProgram, ProcessPool, type Program, pythonProgram } from './process-pool.js';

/** Processes: the engines of JavaScript and what evaluates expressions in one kind, Python in the other. */
export type ProcessKind = 'plain' | 'python';

/** One call of a process. */
export interface SandboxCall {
  kind: ProcessKind;
  method: string;
  argument: unknown;
  /** The process is ended when it has not answered after so many milliseconds. Starting it is not counted. */
  timeMs: number;
  /** The process is ended when it is aborted. */
  signal?: AbortSignal;
}

/**
 * Where everything runs that users wrote: in processes that can be ended, with limits on time and memory. Owners take turns, and
 * one workspace never has all processes, so nobody waits for what runs away in another one.
 */
@Injectable()
export class Sandbox implements OnApplicationShutdown {
  readonly limits: SandboxLimits;
  private readonly pools: Record<ProcessKind, ProcessPool>;

  constructor(@Optional() @Inject(SANDBOX_LIMITS) limits?: Partial<SandboxLimits>) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const pool = (program: Program) => new ProcessPool(program, this.limits.processes);
    this.pools = { plain: pool(plainProgram(this.limits)), python: pool(pythonProgram(this.limits)) };
  }

  /** How many processes one workspace may keep busy. */
  get share(): number {
    return this.pools.plain.share;
  }

  /** Gives the answer. Rejects with `Stopped` when the process had to be ended or died; it is of no use to anybody then. */
  call<T>(call: SandboxCall, owner: TurnOwner): Promise<T> {
    return this.inTurn(call.kind, owner, () => this.send<T>(call));
  }

  /** Does `work` when it is the owner's turn and a process is free: it may send one call at a time. */
  inTurn<T>(kind: ProcessKind, owner: TurnOwner, work: () => Promise<T>): Promise<T> {
    return this.pools[kind].inTurn(owner, work);
  }

  /** Only for those whose turn it is. */
  send<T>({ kind, method, argument, timeMs, signal }: SandboxCall): Promise<T> {
    return this.pools[kind].send<T>({ method, argument, timeMs, signal });
  }

  onApplicationShutdown(): void {
    for (const pool of Object.values(this.pools)) pool.close();
  }
}
