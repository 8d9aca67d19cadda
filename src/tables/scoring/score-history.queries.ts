import type { EntityManager } from 'typeorm';
import { int4Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { VersionScoreType } from '../../scoring/index.js';

/** The score of a version. */
export interface Score {
  number: number;
  score: number;
}

/** Numbers of changes of each kind between two versions. */
export interface ChangeCounts {
  columns: number;
  rows: number;
  cells: number;
  executions: number;
  promptVersions: number;
}

export interface ScoredVersion extends Score, ChangeCounts {
  versionId: string;
  name: string | null;
  createdAt: Date;
  scoreType: VersionScoreType;
  calculatedAt: Date;
}

const READ = new Statement<Score>(`
  SELECT version AS number, score FROM version_scores
   WHERE workspace_id = $1 AND sheet_id = $2 AND version > $3 ORDER BY version`);

/** Adds the changes since the previous version in the list; none for the first one. */
const DESCRIBE = new Statement<ScoredVersion>(`
  SELECT p.number, v.id AS "versionId", v.name, v.created_at AS "createdAt", s.score, s.score_type AS "scoreType",
         s.calculated_at AS "calculatedAt", d.columns, d.rows, d.cells, d.executions, d.prompts AS "promptVersions"
    FROM (SELECT number, lag(number) OVER (ORDER BY number) AS before FROM unnest($3::int[]) number) p
    JOIN sheet_versions v ON v.workspace_id = $1 AND v.sheet_id = $2 AND v.number = p.number
    JOIN version_scores s ON s.workspace_id = $1 AND s.sheet_id = $2 AND s.version = p.number,
         LATERAL (
           SELECT (count(*) FILTER (WHERE type LIKE 'column.%') + coalesce(sum((delta->>'columns_added')::int), 0))::float8 AS columns,
                  (coalesce(sum(count) FILTER (WHERE type LIKE 'rows.%'), 0)
                    + coalesce(sum((delta->>'rows_added')::int), 0))::float8 AS rows,
                  (count(*) FILTER (WHERE type = 'cell.update')
                    + coalesce(sum(count) FILTER (WHERE type = 'cells.update'), 0))::float8 AS cells,
                  (count(*) FILTER (WHERE type = 'execution'))::float8 AS executions,
                  (count(*) FILTER (WHERE type = 'prompt.update'))::float8 AS prompts
             FROM sheet_versions c, jsonb_array_elements(c.deltas) delta,
                  LATERAL (SELECT delta->>'type' AS type, (delta->>'count')::int AS count) named
            WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.number > p.before AND c.number <= p.number) d
   ORDER BY p.number`);

/**
 * The scores of the newest versions of a sheet (of all for null), oldest first; versions without a score are left out.
 */
export function readScores(
  tx: EntityManager,
  { workspaceId, id, version }: Sheet,
  newest: number | null,
): Promise<Score[]> {
  return READ.run(tx, [workspaceId, id, newest === null ? -1 : version - newest]);
}

/** Describes versions with a score, given in their order, with the changes since the previous one in the list. */
export function describeScores(
  tx: EntityManager,
  { workspaceId, id }: Sheet,
  scores: Score[],
): Promise<ScoredVersion[]> {
  return DESCRIBE.run(tx, [workspaceId, id, int4Array(scores.map(({ number }) => number))]);
}
