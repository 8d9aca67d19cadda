import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import { canonicalJson } from './canonical-json.js';
import { Webhook } from './webhook.entity.js';

/** Handed on in one transaction: whichever is reached first. A single event may have more deliveries. */
const AT_ONCE = { events: 200, deliveries: 1000 };

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
  id: number;
  event_types: string[] | null;
  created_at: Date;
  claims: number;
}

interface NewDelivery {
  event: NewEvent;
  subscription: Subscription;
  body: string;
}

export interface HandedOn {
  /** Webhooks with new deliveries. */
  webhooks: Pick<Subscription, 'id' | 'claims'>[];
  /** Whether there may be more events. */
  more: boolean;
}

/**
 * Makes the deliveries of events of a workspace that no worker has handed on yet. An event is marked itself instead of a
 * position being remembered: it may become visible after events with higher numbers.
 */
export async function fanOut(tx: EntityManager, workspaceId: number): Promise<HandedOn> {
  const limit = await eventsAtOnce(tx, workspaceId);
  const events = await takeNewEvents(tx, workspaceId, limit);
  if (events.length === 0) return { webhooks: [], more: false };
  // After the events, or those would be missing that were created in between.
  const deliveries = deliveriesOf(events, await enabledIn(tx, workspaceId));
  await insertDeliveries(tx, deliveries);
  await tx.query('UPDATE outbox_events SET fanned_out_at = now() WHERE workspace_id = $1 AND id = ANY($2::bigint[])', [
    workspaceId,
    events.map(({ id }) => id),
  ]);
  const webhooks = [...new Set(deliveries.map(({ subscription }) => subscription))];
  return { webhooks, more: events.length === limit };
}

/** The workspaces with events to hand on, found one by one in the index. */
export async function findNews(db: EntityManager): Promise<number[]> {
  const NEXT = 'SELECT e.workspace_id FROM outbox_events e WHERE e.fanned_out_at IS NULL';
  const rows = await db.query<{ workspace_id: number }[]>(
    `WITH RECURSIVE w AS (
       (${NEXT} ORDER BY e.workspace_id LIMIT 1)
       UNION ALL
       SELECT (${NEXT} AND e.workspace_id > w.workspace_id ORDER BY e.workspace_id LIMIT 1) FROM w
        WHERE w.workspace_id IS NOT NULL)
     SELECT workspace_id FROM w WHERE workspace_id IS NOT NULL`,
  );
  return rows.map(({ workspace_id: id }) => id);
}

async function eventsAtOnce(tx: EntityManager, workspaceId: number): Promise<number> {
  const webhooks = await tx.countBy(Webhook, { workspaceId, enabled: true });
  return Math.max(1, Math.min(AT_ONCE.events, Math.floor(AT_ONCE.deliveries / Math.max(1, webhooks))));
}

/** Oldest first. Other workers pass over them until the transaction ends. */
function takeNewEvents(tx: EntityManager, workspaceId: number, limit: number): Promise<NewEvent[]> {
  return tx.query<NewEvent[]>(
    `SELECT e.workspace_id, e.id, e.type, e.details, e.occurred_at, e.key_id, k.name AS key_name, k.owner_email
       FROM outbox_events e LEFT JOIN api_keys k ON k.workspace_id = e.workspace_id AND k.id = e.key_id
      WHERE e.workspace_id = $1 AND e.fanned_out_at IS NULL
      ORDER BY e.occurred_at, e.id LIMIT $2 FOR UPDATE OF e SKIP LOCKED`,
    [workspaceId, limit],
  );
}

/** Locked against deletion, which would let the whole batch fail. */
function enabledIn(tx: EntityManager, workspaceId: number): Promise<Subscription[]> {
  return tx.query<Subscription[]>(
    `SELECT id, event_types, created_at, claims FROM webhooks
      WHERE workspace_id = $1 AND enabled ORDER BY id FOR KEY SHARE`,
    [workspaceId],
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
