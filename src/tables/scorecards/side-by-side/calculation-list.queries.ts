import { Statement } from '../../../platform/database/statement.js';
import type { Order } from '../../../platform/http/list.js';
import type { CalculationStatus } from '../../../scoring/index.js';
import type { SheetPlace } from '../../sheets/sheet-place.dto.js';
import type { ScoreEstimate } from '../aggregate-estimate.js';
import type { VerdictCounts } from '../criterion.js';
import type { Verdict } from '../verdicts.js';

/** A calculation with its sheet, without results of rows and steps. */
export interface ListedCalculation extends SheetPlace {
  id: string;
  status: CalculationStatus;
  version: number;
  sheetVersion: number;
  scorecardName: string;
  score: number | null;
  verdict: Verdict | null;
  estimate: ScoreEstimate | null;
  counts: VerdictCounts | null;
  configHash: string;
  isPartial: boolean;
  error: string | null;
  scoringCost: number | null;
  createdAt: Date;
  completedAt: Date | null;
}

/** Lists calculations in order. Those of deleted scorecards are left out. */
const inOrder = (order: Order, beyond: '<' | '>') =>
  new Statement<ListedCalculation>(`
    SELECT c.id, CASE WHEN c.status = 'queued' AND e.status <> 'queued' THEN 'running' ELSE c.status END AS status,
           c.version, s.version AS "sheetVersion", t.id AS "tableId", t.title AS "tableTitle", s.id AS "sheetId",
           s.title AS "sheetTitle", sc.name AS "scorecardName", (c.result ->> 'score')::float8 AS score,
           c.result ->> 'verdict' AS verdict, c.result -> 'estimate' AS estimate, c.result -> 'counts' AS counts,
           c.plan ->> 'configHash' AS "configHash", c.scope IS NOT NULL AS "isPartial", c.error, e.cost AS "scoringCost",
           c.created_at AS "createdAt", c.completed_at AS "completedAt"
      FROM scorecard_calculations c
      JOIN sheets s ON s.workspace_id = $1 AND s.id = c.sheet_id AND s.deleted_at IS NULL
      JOIN tables t ON t.workspace_id = $1 AND t.id = s.table_id AND t.deleted_at IS NULL
      JOIN scorecards sc ON sc.workspace_id = $1 AND sc.sheet_id = c.sheet_id AND sc.version_to IS NULL AND sc.id = c.scorecard_id
      LEFT JOIN executions e ON e.workspace_id = $1 AND e.id = c.execution_id
     WHERE c.workspace_id = $1 AND (c.created_at, c.id) ${beyond} ($2::timestamptz, $3::uuid)
       AND ($5::uuid IS NULL OR c.sheet_id = $5) AND ($6::uuid IS NULL OR t.id = $6)
       AND ($7::text IS NULL OR c.status = $7)
     ORDER BY c.created_at ${order}, c.id ${order} LIMIT $4`);

export const CALCULATIONS: Record<Order, Statement<ListedCalculation>> = {
  desc: inOrder('desc', '<'),
  asc: inOrder('asc', '>'),
};
