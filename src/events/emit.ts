import type { EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { rememberAnnounced } from './announced.js';
import type { DomainEvent } from './event-types.js';

/** The key and the request that caused an event. */
type Cause = Pick<Caller, 'keyId' | 'requestId'>;

/**
 * Emits events, with one statement for any number of them. Call it in the transaction of the change, so that neither exists
 * without the other.
 */
export function emit(
  tx: EntityManager,
  caller: Cause & Pick<Caller, 'workspaceId'>,
  ...events: DomainEvent[]
): Promise<void> {
  return emitCaused(
    tx,
    caller.workspaceId,
    events.map((event) => ({ event, keyId: caller.keyId, requestId: caller.requestId })),
  );
}

/** The same for events with different causes. */
export async function emitCaused(
  tx: EntityManager,
  workspaceId: number,
  events: readonly (Cause & { event: DomainEvent })[],
): Promise<void> {
  if (events.length === 0) return;
  rememberAnnounced(tx, workspaceId);
  await tx.query(
    `INSERT INTO outbox_events (workspace_id, key_id, request_id, type, details)
     SELECT $1, e.key_id, e.request_id, e.type, e.details::jsonb
       FROM unnest($2::integer[], $3::text[], $4::text[], $5::text[])
         WITH ORDINALITY AS e (key_id, request_id, type, details, position) ORDER BY position`,
    [
      workspaceId,
      events.map(({ keyId }) => keyId),
      events.map(({ requestId }) => requestId),
      events.map(({ event }) => event.type),
      events.map(({ event }) => JSON.stringify(event.details)),
    ],
  );
}
