/** Slots for work in this process, with a limit for each workspace. */
export class WorkspacePlaces {
  private readonly taken = new Map<number, number>();
  private total = 0;

  constructor(
    private readonly most: number,
    private readonly mostOfOneWorkspace: number,
  ) {}

  /** Number of free slots. */
  get free(): number {
    return this.most - this.total;
  }

  /** Number of slots for a workspace that has none yet. */
  get room(): number {
    return Math.min(this.free, this.mostOfOneWorkspace);
  }

  /** True when the workspace has slots. */
  has(workspaceId: number): boolean {
    return this.taken.has(workspaceId);
  }

  /** Number of slots that the workspace may still take. */
  roomOf(workspaceId: number): number {
    return Math.min(this.free, Math.max(0, this.mostOfOneWorkspace - (this.taken.get(workspaceId) ?? 0)));
  }

  /** Number of slots that each workspace with slots may still take; 0 at its limit. */
  rooms(): Map<number, number> {
    return new Map([...this.taken.keys()].map((workspaceId) => [workspaceId, this.roomOf(workspaceId)]));
  }

  take(workspaceId: number, count: number): void {
    this.total += count;
    this.taken.set(workspaceId, (this.taken.get(workspaceId) ?? 0) + count);
  }

  leave(workspaceId: number, count: number): void {
    this.total -= count;
    const left = this.taken.get(workspaceId)! - count;
    if (left > 0) this.taken.set(workspaceId, left);
    else this.taken.delete(workspaceId);
  }
}
