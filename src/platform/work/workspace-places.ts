/** Places for pieces of work in this process, of which one workspace may take only so many. */
export class WorkspacePlaces {
  private readonly taken = new Map<number, number>();
  private total = 0;

  constructor(
    private readonly most: number,
    private readonly mostOfOneWorkspace: number,
  ) {}

  /** Places that nobody has taken. */
  get free(): number {
    return this.most - this.total;
  }

  /** What one workspace may take that has taken nothing yet. */
  get room(): number {
    return Math.min(this.free, this.mostOfOneWorkspace);
  }

  /** True when the workspace has places. */
  has(workspaceId: number): boolean {
    return this.taken.has(workspaceId);
  }

  /** Places that the workspace may still take. */
  roomOf(workspaceId: number): number {
    return Math.min(this.free, Math.max(0, this.mostOfOneWorkspace - (this.taken.get(workspaceId) ?? 0)));
  }

  /** What the workspaces may still take that have places; 0 for those that have all they may. */
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
