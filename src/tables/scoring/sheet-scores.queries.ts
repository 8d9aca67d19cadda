import { Statement } from '../../platform/database/statement.js';
import type { Order } from '../../platform/http/list.js';
import type { ScoreEstimate } from '../scorecards/aggregate-estimate.js';
import type { Verdict } from '../scorecards/verdicts.js';
import type { SheetPlace } from '../sheets/sheet-place.dto.js';
import type { VersionScoreType } from '../../scoring/index.js';

/** The newest score of a sheet. */
export interface ListedScore extends SheetPlace {
  /** The present version of the sheet. */
  sheetVersion: number;
  version: number;
  score: number;
  scoreType: VersionScoreType;
  calculatedAt: Date;
  /** null unless the score is from a scorecard. */
  verdict: Verdict | null;
  estimate: ScoreEstimate | null;
}

/**
 * Lists the sheets of tables that have a score. The parameters are the workspace, the position before the page (a time
 * and an id), and the number of sheets. The newest score of each sheet is read by its key; results of scorecards are
 * read for one page only.
 */
const inOrder = (order: Order, beyond: '<' | '>') =>
  new Statement<ListedScore>(`
    SELECT page.*, found.result->>'verdict' AS verdict, found.result->'estimate' AS estimate FROM (
      SELECT t.id AS "tableId", t.title AS "tableTitle", s.id AS "sheetId", s.title AS "sheetTitle", s.version AS "sheetVersion",
             v.version, v.score, v.score_type AS "scoreType", v.calculated_at AS "calculatedAt"
        FROM sheets s
        JOIN tables t ON t.workspace_id = $1 AND t.id = s.table_id AND t.deleted_at IS NULL,
             LATERAL (
               SELECT n.version, n.score, n.score_type, n.calculated_at FROM version_scores n
                WHERE n.workspace_id = $1 AND n.sheet_id = s.id ORDER BY n.version DESC LIMIT 1) v
       WHERE s.workspace_id = $1 AND s.deleted_at IS NULL
         AND (v.calculated_at, s.id) ${beyond} ($2::timestamptz, $3::uuid)
       ORDER BY v.calculated_at ${order}, s.id ${order} LIMIT $4) page
      LEFT JOIN LATERAL (
        SELECT c.result FROM scorecard_calculations c
         WHERE c.workspace_id = $1 AND c.sheet_id = page."sheetId" AND c.version = page.version AND c.status = 'completed'
           AND page."scoreType" = 'scorecard'
         ORDER BY c.number DESC LIMIT 1) found ON true
     ORDER BY page."calculatedAt" ${order}, page."sheetId" ${order}`);

export const SHEET_SCORES: Record<Order, Statement<ListedScore>> = {
  desc: inOrder('desc', '<'),
  asc: inOrder('asc', '>'),
};
