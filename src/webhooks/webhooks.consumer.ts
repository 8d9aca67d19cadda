import type { EntityManager } from 'typeorm';
import { EventConsumer, type EventConsumerPlugin, type OccurredEvent, typesByName } from '../events/index.js';
import type { JsonObject } from '../platform/json.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { bodyFor, type Format, mailAddress } from './message-format.js';

/** Deliveries that are written with one statement: a batch of events may have thousands. */
const DELIVERIES_AT_ONCE = 1000;

/** The user of an event is the API key that acted. */
interface Actor {
  id: number;
  name: string | null;
  owner_email: string | null;
}

interface Subscription {
  id: number;
  event_types: string[] | null;
  created_at: Date;
  url: string;
  format: Format;
}

interface NewDelivery {
  event: OccurredEvent;
  subscription: Subscription;
  body: string;
}

/** The name of the consumer that makes deliveries. */
export const WEBHOOKS_CONSUMER = 'webhooks';

/** Makes a delivery of every event for each webhook that wants it. */
@EventConsumer({ name: WEBHOOKS_CONSUMER })
export class WebhooksConsumer implements EventConsumerPlugin {
  constructor(@InjectNotifier('webhooks') private readonly workers: WorkNotifier) {}

  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void | (() => void)> {
    const subscriptions = await enabledIn(tx, workspaceId);
    if (subscriptions.length === 0) return;
    const actors = await actorsOf(tx, workspaceId, events);
    const bodiesOf = (event: OccurredEvent) => {
      const told = envelope(workspaceId, event, actors.get(event.keyId));
      const written = new Map<string, string>();
      return (subscription: Subscription) => {
        const key = mailAddress(subscription.url) === null ? subscription.format : 'mail';
        const body = written.get(key) ?? bodyFor(subscription, told);
        written.set(key, body);
        return body;
      };
    };
    const deliveries = deliveriesOf(events, subscriptions, bodiesOf);
    for (let from = 0; from < deliveries.length; from += DELIVERIES_AT_ONCE) {
      await insertDeliveries(tx, workspaceId, deliveries.slice(from, from + DELIVERIES_AT_ONCE));
    }
    const addressed = new Set(deliveries.map(({ subscription }) => subscription));
    return () => this.workers.notify(addressed.size);
  }
}

/** Locked against deletion, which would let the whole batch fail. */
function enabledIn(tx: EntityManager, workspaceId: number): Promise<Subscription[]> {
  return tx.query<Subscription[]>(
    `SELECT id, event_types, created_at, url, format FROM webhooks WHERE workspace_id = $1 AND enabled ORDER BY id FOR KEY SHARE`,
    [workspaceId],
  );
}

async function actorsOf(
  tx: EntityManager,
  workspaceId: number,
  events: OccurredEvent[],
): Promise<Map<number | null, Actor>> {
  const ids = new Set(events.flatMap(({ keyId }) => keyId ?? []));
  const actors = await tx.query<Actor[]>(
    'SELECT id, name, owner_email FROM api_keys WHERE workspace_id = $1 AND id = ANY($2::int[])',
    [workspaceId, [...ids]],
  );
  return new Map(actors.map((actor) => [actor.id, actor]));
}

function deliveriesOf(
  events: OccurredEvent[],
  subscriptions: Subscription[],
  bodiesOf: (event: OccurredEvent) => (subscription: Subscription) => string,
): NewDelivery[] {
  return events.flatMap((event) => {
    const interested = subscriptions.filter((subscription) => wants(subscription, event));
    const bodyOf = bodiesOf(event);
    return interested.map((subscription) => ({ event, subscription, body: bodyOf(subscription) }));
  });
}

function wants({ created_at: createdAt, event_types: types }: Subscription, event: OccurredEvent): boolean {
  return createdAt <= event.occurredAt && (types?.includes(event.type) ?? !typesByName.has(event.type));
}

function envelope(workspaceId: number, event: OccurredEvent, actor: Actor | undefined): JsonObject {
  return {
    event_type: event.type,
    details: event.details,
    user_id: event.keyId,
    user_name: actor?.name ?? null,
    user_email: actor?.owner_email ?? null,
    workspace_id: workspaceId,
    timestamp: event.occurredAt.toISOString(),
  };
}

async function insertDeliveries(tx: EntityManager, workspaceId: number, deliveries: NewDelivery[]): Promise<void> {
  await tx.query(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_type, body)
     SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::text[])`,
    [
      workspaceId,
      deliveries.map(({ subscription }) => subscription.id),
      deliveries.map(({ event }) => event.id),
      deliveries.map(({ event }) => event.type),
      deliveries.map(({ body }) => body),
    ],
  );
}
