import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';

/** The sum of the scores of one name. */
export interface ScoreSum {
  name: string;
  /** Number of calls with the score. */
  count: number;
  /** 0 to 100. */
  average: number;
}

/** Time limit of the statement. Scores have no hourly sums. */
const LIMIT_MS = 3000;

/**
 * The scores of calls by the facet of their version and by name, in one statement. Null when there are too many calls
 * for the time limit.
 */
export async function scoresByFacet(
  tx: EntityManager,
  { workspaceId, facets, origin = null }: { workspaceId: number; facets: readonly string[]; origin?: string | null },
): Promise<Map<string, ScoreSum[]> | null> {
  const rows = await withinMoment(tx, LIMIT_MS, (moment) =>
    moment.query<(ScoreSum & { facet: string })[]>(
      `SELECT facet, s.name, count(*)::int AS count, avg(s.score)::float8 AS average
         FROM request_logs l
         JOIN request_scores s ON s.workspace_id = $1 AND s.log_id = l.id
        CROSS JOIN unnest(l.facets) AS facet
        WHERE l.workspace_id = $1 AND l.facets && $2::text[] AND facet = ANY($2::text[])
          AND ($3::text IS NULL OR l.origin = $3::text)
        GROUP BY facet, s.name ORDER BY s.name COLLATE "C"`,
      [workspaceId, facets, origin],
    ),
  );
  if (!rows) return null;
  const scores = new Map(facets.map((facet) => [facet, [] as ScoreSum[]]));
  for (const { facet, ...score } of rows) scores.get(facet)!.push(score);
  return scores;
}
