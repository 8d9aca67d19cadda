import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import { canonicalJson } from './canonical-json.js';

/** Events handed on in one transaction. */
export const FAN_OUT_BATCH = 200;

interface NewEvent {
  workspace_id: number;
  id: string;
  type: string;
  details: JsonObject;
  occurred_at: Date;
  key_id: number | null;
  key_name: string | null;
  owner_email: string | null;
}

interface Subscription {
  workspace_id: number;
  id: number;
  event_types: string[] | null;
  created_at: Date;
}

interface NewDelivery {
  event: NewEvent;
  subscription: Subscription;
  body: string;
}

/**
 * Makes the deliveries of events that no worker has handed on yet, and gives the number of these events. An event is
 * marked itself instead of a position being remembered: it may become visible after events with higher numbers.
 */
export async function fanOut(tx: EntityManager): Promise<number> {
  const events = await takeNewEvents(tx);
  if (events.length === 0) return 0;
  const subscriptions = await enabledIn(tx, [...new Set(events.map((event) => event.workspace_id))]);
  await insertDeliveries(tx, deliveriesOf(events, subscriptions));
  await tx.query(
    `UPDATE outbox_events SET fanned_out_at = now()
      WHERE (workspace_id, id) IN (SELECT * FROM unnest($1::integer[], $2::bigint[]))`,
    [events.map((event) => event.workspace_id), events.map(({ id }) => id)],
  );
  return events.length;
}

/** Oldest first. Other workers pass over them until the transaction ends. */
function takeNewEvents(tx: EntityManager): Promise<NewEvent[]> {
  return tx.query<NewEvent[]>(
    `SELECT e.workspace_id, e.id, e.type, e.details, e.occurred_at, e.key_id, k.name AS key_name, k.owner_email
       FROM outbox_events e LEFT JOIN api_keys k ON k.workspace_id = e.workspace_id AND k.id = e.key_id
      WHERE e.fanned_out_at IS NULL ORDER BY e.occurred_at, e.id LIMIT $1 FOR UPDATE OF e SKIP LOCKED`,
    [FAN_OUT_BATCH],
  );
}

/** Locked against deletion, which would let the whole batch fail. */
function enabledIn(tx: EntityManager, workspaceIds: number[]): Promise<Subscription[]> {
  return tx.query<Subscription[]>(
    `SELECT workspace_id, id, event_types, created_at FROM webhooks
      WHERE workspace_id = ANY($1) AND enabled ORDER BY workspace_id, id FOR KEY SHARE`,
    [workspaceIds],
  );
}

function deliveriesOf(events: NewEvent[], subscriptions: Subscription[]): NewDelivery[] {
  return events.flatMap((event) => {
    const interested = subscriptions.filter((subscription) => wants(subscription, event));
    const body = interested.length === 0 ? '' : canonicalJson(envelope(event));
    return interested.map((subscription) => ({ event, subscription, body }));
  });
}

function wants(subscription: Subscription, event: NewEvent): boolean {
  return (
    subscription.workspace_id === event.workspace_id &&
    subscription.created_at <= event.occurred_at &&
    (subscription.event_types === null || subscription.event_types.includes(event.type))
  );
}

/** The user of an event is the API key that acted. */
function envelope(event: NewEvent): JsonObject {
  return {
    event_type: event.type,
    details: event.details,
    user_id: event.key_id,
    user_name: event.key_name,
    user_email: event.owner_email,
    workspace_id: event.workspace_id,
    timestamp: event.occurred_at.toISOString(),
  };
}

async function insertDeliveries(tx: EntityManager, deliveries: NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_type, body)
     SELECT * FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::text[], $5::text[])`,
    [
      deliveries.map(({ event }) => event.workspace_id),
      deliveries.map(({ subscription }) => subscription.id),
      deliveries.map(({ event }) => event.id),
      deliveries.map(({ event }) => event.type),
      deliveries.map(({ body }) => body),
    ],
  );
}
