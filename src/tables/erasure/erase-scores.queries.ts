import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type RowsToErase, type Sought } from '../../platform/database/erase-rows.js';

/** Takes the place of a message that may name a person. */
const ERASED = 'The message was erased together with data of a person.';
/** What is left of what code has made of the rows of a sheet besides the score. */
const NO_CUSTOM = `'{"matrix": null, "subScores": {}}'::jsonb`;

/** Calculations keep their numbers. What they quote is forgotten: the most frequent values of a column, tables that code has made, messages. */
interface Calculations extends Pick<RowsToErase, 'table' | 'key'> {
  set: string;
  /** What they quote. */
  quoted: string;
  /** Whether they quote anything. */
  quotes: string;
}

const message = `error = CASE WHEN error IS NOT NULL THEN '${ERASED}' END`;
const hasMessage = `(w.error IS NOT NULL AND w.error <> '${ERASED}')`;

const OF_SCORECARDS: Calculations = {
  table: 'scorecard_calculations',
  key: 'id',
  set: `${message}, result = jsonb_set(result, '{criteria}', (
    SELECT coalesce(jsonb_object_agg(step, found - 'value'), '{}') FROM jsonb_each(result -> 'criteria') AS c (step, found)))`,
  quoted: `concat_ws(' ', jsonb_path_query_array(w.result, '$.criteria.*.value')::text, w.error)`,
  quotes: `(jsonb_path_exists(w.result, '$.criteria.*.value') OR ${hasMessage})`,
};

const OF_SCORES: Calculations = {
  table: 'score_calculations',
  key: 'id',
  set: `${message}, result = CASE WHEN result ? 'custom' THEN jsonb_set(result, '{custom}', ${NO_CUSTOM}) ELSE result END`,
  quoted: `concat_ws(' ', (w.result -> 'custom')::text, w.error)`,
  quotes: `(w.result -> 'custom' <> ${NO_CUSTOM} OR ${hasMessage})`,
};

/** What steps of scorecards have found in rows, and what they found it in, where it names a person. */
export function eraseVerdicts(tx: EntityManager, { workspaceId, person, isDryRun }: Sought): Promise<number> {
  const where = namesPerson('w.steps::text', '$2');
  const values = [workspaceId, person];
  return eraseRows(tx, isDryRun, { table: 'scorecard_rows', key: 'calculation_id, row_index', where, values });
}

export const eraseScorecardResults = (tx: EntityManager, sought: Sought): Promise<number> =>
  eraseQuotes(tx, sought, OF_SCORECARDS);

export const eraseScoreResults = (tx: EntityManager, sought: Sought): Promise<number> =>
  eraseQuotes(tx, sought, OF_SCORES);

function eraseQuotes(
  tx: EntityManager,
  { workspaceId, person, isDryRun }: Sought,
  { table, key, set, quoted, quotes }: Calculations,
): Promise<number> {
  const where = `${quotes} AND ${namesPerson(quoted, '$2')}`;
  return eraseRows(tx, isDryRun, { table, key, where, values: [workspaceId, person], set });
}

/** What the calculations of a sheet quote of its rows, whichever those are. */
export async function forgetQuotes(tx: EntityManager, workspaceId: number, sheetId: string): Promise<void> {
  for (const { table, set, quotes } of [OF_SCORECARDS, OF_SCORES]) {
    await tx.query(`UPDATE ${table} w SET ${set} WHERE w.workspace_id = $1 AND w.sheet_id = $2 AND ${quotes}`, [
      workspaceId,
      sheetId,
    ]);
  }
}

/**
 * Lets the calculations that are running begin again: what they have read may be gone by now, and they would store what they quote of it
 * when nothing else is left.
 */
export async function restartCalculations(tx: EntityManager, workspaceId: number): Promise<void> {
  for (const { table } of [OF_SCORECARDS, OF_SCORES]) {
    await tx.query(
      `UPDATE ${table} w SET claim = NULL, lease_until = NULL, attempts = attempts - 1
        WHERE w.workspace_id = $1 AND w.status = 'running' AND w.claim IS NOT NULL`,
      [workspaceId],
    );
  }
}
