import { Logger } from '@nestjs/common';

/** The rest after a turn: nothing, more work, or work that another worker holds. */
export type Left = 'nothing' | 'more' | 'held';

/** Pause before work that another worker holds is tried again. */
const HELD_MS = 200;

/**
 * Workspaces with work. They take turns, and a workspace with more work gets another turn: neither a backlog nor a failure of one
 * delays the others.
 */
export class WaitingWorkspaces {
  private readonly log = new Logger(WaitingWorkspaces.name);
  /** In the order of their turns. */
  private readonly waiting = new Set<number>();
  private readonly underWay = new Map<number, Promise<void>>();
  private stopped = false;

  constructor(
    private readonly atOnce: number,
    private readonly takeTurn: (workspaceId: number) => Promise<Left>,
  ) {}

  /** Adds a workspace. If its turn is in progress, it gets another one afterwards. */
  add(workspaceId: number): void {
    if (this.stopped) return;
    this.waiting.add(workspaceId);
    this.startTurns();
  }

  /** Resolves when the turns in progress have ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.underWay.values());
  }

  private startTurns(): void {
    for (const workspaceId of this.waiting) {
      if (this.underWay.size >= this.atOnce) return;
      if (!this.underWay.has(workspaceId)) this.start(workspaceId);
    }
  }

  private start(workspaceId: number): void {
    this.waiting.delete(workspaceId);
    const turn = this.tryTurn(workspaceId).then((left) => {
      this.underWay.delete(workspaceId);
      if (left === 'more') this.add(workspaceId);
      if (left === 'held') setTimeout(() => this.add(workspaceId), HELD_MS).unref();
      if (!this.stopped) this.startTurns();
    });
    this.underWay.set(workspaceId, turn);
  }

  /** A failed workspace gets its next turn from the next sweep. */
  private async tryTurn(workspaceId: number): Promise<Left> {
    try {
      return await this.takeTurn(workspaceId);
    } catch (error) {
      this.log.warn(`Consuming events of workspace ${workspaceId} failed and will be tried again: ${String(error)}`);
      return 'nothing';
    }
  }
}
