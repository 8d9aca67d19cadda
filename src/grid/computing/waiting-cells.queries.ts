import { type GaugeReading, secondsSince } from '../../platform/telemetry/gauges.js';
import { isFree } from '../../platform/work/free-lease.js';

const FREE = isFree('t');

/** A task holds up to a thousand cells of one column, so a million cells are few rows. */
const COUNT = `
  SELECT t.is_external, sum(upper(r) - lower(r))::float8 AS value
    FROM computation_tasks t CROSS JOIN LATERAL unnest(t.rows) AS r WHERE ${FREE} GROUP BY t.is_external`;

/**
 * Cells of a running recalculation may wait until it ends, with any number of workers. Only recalculations that no
 * worker has begun count, and cells of dead workers from the end of their lease.
 */
const OLDEST = `
  SELECT t.is_external, ${secondsSince('min(coalesce(t.lease_until, e.created_at))')} AS value
    FROM computation_tasks t
    JOIN executions e ON e.workspace_id = t.workspace_id AND e.id = t.execution_id AND e.finished_at IS NULL
   WHERE ${FREE} AND (t.lease_until IS NOT NULL OR e.status = 'queued') GROUP BY t.is_external`;

/** Returns a value, or 0, for each of the two kinds of work that compute cells. */
const byKind =
  (sql: string): GaugeReading<'kind'> =>
  async (db) => {
    const rows = await db.query<{ is_external: boolean; value: number }[]>(sql);
    const found = new Map(rows.map((row) => [row.is_external, row.value]));
    return [
      { labels: { kind: 'cells' }, value: found.get(false) ?? 0 },
      { labels: { kind: 'external_cells' }, value: found.get(true) ?? 0 },
    ];
  };

/** Number of cells that no worker computes at the moment. */
export const countWaitingCells = byKind(COUNT);

/** Waiting time of the oldest cells that no worker has begun. */
export const oldestWaitingCells = byKind(OLDEST);
