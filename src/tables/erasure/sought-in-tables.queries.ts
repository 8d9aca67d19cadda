import type { EntityManager } from 'typeorm';
import { eraseRows, holdsAny, type Sought } from '../../platform/database/erase-rows.js';

/** Searches and names of files of imports that name a person. Imports that are still running are left alone: they come to an end. */
export function eraseImportRequests(tx: EntityManager, { workspaceId, needles, isDryRun }: Sought): Promise<number> {
  const texts = holdsAny(
    `concat_ws(' ', w.request::text, to_json(w.file_name)::text, to_json(w.error_message)::text)`,
    '$2',
  );
  const by = `jsonb_build_object('keyId', request #> '{by,keyId}', 'keyName', NULL, 'requestId', id)`;
  const set = `request = jsonb_build_object('by', ${by}), file_name = NULL, error_message = NULL`;
  const where = `w.status NOT IN ('queued', 'running') AND w.source <> 'sheet' AND ${texts}`;
  return eraseRows(tx, isDryRun, { table: 'import_operations', key: 'id', where, values: [workspaceId, needles], set });
}

/** Kept results of cells since the first trace or log of a person was stored: what they were computed from cannot be told any more. */
export function eraseKeptResults(tx: EntityManager, { workspaceId, since, isDryRun }: Sought): Promise<number> {
  const where = 'w.computed_at >= $2::timestamptz';
  return eraseRows(tx, isDryRun, { table: 'cell_memo', key: 'key', where, values: [workspaceId, since] });
}
