import { type GaugeReading, secondsSince } from '../../platform/telemetry/gauges.js';

/** Age of the oldest log that waits for the index. Workers keep the queue short, so it needs no index by time. */
export const logSearchLag: GaugeReading<'index'> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(
    `SELECT ${secondsSince('min(queued_at)')} AS value FROM request_log_search_queue`,
  );
  return [{ labels: { index: 'logs' }, value }];
};
