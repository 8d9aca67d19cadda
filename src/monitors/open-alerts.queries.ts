import { type GaugeReading, secondsSince } from '../platform/telemetry/gauges.js';
import { isFree } from '../platform/work/free-lease.js';

export const countOpenAlerts: GaugeReading<never> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(
    `SELECT count(*)::float8 AS value FROM monitor_alerts WHERE state = 'open'`,
  );
  return [{ labels: {}, value }];
};

/** How long the monitor has waited that has been due for longest. */
export const oldestDueMonitor: GaugeReading<'kind'> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(
    `SELECT ${secondsSince('min(w.due_at)')} AS value FROM monitors w
      WHERE w.state = 'active' AND w.due_at <= now() AND ${isFree('w')}`,
  );
  return [{ labels: { kind: 'monitors' }, value }];
};
