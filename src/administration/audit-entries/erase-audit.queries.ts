import type { EntityManager } from 'typeorm';
import { eraseRows, maskPerson, namesPerson, type Sought } from '../../platform/database/erase-rows.js';

/** Keeps the entries and replaces names of the person in their details by a keyed hash. */
export function eraseFromAudit(tx: EntityManager, { workspaceId, person, mask, isDryRun }: Sought): Promise<number> {
  // A dry run uses the same parameters.
  const where = `${namesPerson('w.details::text', '$2')} AND $3::text IS NOT NULL`;
  const set = `details = (${maskPerson('details::text', '$2', '$3')})::jsonb`;
  const values = [workspaceId, person, mask];
  return eraseRows(tx, isDryRun, { table: 'audit_entries', key: 'id', where, values, set });
}
