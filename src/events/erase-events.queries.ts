import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/** Erases events that name a person, with their deliveries. Consumers that have not reached them skip them. */
export function eraseEvents(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const where = namesPerson('w.details::text', '$2');
  return eraseRows(tx, isDryRun, { table: 'outbox_events', key: 'id', where, values: [workspaceId, person] });
}
