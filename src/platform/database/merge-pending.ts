import type { EntityManager } from 'typeorm';

const MERGE = `
  SELECT gin_clean_pending_list(oid) FROM pg_class
   WHERE oid = ANY($1::text[]::regclass[]) AND pg_has_role(relowner, 'USAGE')`;

/**
 * Moves what was added to GIN indexes out of their lists of pending entries into the indexes proper: every search reads
 * such a list from end to end, and entries of many rows are merged for less than those of each row. Indexes of another
 * role are left to the vacuum. Can be broken off: what is merged by then stays so.
 */
export async function mergePending(db: EntityManager, indexes: string[]): Promise<void> {
  await db.query(MERGE, [indexes]);
}
