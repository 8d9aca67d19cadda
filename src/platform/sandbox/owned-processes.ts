import type { Program } from './programs.js';
import { SandboxProcess } from './sandbox-process.js';

/** Idle time after which a process ends: its memory is worth more than a start. */
const IDLE_MS = 5 * 60_000;

interface Idle {
  workspaceId: number;
  process: SandboxProcess;
}

/**
 * Processes of one program. A process runs texts of one workspace from its first call to its end, so nothing that one
 * workspace leaves behind is accessible to another. An unused spare waits for the next owner.
 */
export class OwnedProcesses {
  /** The one used last comes last. */
  private idle: Idle[] = [];
  private readonly busy = new Set<SandboxProcess>();
  private spare: SandboxProcess | undefined;
  /** Workspaces served since the processes were last ended as idle. */
  private readonly owners = new Set<number>();
  private idleTimer: NodeJS.Timeout | undefined;

  /** @param capacity idle and busy processes together, without the spare */
  constructor(
    private readonly program: Program,
    private readonly capacity: number,
  ) {}

  /** A process for the workspace alone. `isNew` when it was started for this call. */
  take(workspaceId: number): { process: SandboxProcess; isNew: boolean } {
    const own = this.idle.findLast((one) => one.workspaceId === workspaceId);
    if (own) this.idle = this.idle.filter((one) => one !== own);
    const process = own?.process ?? this.spare ?? new SandboxProcess(this.program);
    const isNew = process !== own?.process && process !== this.spare;
    if (process === this.spare) this.spare = undefined;
    this.busy.add(process);
    this.owners.add(workspaceId);
    while (this.busy.size + this.idle.length > this.capacity && this.idle.length > 0) this.idle.shift()!.process.end();
    // One workspace alone needs no spare: its processes stay its own.
    if (this.owners.size > 1) this.spare ??= new SandboxProcess(this.program);
    return { process, isNew };
  }

  putBack(workspaceId: number, process: SandboxProcess): void {
    this.busy.delete(process);
    this.idle.push({ workspaceId, process });
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => this.endIdle(), IDLE_MS).unref();
  }

  end(process: SandboxProcess): void {
    this.busy.delete(process);
    process.end();
  }

  endAll(): void {
    clearTimeout(this.idleTimer);
    this.endIdle();
    for (const process of this.busy) this.end(process);
  }

  private endIdle(): void {
    for (const { process } of this.idle.splice(0)) process.end();
    this.spare?.end();
    this.spare = undefined;
    this.owners.clear();
  }
}
