import type { EntityManager } from 'typeorm';

const MERGE = `
  SELECT gin_clean_pending_list(oid) FROM pg_class
   WHERE oid = ANY($1::text[]::regclass[]) AND pg_has_role(relowner, 'USAGE')`;

/**
 * Moves what was added to GIN indexes out of their lists of pending entries into the indexes proper: every search reads
 * such a list from end to end, and entries of many rows are merged for less than those of each row. Indexes of another
 * role are left to inserts and to the vacuum. Can be broken off: what is merged by then stays so.
 */
export async function mergePending(db: EntityManager, indexes: string[]): Promise<void> {
  await db.query(MERGE, [indexes]);
}

/** GIN indexes that a worker adds to. */
export class MergedIndexes {
  private added = 0;

  /** @param mergedAt what is added until it is merged; in a list of so many a search reads for some milliseconds. */
  constructor(
    private readonly indexes: string[],
    private readonly mergedAt: number,
  ) {}

  /** To be called after the commit. */
  async count(db: EntityManager, added: number): Promise<void> {
    this.added += added;
    if (this.added >= this.mergedAt) await this.merge(db);
  }

  /** To be called from time to time, for the last few and for what others have added. */
  async merge(db: EntityManager): Promise<void> {
    this.added = 0;
    await mergePending(db, this.indexes);
  }
}
