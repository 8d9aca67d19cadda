import type { EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../../platform/database/erase-rows.js';

/** Takes the place of a message that may name a person. */
const ERASED = 'The message was erased together with data of a person.';
const NOTHING = `'{"matrix": [], "sub_scores": {}}'::jsonb`;

/**
 * Tables that code has made for the scores of reports, where they name a person or rows of the report are erased, and messages of scores
 * that failed. The scores stay.
 */
export function eraseReportScores(tx: EntityManager, sought: Sought): Promise<number> {
  const { workspaceId, person, rows, isDryRun } = sought;
  const isOfRows = 'w.sheet_id = ANY($3::uuid[])';
  const hasTables = `(w.score #> '{details,matrix}' <> '[]' OR w.score #> '{details,sub_scores}' <> '{}' OR w.score_matrix <> '[]')`;
  const hasMessage = `w.score_error <> '${ERASED}'`;
  const quoted = namesPerson(`concat_ws(' ', w.score::text, w.score_matrix::text, w.score_error)`, '$2');
  return eraseRows(tx, isDryRun, {
    table: 'reports',
    key: 'id',
    where: `(${hasTables} OR ${hasMessage}) AND (${isOfRows} OR ${quoted})`,
    values: [workspaceId, person, [...new Set(rows.map(({ sheetId }) => sheetId))]],
    set: `score = CASE WHEN score #> '{details,matrix}' IS NULL THEN score ELSE jsonb_set(score, '{details}', score -> 'details' || ${NOTHING}) END,
          score_matrix = CASE WHEN score_matrix IS NOT NULL THEN '[]'::jsonb END,
          score_error = CASE WHEN score_error IS NOT NULL THEN '${ERASED}' END`,
  });
}
