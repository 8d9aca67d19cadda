import { type GaugeReading, secondsSince } from '../../platform/telemetry/gauges.js';
import { FREE, WAITING } from './trace-queue.queries.js';

/** Time for which the first trace of the queue has been due. The index has the first one of each workspace. */
const oldestDue = (condition: string): string => `${WAITING}
  SELECT ${secondsSince('min(due.due_at)')} AS value FROM waiting
   CROSS JOIN LATERAL (
     SELECT q.due_at FROM trace_search_queue q
      WHERE q.workspace_id = waiting.id AND q.due_at <= now() AND ${condition} ORDER BY q.due_at LIMIT 1) AS due`;

const OLDEST = oldestDue('true');
const OLDEST_FREE = oldestDue(FREE);

export const traceSearchLag: GaugeReading<'index'> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(OLDEST);
  return [{ labels: { index: 'traces' }, value }];
};

export const oldestWaitingTrace: GaugeReading<'kind'> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(OLDEST_FREE);
  return [{ labels: { kind: 'trace_search' }, value }];
};
