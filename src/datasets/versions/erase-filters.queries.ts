import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../../platform/database/erase-rows.js';

/** Erases searches of datasets that name a person: the version stays and can no longer be refreshed. */
export function eraseDatasetFilters(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const where = namesPerson(`concat_ws(' ', w.filter_params::text, w.next_import::text)`, '$2');
  const set = 'filter_params = NULL, next_import = NULL';
  return eraseRows(tx, isDryRun, { table: 'dataset_versions', key: 'id', where, values: [workspaceId, person], set });
}
