import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import type { IngestRefusal } from './ingest-refusal.entity.js';

/** Refusals of a workspace in one hour, for one reason. */
export type RefusalCount = Pick<IngestRefusal, 'hour' | 'what' | 'reason' | 'lastAt'> & { count: number };

const ADD = new Statement(`
  INSERT INTO ingest_refusals AS r (workspace_id, hour, what, reason, count, last_at)
  SELECT $1, * FROM unnest($2::timestamptz[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[]) ORDER BY 2, 3, 4
  ON CONFLICT (workspace_id, hour, what, reason)
  DO UPDATE SET count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at)`);

/** Adds to what other processes have counted. All write in the same order, so none waits for another in a circle. */
export async function addRefusals(tx: EntityManager, workspaceId: number, counts: RefusalCount[]): Promise<void> {
  await ADD.run(tx, [
    workspaceId,
    counts.map(({ hour }) => hour),
    counts.map(({ what }) => what),
    counts.map(({ reason }) => reason),
    counts.map(({ count }) => count),
    counts.map(({ lastAt }) => lastAt),
  ]);
}

/** More reasons than there are. */
const MOST_REASONS = 200;

const READ = new Statement<Omit<RefusalCount, 'hour'>>(`
  SELECT what, reason, sum(count)::float8 AS count, max(last_at) AS "lastAt" FROM ingest_refusals
   WHERE workspace_id = $1 AND hour >= $2 GROUP BY what, reason
   ORDER BY 3 DESC, what, reason LIMIT ${MOST_REASONS}`);

/** Refusals since the beginning of an hour, by reason, the most frequent first. */
export function readRefusals(
  tx: EntityManager,
  workspaceId: number,
  since: Date,
): Promise<Omit<RefusalCount, 'hour'>[]> {
  return READ.run(tx, [workspaceId, since]);
}
