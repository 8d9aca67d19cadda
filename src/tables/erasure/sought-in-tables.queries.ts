import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../../platform/database/erase-rows.js';

/** Erases searches and file names of imports that name a person. Running imports are skipped, because they end soon. */
export function eraseImportRequests(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const texts = namesPerson(`concat_ws(' ', w.request::text, w.file_name, w.error_message)`, '$2');
  const by = `jsonb_build_object('keyId', request #> '{by,keyId}', 'keyName', NULL, 'requestId', id)`;
  const set = `request = jsonb_build_object('by', ${by}), file_name = NULL, error_message = NULL`;
  const where = `w.status NOT IN ('queued', 'running') AND w.source <> 'sheet' AND ${texts}`;
  return eraseRows(tx, isDryRun, { table: 'import_operations', key: 'id', where, values: [workspaceId, person], set });
}

/**
 * Erases stored results of cells that name a person, and all since the first trace, log or computed cell of the person:
 * their inputs are unknown by then.
 */
export function eraseKeptResults(tx: EntityManager, { workspaceId, person, since, isDryRun }: Sought): Promise<number> {
  const where = `w.computed_at >= $3::timestamptz OR (w.value IS NOT NULL AND ${namesPerson('w.value::text', '$2')})`;
  return eraseRows(tx, isDryRun, { table: 'cell_memo', key: 'key', where, values: [workspaceId, person, since] });
}
