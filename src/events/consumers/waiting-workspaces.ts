import { Logger } from '@nestjs/common';

/** What is left after a turn: nothing, more to do at once, or something that another worker holds at the moment. */
export type Left = 'nothing' | 'more' | 'held';

/** How soon it is tried again to get what another worker holds. */
const HELD_MS = 200;

/**
 * The workspaces in which there is something to do. Each has its turn, and those with more to do another one: neither a
 * backlog nor a failure of one holds up the others.
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

  /** A workspace whose turn it is just now has another one afterwards. */
  add(workspaceId: number): void {
    if (this.stopped) return;
    this.waiting.add(workspaceId);
    this.startTurns();
  }

  /** Ends when those whose turn it is are done. */
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

  /** What fails has its next turn after the next sweep. */
  private async tryTurn(workspaceId: number): Promise<Left> {
    try {
      return await this.takeTurn(workspaceId);
    } catch (error) {
      this.log.warn(`Consuming events of workspace ${workspaceId} failed and will be tried again: ${String(error)}`);
      return 'nothing';
    }
  }
}
