import type { EntityManager } from 'typeorm';
import { eraseRows, maskPerson, namesPerson, type Sought } from '../platform/database/erase-rows.js';

/** Keeps the answers of reviewers and replaces names of the person in their comments by a keyed hash. */
export function eraseComments(tx: EntityManager, { workspaceId, person, mask, isDryRun }: Sought): Promise<number> {
  return eraseRows(tx, isDryRun, {
    table: 'review_answers',
    key: 'queue_id, item_id, reviewer',
    // A dry run uses the same parameters.
    where: `${namesPerson('w.comment', '$2')} AND $3::text IS NOT NULL`,
    values: [workspaceId, person, mask],
    set: `comment = ${maskPerson('comment', '$2', '$3')}`,
  });
}
