import { type GaugeReading, secondsSince } from '../platform/telemetry/gauges.js';
import { isFree } from '../platform/work/free-lease.js';

/** Deliveries of a webhook that is switched off wait for people and not for the server. */
const COUNT = `
  SELECT count(*)::float8 AS value FROM webhooks w JOIN webhook_deliveries d ON d.workspace_id = w.workspace_id AND d.webhook_id = w.id
   WHERE w.enabled AND d.status = 'pending'`;

/** Reads the first delivery of each webhook from the index, because there are few webhooks. */
const OLDEST = `
  SELECT ${secondsSince('min(due.next_attempt_at)')} AS value FROM webhooks w
   CROSS JOIN LATERAL (
     SELECT d.next_attempt_at FROM webhook_deliveries d
      WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= now()
      ORDER BY d.next_attempt_at LIMIT 1) AS due
   WHERE w.enabled AND ${isFree('w')}`;

/** Number of pending deliveries, including those between two tries. */
export const countPendingDeliveries: GaugeReading<never> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(COUNT);
  return [{ labels: {}, value }];
};

/** How long the oldest delivery has been due to a receiver that no worker sends to. */
export const oldestDueDelivery: GaugeReading<'kind'> = async (db) => {
  const [{ value }] = await db.query<[{ value: number }]>(OLDEST);
  return [{ labels: { kind: 'deliveries' }, value }];
};
