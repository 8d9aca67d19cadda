import type { EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { rememberAnnounced } from './announced.js';
import type { DomainEvent } from './event-types.js';

/**
 * Emits events, with one statement for any number of them. Call it in the transaction of the change, so that neither exists
 * without the other.
 */
export async function emit(
  tx: EntityManager,
  caller: Pick<Caller, 'workspaceId' | 'keyId' | 'requestId'>,
  ...events: DomainEvent[]
): Promise<void> {
  if (events.length === 0) return;
  rememberAnnounced(tx, caller.workspaceId);
  await tx.query(
    `INSERT INTO outbox_events (workspace_id, key_id, request_id, type, details)
     SELECT $1, $2, $3, e.type, e.details::jsonb
       FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS e (type, details, position) ORDER BY position`,
    [
      caller.workspaceId,
      caller.keyId,
      caller.requestId,
      events.map(({ type }) => type),
      events.map(({ details }) => JSON.stringify(details)),
    ],
  );
}
