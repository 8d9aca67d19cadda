import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../../platform/database/erase-rows.js';

const END = `(SELECT FROM workflow_run_ends e WHERE e.workspace_id = $1 AND e.id = w.id)`;
const NAMES_PERSON = namesPerson(`concat_ws(' ', w.metadata::text, w.callback_url)`, '$2');
const ROW_IS_GONE = `NOT EXISTS (SELECT FROM sheets s WHERE s.workspace_id = $1 AND s.id = w.sheet_id AND s.rows @> w.row_index)`;
const ROW_GOES = '(w.sheet_id, w.row_index) IN (SELECT * FROM unnest($3::uuid[], $4::int[]))';

/** Rows of runs whose metadata or callback URL names the person. The row itself need not name them. */
export function findRowsOfRuns(db: EntityManager, { workspaceId, person }: Pick<Sought, 'workspaceId' | 'person'>) {
  return db.query<{ sheetId: string; row: number }[]>(
    `SELECT w.sheet_id AS "sheetId", w.row_index AS row FROM workflow_runs w WHERE w.workspace_id = $1 AND ${NAMES_PERSON}`,
    [workspaceId, person],
  );
}

/**
 * Erases runs that name a person, and runs whose row has been or will be erased. Deletes their pending entries in
 * workflow_run_ends first, because these refer to the runs. A run that ends meanwhile would add one, so runs are locked before.
 */
export async function eraseRuns(tx: EntityManager, { workspaceId, person, rows, isDryRun }: Sought): Promise<number> {
  const values = [workspaceId, person, rows.map(({ sheetId }) => sheetId), rows.map(({ row }) => row)];
  const where = `(${NAMES_PERSON} OR ${ROW_IS_GONE} OR ${ROW_GOES})`;
  if (!isDryRun) {
    await tx.query(
      `SELECT FROM workflow_runs w WHERE w.workspace_id = $1 AND ${where} ORDER BY w.id FOR UPDATE`,
      values,
    );
    await tx.query(
      `DELETE FROM workflow_run_ends WHERE workspace_id = $1 AND id IN (
         SELECT w.id FROM workflow_runs w WHERE w.workspace_id = $1 AND ${where} AND EXISTS ${END})`,
      values,
    );
  }
  return eraseRows(tx, isDryRun, { table: 'workflow_runs', key: 'id', where, values });
}
