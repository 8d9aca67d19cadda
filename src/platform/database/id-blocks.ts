import type { EntityManager } from 'typeorm';

/** Every sequence used here is created with INCREMENT BY this number. */
const BLOCK = 10_000;

/**
 * Hands out ids before their rows exist, ten thousand per round trip. Ids of a process that stops are simply never
 * used: numbers have gaps and say nothing about order across processes.
 */
export class IdBlocks {
  private next = 0;
  private end = 0;
  /** The first id of a block that was fetched in advance. */
  private following: number | null = null;
  private isFetching = false;

  constructor(private readonly sequence: string) {}

  /** `count` ids. Sequences do not roll back, so it may run in any transaction. */
  async take(tx: EntityManager, count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      if (this.next === this.end) await this.refill(tx);
      ids.push(this.next++);
    }
    return ids;
  }

  /**
   * Fetches the next block when this one is half used, so that `take` need not wait for it: an answer is only read when the
   * process has decoded what it is at. `db` must not be in a transaction. Where it fails, `take` will tell.
   */
  fetchAhead(db: EntityManager): void {
    if (this.isFetching || this.following !== null || this.end - this.next > BLOCK / 2) return;
    this.isFetching = true;
    this.fetch(db)
      .then((start) => (this.following = start))
      .catch(() => undefined)
      .finally(() => (this.isFetching = false));
  }

  private async refill(tx: EntityManager): Promise<void> {
    const start = this.following ?? (await this.fetch(tx));
    this.following = null;
    this.next = start;
    this.end = start + BLOCK;
  }

  private async fetch(db: EntityManager): Promise<number> {
    const [row] = await db.query<{ start: string }[]>('SELECT nextval($1) AS start', [this.sequence]);
    return Number(row!.start);
  }
}
