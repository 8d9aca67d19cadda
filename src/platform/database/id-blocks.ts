import type { EntityManager } from 'typeorm';
import { uniqueViolation } from '../errors/failures.js';

/** INCREMENT BY of every sequence used here. */
const BLOCK = 10_000;

/** Primary keys whose ids come from blocks. */
const PRIMARY_KEYS = new Set(['request_logs_pkey']);

/** Blocks from before this number of drops are no longer used. */
let drops = 0;

/**
 * Drops all blocks of this process after an insertion found one of their ids in use, and returns true. That happens in a workspace that
 * was restored from another installation: its ids may be in blocks that were allocated before. Blocks allocated from now on are
 * beyond them.
 */
export function dropUsedBlocks(error: unknown): boolean {
  const violated = uniqueViolation(error);
  if (violated === null || !PRIMARY_KEYS.has(violated)) return false;
  drops++;
  return true;
}

/**
 * Allocates ids before their rows exist, ten thousand per round trip. Remaining ids of a stopped process are never used: numbers
 * have gaps and no order across processes.
 */
export class IdBlocks {
  private next = 0;
  private end = 0;
  private dropsBefore = drops;

  constructor(private readonly sequence: string) {}

  /** `count` ids. Sequences do not roll back, so it may run in any transaction. */
  async take(tx: EntityManager, count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      if (this.next === this.end || this.dropsBefore !== drops) await this.refill(tx);
      ids.push(this.next++);
    }
    return ids;
  }

  private async refill(tx: EntityManager): Promise<void> {
    const known = drops;
    const [row] = await tx.query<{ start: string }[]>('SELECT nextval($1) AS start', [this.sequence]);
    this.next = Number(row!.start);
    this.end = this.next + BLOCK;
    this.dropsBefore = known;
  }
}
