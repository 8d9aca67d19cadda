import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/** Erases deliveries that name a person in their body, in the response, or in an error. */
export function eraseDeliveries(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const where = namesPerson(`concat_ws(' ', w.body, w.response_body, w.error)`, '$2');
  return eraseRows(tx, isDryRun, { table: 'webhook_deliveries', key: 'id', where, values: [workspaceId, person] });
}
