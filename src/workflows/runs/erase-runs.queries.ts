import type { EntityManager } from 'typeorm';
import { eraseRows, holdsAny, type Sought } from '../../platform/database/erase-rows.js';

const END = `(SELECT FROM workflow_run_ends e WHERE e.workspace_id = $1 AND e.id = w.id)`;

/** Runs whose row is not in its sheet any more, and those whose metadata names a person. One that still has to be told of comes first. */
export async function eraseRuns(tx: EntityManager, { workspaceId, needles, isDryRun }: Sought): Promise<number> {
  const values = [workspaceId, needles];
  const isErased = `(${holdsAny('w.metadata::text', '$2')} OR NOT EXISTS (
    SELECT FROM sheets s WHERE s.workspace_id = $1 AND s.id = w.sheet_id AND s.rows @> w.row_index))`;
  const runs = { table: 'workflow_runs', key: 'id', where: isErased, values };
  if (isDryRun) return eraseRows(tx, true, { ...runs, where: holdsAny('w.metadata::text', '$2') });
  await tx.query(
    `DELETE FROM workflow_run_ends WHERE workspace_id = $1 AND id IN (
       SELECT w.id FROM workflow_runs w WHERE w.workspace_id = $1 AND ${isErased} AND EXISTS ${END})`,
    values,
  );
  return eraseRows(tx, false, runs);
}
