import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type RowsToErase, type Sought } from '../../platform/database/erase-rows.js';

/** Replaces a message that may name a person. */
const ERASED = 'The message was erased together with data of a person.';
/** The custom result of a score with its quotes removed. The score itself stays. */
const NO_CUSTOM = `'{"matrix": null, "subScores": {}}'::jsonb`;

/**
 * Calculations keep their numbers. Their quotes are erased: the most frequent values of a column, tables that code has
 * made, messages.
 */
interface Calculations extends Pick<RowsToErase, 'table' | 'key'> {
  set: string;
  /** SQL of the quotes. */
  quoted: string;
  /** SQL of whether there are quotes. */
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

/** Erases the verdicts of scorecard steps, and their evidence, from rows that name a person. */
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

/** Erases the quotes in all calculations of a sheet, whichever rows they are from. */
export async function forgetQuotes(tx: EntityManager, workspaceId: number, sheetId: string): Promise<void> {
  for (const { table, set, quotes } of [OF_SCORECARDS, OF_SCORES]) {
    await tx.query(`UPDATE ${table} w SET ${set} WHERE w.workspace_id = $1 AND w.sheet_id = $2 AND ${quotes}`, [
      workspaceId,
      sheetId,
    ]);
  }
}

/**
 * Restarts running calculations, of one sheet or of all: they may have read erased rows, and would store quotes of them.
 */
export async function restartCalculations(
  tx: EntityManager,
  workspaceId: number,
  sheetId: string | null = null,
): Promise<void> {
  for (const { table } of [OF_SCORECARDS, OF_SCORES]) {
    await tx.query(
      `UPDATE ${table} w SET claim = NULL, lease_until = NULL, attempts = attempts - 1
        WHERE w.workspace_id = $1 AND ($2::uuid IS NULL OR w.sheet_id = $2) AND w.status = 'running' AND w.claim IS NOT NULL`,
      [workspaceId, sheetId],
    );
  }
}
