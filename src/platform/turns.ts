/** The workspace and the key for which work is done. */
export interface TurnOwner {
  workspaceId: number;
  /** Null for work without a key. */
  keyId: number | null;
}

/**
 * A fair queue of waiting work. Workspaces take turns, and in a workspace its keys: a key with much work delays its own
 * work, and hardly any other.
 */
export class Turns<T> {
  /** Maps keep their order: the next owner comes first. */
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

  /** The next work; undefined when nothing waits. Workspaces that `mayHave` excludes keep their turn. */
  take(mayHave: (workspaceId: number) => boolean = () => true): T | undefined {
    for (const [workspaceId, keys] of this.workspaces) {
      if (!mayHave(workspaceId)) continue;
      for (const [keyId, waiting] of keys) {
        const work = waiting.shift();
        this.count--;
        // The served owner moves to the end.
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
