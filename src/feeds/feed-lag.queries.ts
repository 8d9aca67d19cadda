import { type GaugeReading, secondsSince } from '../platform/telemetry/gauges.js';

/** The age of the oldest arrival that an active feed has not decided about. */
export const oldestUndecided: GaugeReading<'kind'> = async (db) => {
  const [{ seconds }] = await db.query<[{ seconds: number }]>(
    `SELECT ${secondsSince('min(a.arrived_at)')} AS seconds FROM feeds f, LATERAL (
       SELECT arrived_at FROM arrivals
        WHERE workspace_id = f.workspace_id AND kind = f.source AND seq > f.position ORDER BY seq LIMIT 1) a
      WHERE f.state = 'active'`,
  );
  return [{ labels: { kind: 'feed' }, value: seconds }];
};
