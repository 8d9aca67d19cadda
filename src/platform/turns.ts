/** For whom something is done. */
export interface TurnOwner {
  workspaceId: number;
  /** null for what no key asked for. */
  keyId: number | null;
}

/**
 * Work that waits. Workspaces take turns, and in a workspace its keys: whoever asks for much waits for themselves, and hardly
 * anybody waits for them.
 */
export class Turns<T> {
  /** Maps keep their order: who is next comes first. */
  private readonly workspaces = new Map<number, Map<number | null, T[]>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add({ workspaceId, keyId }: TurnOwner, work: T): void {
    const keys = this.workspaces.get(workspaceId) ?? new Map<number | null, T[]>();
    const waiting = keys.get(keyId) ?? [];
    waiting.push(work);
    keys.set(keyId, waiting);
    this.workspaces.set(workspaceId, keys);
    this.count++;
  }

  /** What is next; undefined when nothing waits. Workspaces that may have nothing now keep their turn. */
  take(mayHave: (workspaceId: number) => boolean = () => true): T | undefined {
    for (const [workspaceId, keys] of this.workspaces) {
      if (!mayHave(workspaceId)) continue;
      for (const [keyId, waiting] of keys) {
        const work = waiting.shift();
        this.count--;
        // Whoever has had a turn goes to the end.
        keys.delete(keyId);
        if (waiting.length > 0) keys.set(keyId, waiting);
        this.workspaces.delete(workspaceId);
        if (keys.size > 0) this.workspaces.set(workspaceId, keys);
        return work;
      }
    }
    return undefined;
  }
}
