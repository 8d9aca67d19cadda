import { Logger } from '@nestjs/common';

/** Does some of the work of a workspace; returns whether more is left. */
export type Turn = (workspaceId: number) => Promise<boolean>;

/**
 * Shares the time of a sweep among workspaces: each has a turn, and those with more work get another one. Neither a
 * backlog nor a failure of one delays the others. A sweep that runs out of time continues where the last one ended.
 */
export class WorkspaceTurns {
  private readonly log = new Logger(WorkspaceTurns.name);
  /** Id of the workspace that had the last turn. */
  private last = 0;

  constructor(
    /** Name of the work, for the log. */
    private readonly what: string,
    private readonly longestMs: number,
  ) {}

  async take(workspaceIds: number[], turn: Turn): Promise<void> {
    const end = Date.now() + this.longestMs;
    const waiting = this.inOrder(workspaceIds);
    while (waiting.length > 0 && Date.now() < end) {
      this.last = waiting.shift()!;
      if (await this.tryTurn(this.last, turn)) waiting.push(this.last);
    }
  }

  private inOrder(workspaceIds: number[]): number[] {
    const sorted = workspaceIds.toSorted((a, b) => a - b);
    return [...sorted.filter((id) => id > this.last), ...sorted.filter((id) => id <= this.last)];
  }

  /** A workspace that fails has its next turn in the next sweep. */
  private async tryTurn(workspaceId: number, turn: Turn): Promise<boolean> {
    try {
      return await turn(workspaceId);
    } catch (error) {
      this.log.warn(`${this.what} of workspace ${workspaceId} failed and will be tried again: ${String(error)}`);
      return false;
    }
  }
}
