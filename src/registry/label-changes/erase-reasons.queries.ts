import type { EntityManager } from 'typeorm';
import { eraseRows, maskPerson, namesPerson, type Sought } from '../../platform/database/erase-rows.js';

/** Keeps the requests and replaces names of the person in their reasons by a keyed hash. */
export function eraseReasons(tx: EntityManager, { workspaceId, person, mask, isDryRun }: Sought): Promise<number> {
  // A dry run uses the same parameters.
  const where = `${namesPerson(`concat_ws(' ', w.reason, w.decision_reason)`, '$2')} AND $3::text IS NOT NULL`;
  const set = ['reason', 'decision_reason'].map((column) => `${column} = ${maskPerson(column, '$2', '$3')}`).join(', ');
  return eraseRows(tx, isDryRun, {
    table: 'label_changes',
    key: 'id',
    where,
    values: [workspaceId, person, mask],
    set,
  });
}
