/** Something that waits to be written, with what it costs. */
interface Waiting<T, R> {
  items: T[];
  bytes: number;
  resolve: (results: R[]) => void;
  reject: (error: unknown) => void;
}

interface Limits {
  /** How many batches are written at the same time. */
  writers: number;
  /** A batch is closed when it holds this many items … */
  items: number;
  /** … or this many bytes. A single member may exceed both. */
  bytes: number;
}

/**
 * Writes what many callers bring in as few transactions as possible. There is no timer: a batch is written the
 * moment a writer is free, so an idle server answers at once and a busy one fills its batches by itself. A second
 * writer keeps the database busy while the process decodes what comes next.
 */
export class GroupCommit<T, R> {
  private readonly queue: Waiting<T, R>[] = [];
  private readonly writing = new Set<Promise<void>>();

  /** `write` gives one result per item, in order. */
  constructor(
    private readonly write: (items: T[]) => Promise<R[]>,
    private readonly limits: Limits,
  ) {}

  /** Resolves with one result per item after they are committed. Rejects when nothing of them was stored. */
  submit(items: T[], bytes: number): Promise<R[]> {
    const done = new Promise<R[]>((resolve, reject) => this.queue.push({ items, bytes, resolve, reject }));
    if (this.writing.size < this.limits.writers) this.startWriter();
    return done;
  }

  /** Waits until everything submitted so far is written. */
  async idle(): Promise<void> {
    while (this.writing.size > 0) await Promise.all(this.writing);
  }

  private startWriter(): void {
    const writer = this.drain().finally(() => this.writing.delete(writer));
    this.writing.add(writer);
  }

  private async drain(): Promise<void> {
    // Requests that are decoded in this turn of the event loop join the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.writeBatch(this.takeBatch());
  }

  private takeBatch(): Waiting<T, R>[] {
    const batch = [this.queue.shift()!];
    let items = batch[0]!.items.length;
    let bytes = batch[0]!.bytes;
    for (let next = this.queue[0]; next; next = this.queue[0]) {
      items += next.items.length;
      bytes += next.bytes;
      if (items > this.limits.items || bytes > this.limits.bytes) break;
      batch.push(this.queue.shift()!);
    }
    return batch;
  }

  private async writeBatch(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.write(batch.flatMap((member) => member.items));
      let at = 0;
      for (const member of batch) member.resolve(results.slice(at, (at += member.items.length)));
    } catch (error) {
      for (const member of batch) member.reject(error);
    }
  }
}
