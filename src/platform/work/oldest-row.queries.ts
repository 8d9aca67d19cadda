import { type GaugeReading, secondsSince } from '../telemetry/gauges.js';
import { isFree } from './free-lease.js';
import type { WorkTable } from './row-work.js';

/** The age of the oldest row of such a table that waits for a worker. */
export function oldestRow({ name, table, open }: WorkTable): GaugeReading<'kind'> {
  return async (db) => {
    const [{ seconds }] = await db.query<[{ seconds: number }]>(
      `SELECT ${secondsSince('min(w.created_at)')} AS seconds FROM ${table} w WHERE ${open} AND ${isFree('w')}`,
    );
    return [{ labels: { kind: name }, value: seconds }];
  };
}
