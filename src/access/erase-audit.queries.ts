import type { EntityManager } from 'typeorm';
import { eraseRows, holdsAny, type Sought } from '../platform/database/erase-rows.js';

/** Entries stay, for they say who did what. What names the person in their details becomes a keyed hash. */
export function eraseFromAudit(tx: EntityManager, { workspaceId, needles, masks, isDryRun }: Sought): Promise<number> {
  const masked = needles.reduce(
    (text, _, at) => `replace(${text}, ($2::text[])[${at + 1}], ($3::text[])[${at + 1}])`,
    'details::text',
  );
  // Counting takes the same values.
  const where = `${holdsAny('w.details::text', '$2')} AND $3::text[] IS NOT NULL`;
  const values = [workspaceId, needles, masks];
  return eraseRows(tx, isDryRun, {
    table: 'audit_entries',
    key: 'id',
    where,
    values,
    set: `details = (${masked})::jsonb`,
  });
}
