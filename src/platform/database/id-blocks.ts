import type { EntityManager } from 'typeorm';

/** INCREMENT BY of every sequence used here. */
const BLOCK = 10_000;

/**
 * Allocates ids before their rows exist, ten thousand per round trip. Remaining ids of a stopped process are never used: numbers
 * have gaps and no order across processes.
 */
export class IdBlocks {
  private next = 0;
  private end = 0;

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

  private async refill(tx: EntityManager): Promise<void> {
    const [row] = await tx.query<{ start: string }[]>('SELECT nextval($1) AS start', [this.sequence]);
    this.next = Number(row!.start);
    this.end = this.next + BLOCK;
  }
}
