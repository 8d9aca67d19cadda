import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/**
 * Exports whose file may hold something of a person: all that were not complete when the first of it was stored. Those whose filter
 * names the person go as well. A worker that is writing one loses it.
 */
export function eraseExports(tx: EntityManager, { workspaceId, person, since, isDryRun }: Sought): Promise<number> {
  const where = `coalesce(w.finished_at, 'infinity') >= $3::timestamptz OR ${namesPerson('w.request::text', '$2')}`;
  return eraseRows(tx, isDryRun, { table: 'exports', key: 'id', where, values: [workspaceId, person, since] });
}
