import { type TurnOwner, Turns } from '../turns.js';
import { WorkspacePlaces } from '../work/workspace-places.js';
import { OwnedProcesses } from './owned-processes.js';
import type { Program } from './programs.js';
import { NotBegun, type ProcessCall, Stopped } from './sandbox-process.js';

/** Sends one call at a time to a process of the workspace. Rejects with `Stopped`. */
export type Send = <T>(call: ProcessCall) => Promise<T>;

interface Waiting {
  workspaceId: number;
  run: () => Promise<void>;
  reject: (error: Error) => void;
}

/** A slot stays with a workspace for this long while others wait, because a change of owner costs a new process. */
const STINT_MS = 2_000;

/**
 * Slots for calls of one engine. Calls wait here, in turns, and not in a process, so ending a process costs no call but its own.
 * A workspace that has no slot gets one of as many more, so that a few workspaces with long calls do not hold up all others.
 */
export class ProcessPool {
  private readonly waiting = new Turns<Waiting>();
  private readonly slots: WorkspacePlaces;
  private readonly processes: OwnedProcesses;
  private isClosed = false;

  constructor(
    program: Program,
    private readonly size: number,
  ) {
    this.slots = new WorkspacePlaces(2 * size, shareOf(size));
    this.processes = new OwnedProcesses(program, 2 * size);
  }

  /** Runs `work` when it is the owner's turn. It sends one call at a time. */
  inTurn<T>(owner: TurnOwner, work: (send: Send) => Promise<T>): Promise<T> {
    if (this.isClosed) return Promise.reject(closed());
    const { workspaceId } = owner;
    return new Promise((resolve, reject) => {
      const run = () => work((call) => this.send(workspaceId, call)).then(resolve, reject);
      this.waiting.add(owner, { workspaceId, run, reject });
      this.assign();
    });
  }

  close(): void {
    this.isClosed = true;
    for (let job = this.waiting.take(); job; job = this.waiting.take()) job.reject(closed());
    this.processes.endAll();
  }

  private async send<T>(workspaceId: number, call: ProcessCall): Promise<T> {
    for (;;) {
      if (this.isClosed) throw closed();
      if (call.signal?.aborted) throw new Stopped('aborted');
      const { process, isNew } = this.processes.take(workspaceId);
      try {
        const answer = await process.call<T>(call);
        if (this.isClosed) process.end();
        else this.processes.putBack(workspaceId, process);
        return answer;
      } catch (error) {
        this.processes.end(process);
        if (this.isClosed) throw closed();
        // A process that died while it was idle has lost nothing.
        if (isNew || !(error instanceof NotBegun)) throw error;
      }
    }
  }

  private assign(): void {
    for (;;) {
      const job = this.waiting.take((workspaceId) => this.mayHaveSlot(workspaceId));
      if (!job) return;
      void this.serve(job);
    }
  }

  private mayHaveSlot(workspaceId: number): boolean {
    const isExtra = this.slots.free <= this.size;
    return this.slots.roomOf(workspaceId) > 0 && !(isExtra && this.slots.has(workspaceId));
  }

  /** Runs the job and what else the workspace waits for, until its stint is over. */
  private async serve(first: Waiting): Promise<void> {
    const { workspaceId } = first;
    this.slots.take(workspaceId, 1);
    const end = performance.now() + STINT_MS;
    const next = () => this.waiting.take((id) => id === workspaceId);
    for (let job: Waiting | undefined = first; job; job = performance.now() < end ? next() : undefined) await job.run();
    this.slots.leave(workspaceId, 1);
    this.assign();
  }
}

/** Slots that one workspace may have. */
export function shareOf(size: number): number {
  return Math.max(1, size - 1);
}

function closed(): Error {
  return new Error('The sandbox is closed.');
}
