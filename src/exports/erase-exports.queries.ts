import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/**
 * Erases exports whose file may have data of a person: those that were not complete when the first of these data was stored. Also
 * erases exports whose filter names the person. A worker that is writing such a file loses its claim.
 */
export function eraseExports(tx: EntityManager, { workspaceId, person, since, isDryRun }: Sought): Promise<number> {
  const where = `coalesce(w.finished_at, 'infinity') >= $3::timestamptz OR ${namesPerson('w.request::text', '$2')}`;
  return eraseRows(tx, isDryRun, { table: 'exports', key: 'id', where, values: [workspaceId, person, since] });
}
