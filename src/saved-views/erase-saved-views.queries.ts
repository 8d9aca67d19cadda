import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/** Erases saved views whose name or parameters name a person, such as a filter by their user id. */
export function eraseSavedViews(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const where = namesPerson(`concat_ws(' ', w.name, w.query::text)`, '$2');
  return eraseRows(tx, isDryRun, { table: 'saved_views', key: 'id', where, values: [workspaceId, person] });
}
