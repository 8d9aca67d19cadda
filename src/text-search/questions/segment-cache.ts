interface Cached {
  value: unknown;
  bytes: number;
}

/** Segments of a workspace. A restored workspace has its former ids, which may be those of segments of another one. */
interface SegmentIds {
  workspaceId: number;
  ids: readonly string[];
}

/** Keeps parts of segments, which never change, in memory: those that were used last. */
export class SegmentCache {
  private readonly entries = new Map<string, Cached>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  /** A value for each of some segments. `read` gets the missing ones; some segments may have none. */
  async all<T>(
    { workspaceId, ids }: SegmentIds,
    name: string,
    read: (missing: string[]) => Promise<Map<string, { value: T; bytes: number }>>,
  ): Promise<Map<string, T>> {
    const found = new Map<string, T>();
    const missing: string[] = [];
    for (const id of ids) {
      const cached = this.take(`${workspaceId}:${id}:${name}`);
      if (cached) found.set(id, cached.value as T);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    for (const [id, entry] of await read(missing)) {
      this.keep(`${workspaceId}:${id}:${name}`, entry);
      found.set(id, entry.value);
    }
    return found;
  }

  private take(key: string): Cached | undefined {
    const cached = this.entries.get(key);
    if (!cached) return undefined;
    this.entries.delete(key);
    this.entries.set(key, cached);
    return cached;
  }

  private keep(key: string, entry: Cached): void {
    this.bytes += entry.bytes - (this.entries.get(key)?.bytes ?? 0);
    this.entries.set(key, entry);
    for (const [oldest, { bytes }] of this.entries) {
      if (this.bytes <= this.mostBytes) return;
      this.entries.delete(oldest);
      this.bytes -= bytes;
    }
  }
}
