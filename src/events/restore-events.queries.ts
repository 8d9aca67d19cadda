import type { EntityManager } from 'typeorm';
import { SNAPSHOT } from './consumers/event-positions.queries.js';

/**
 * Gives the events of a restored workspace transactions of their own, below those of this server: numbers of another server mean
 * nothing here. Each consumer has consumed what it had consumed when the workspace was exported. Those named in `handled` count as
 * having consumed everything. New events are consumed as always.
 */
export async function renumberEvents(tx: EntityManager, workspaceId: number, handled: string[]): Promise<void> {
  // Without any position no consumer has looked at the workspace yet.
  await tx.query(
    `INSERT INTO event_positions (workspace_id, consumer, seen_xmax, seen_open)
     SELECT $1, name, 0, '{}' FROM event_consumers
      WHERE NOT EXISTS (SELECT FROM event_positions WHERE workspace_id = $1)`,
    [workspaceId],
  );
  // Events of the snapshot that a consumer was in the middle of count as consumed up to the event where it was.
  await tx.query(
    `UPDATE event_positions p
        SET seen_xmax = now.xmax,
            seen_open = now.open || CASE WHEN p.consumer = ANY ($2::text[]) THEN '{}' ELSE ARRAY(
              SELECT -e.id FROM outbox_events e
               WHERE e.workspace_id = $1 AND (e.xid >= p.seen_xmax OR e.xid = ANY (p.seen_open))
                 AND NOT coalesce(e.xid < p.next_xmax AND e.xid <> ALL (p.next_open) AND e.id <= p.event_id, false)) END,
            next_xmax = NULL, next_open = NULL, event_id = NULL, attempts = 0, next_attempt_at = NULL
       FROM (${SNAPSHOT}) AS now
      WHERE p.workspace_id = $1`,
    [workspaceId, handled],
  );
  await tx.query('UPDATE outbox_events SET xid = -id WHERE workspace_id = $1', [workspaceId]);
}
