import { AsyncLocalStorage } from 'node:async_hooks';

/** The weight of an item towards the limits of a batch. */
export interface Weight {
  rows: number;
  bytes: number;
}

interface Waiting<T, R> {
  item: T;
  weight: Weight;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
  /** Runs a function in the tracing context of the submitter. */
  asSubmitted: <V>(work: () => V) => V;
}

/** Concurrent batches, and the limits of a batch. A single item may exceed them. */
interface Limits extends Weight {
  writers: number;
}

/** A key that all items of a batch share. */
type KeyOf<T> = (item: T) => unknown;

/**
 * Writes the items of many callers in as few transactions as possible. There is no timer: a batch is written as soon as the writer
 * is free, so an idle server answers at once and a busy one fills its batches. When half a batch waits, another writer keeps the
 * database busy while the process decodes the next requests; for less it would only split a batch in two.
 */
export class GroupCommit<T, R> {
  private readonly queue: Waiting<T, R>[] = [];
  private readonly writing = new Set<Promise<void>>();
  /** Writers that will read the queue again. */
  private active = 0;
  private readonly waiting: Weight = { rows: 0, bytes: 0 };

  /**
   * `write` returns the outcome of each item, in order. It rejects when no item was stored.
   * @param keyOf items with different keys are never written together; without it all have the same key
   */
  constructor(
    private readonly write: (items: T[]) => Promise<PromiseSettledResult<R>[]>,
    private readonly limits: Limits,
    private readonly keyOf: KeyOf<T> = () => null,
  ) {}

  /** Resolves after the commit. Rejects when the item was not stored, at least not as a whole. */
  submit(item: T, weight: Weight): Promise<R> {
    const asSubmitted = AsyncLocalStorage.snapshot() as Waiting<T, R>['asSubmitted'];
    const done = new Promise<R>((resolve, reject) => this.queue.push({ item, weight, resolve, reject, asSubmitted }));
    this.addWaiting(weight.rows, weight.bytes);
    if (this.needsWriter()) this.startWriter();
    return done;
  }

  /** Waits until everything submitted so far is written. */
  async idle(): Promise<void> {
    while (this.writing.size > 0) await Promise.all(this.writing);
  }

  private needsWriter(): boolean {
    const { writers, rows, bytes } = this.limits;
    if (this.active === 0) return true;
    if (this.active >= writers) return false;
    return this.waiting.rows >= rows / 2 || this.waiting.bytes >= bytes / 2 || this.holdsSeveralKeys();
  }

  private holdsSeveralKeys(): boolean {
    const key = this.keyOf(this.queue[0]!.item);
    return this.queue.some(({ item }) => this.keyOf(item) !== key);
  }

  private hasBatch(): boolean {
    return this.waiting.rows >= this.limits.rows || this.waiting.bytes >= this.limits.bytes;
  }

  private addWaiting(rows: number, bytes: number): void {
    this.waiting.rows += rows;
    this.waiting.bytes += bytes;
  }

  private startWriter(): void {
    this.active++;
    const writer = this.drain().finally(() => this.writing.delete(writer));
    this.writing.add(writer);
  }

  private async drain(): Promise<void> {
    // Requests that are decoded in this turn of the event loop join the first batch. One that is full goes at once: the
    // next request might take longer to decode than the batch to write.
    if (!this.hasBatch()) await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.writeBatch(this.takeBatch());
    // Synchronously: an item submitted before the promise of this writer settles would wait for no writer.
    this.active--;
  }

  /** The item that waits longest, with further items of its key, in order, up to the limits. */
  private takeBatch(): Waiting<T, R>[] {
    const key = this.keyOf(this.queue[0]!.item);
    const taken: Weight = { rows: 0, bytes: 0 };
    const batch: Waiting<T, R>[] = [];
    let isFull = false;
    for (const next of this.queue.splice(0)) {
      const isOfKey = this.keyOf(next.item) === key;
      if (isOfKey && !isFull && (batch.length === 0 || this.fits(taken, next.weight))) {
        batch.push(next);
        taken.rows += next.weight.rows;
        taken.bytes += next.weight.bytes;
      } else {
        isFull ||= isOfKey;
        this.queue.push(next);
      }
    }
    this.addWaiting(-taken.rows, -taken.bytes);
    return batch;
  }

  private fits(taken: Weight, { rows, bytes }: Weight): boolean {
    return taken.rows + rows <= this.limits.rows && taken.bytes + bytes <= this.limits.bytes;
  }

  private async writeBatch(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await batch[0]!.asSubmitted(() => this.write(batch.map(({ item }) => item)));
      batch.forEach((member, index) => settle(member, results[index]!));
    } catch (error) {
      for (const member of batch) member.reject(error);
    }
  }
}

function settle<T, R>({ resolve, reject }: Waiting<T, R>, result: PromiseSettledResult<R>): void {
  if (result.status === 'fulfilled') resolve(result.value);
  else reject(result.reason);
}
