import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import type { Sheet } from '../grid/sheet.entity.js';
import type { VersionScoreType } from './score-result.js';

/** How much of each kind has changed in all versions up to one. */
export interface ChangeCounts {
  columns: number;
  rows: number;
  cells: number;
  executions: number;
  promptVersions: number;
}

export interface ScoredVersion extends ChangeCounts {
  versionId: string;
  number: number;
  name: string | null;
  createdAt: Date;
  score: number;
  scoreType: VersionScoreType;
  calculatedAt: Date;
}

/**
 * Counts of changes are running totals over all versions: the difference of two points is what lies between them,
 * whichever points are left out.
 */
const READ = new Statement<ScoredVersion>(`
  WITH totals AS (
    SELECT v.number, v.id, v.name, v.created_at,
           sum(d.columns) OVER numbered AS columns, sum(d.rows) OVER numbered AS rows, sum(d.cells) OVER numbered AS cells,
           sum(d.executions) OVER numbered AS executions, sum(d.prompts) OVER numbered AS prompts
      FROM sheet_versions v, LATERAL (
        SELECT (count(*) FILTER (WHERE type LIKE 'column.%') + coalesce(sum((delta->>'columns_added')::int), 0))::float8 AS columns,
               (coalesce(sum(count) FILTER (WHERE type LIKE 'rows.%'), 0)
                 + coalesce(sum((delta->>'rows_added')::int), 0))::float8 AS rows,
               (count(*) FILTER (WHERE type = 'cell.update')
                 + coalesce(sum(count) FILTER (WHERE type = 'cells.update'), 0))::float8 AS cells,
               (count(*) FILTER (WHERE type = 'execution'))::float8 AS executions,
               (count(*) FILTER (WHERE type = 'prompt.update'))::float8 AS prompts
          FROM jsonb_array_elements(v.deltas) delta, LATERAL (
            SELECT delta->>'type' AS type, (delta->>'count')::int AS count) named) d
     WHERE v.workspace_id = $1 AND v.sheet_id = $2 AND v.number > $3
    WINDOW numbered AS (ORDER BY v.number ROWS UNBOUNDED PRECEDING))
  SELECT t.id AS "versionId", t.number, t.name, t.created_at AS "createdAt", s.score, s.score_type AS "scoreType",
         s.calculated_at AS "calculatedAt", t.columns, t.rows, t.cells,
         t.executions, t.prompts AS "promptVersions"
    FROM totals t JOIN version_scores s ON s.workspace_id = $1 AND s.sheet_id = $2 AND s.version = t.number
   ORDER BY t.number`);

/** The versions of a sheet that have a score, of the newest so many (all of them for null), oldest first. */
export function readScoredVersions(
  tx: EntityManager,
  { workspaceId, id, version }: Sheet,
  newest: number | null,
): Promise<ScoredVersion[]> {
  return READ.run(tx, [workspaceId, id, newest === null ? -1 : version - newest]);
}
