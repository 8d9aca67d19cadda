import type { EntityManager } from 'typeorm';

/** Names that are listed. */
const MOST_NAMES = 200;

/** Goes from one name to the next in the index: there are few names and many scores. */
const NAMES = `
  WITH RECURSIVE names (name) AS (
    (SELECT name FROM request_scores WHERE workspace_id = $1 ORDER BY name LIMIT 1)
    UNION ALL
    (SELECT (SELECT s.name FROM request_scores s WHERE s.workspace_id = $1 AND s.name > names.name ORDER BY s.name LIMIT 1)
       FROM names WHERE names.name IS NOT NULL))
  SELECT name FROM names WHERE name IS NOT NULL LIMIT ${MOST_NAMES}`;

/** The names of all scores of a workspace, in order. */
export async function readScoreNames(tx: EntityManager, workspaceId: number): Promise<string[]> {
  return (await tx.query<{ name: string }[]>(NAMES, [workspaceId])).map(({ name }) => name);
}

/** Scores whose sums are wanted. */
export interface WantedScores {
  workspaceId: number;
  name: string;
  since: Date;
  /** Null for all. */
  origins: readonly string[] | null;
  /** A log counts that has all of these. */
  facets: readonly string[];
}

/** Scores that belong together: a bucket of time, or a group of logs. */
export interface ScoreSums {
  count: number;
  /** 0 to 100. */
  mean: number;
}

const SCORED = `
  SELECT l.request_start_time AS at, l.facets, s.score
    FROM request_scores s JOIN request_logs l ON l.workspace_id = $1 AND l.id = s.log_id
   WHERE s.workspace_id = $1 AND s.name = $2 AND l.request_start_time >= $3::timestamptz
     AND ($4::text[] IS NULL OR l.origin = ANY ($4::text[])) AND l.facets @> $5::text[]`;
const SUMS = `count(*)::int AS count, avg(score)::float8 AS mean`;

const BUCKETS = `
  SELECT date_bin($6::int * interval '1 second', at, TIMESTAMPTZ '1970-01-01 00:00:00Z') AS at, ${SUMS}
    FROM (${SCORED}) AS scored GROUP BY 1 ORDER BY 1`;

/** Sums by time, the oldest first; buckets without scores are missing. */
export function readScoreBuckets(tx: EntityManager, wanted: WantedScores, bucketSeconds: number) {
  return tx.query<(ScoreSums & { at: Date })[]>(BUCKETS, [...parametersOf(wanted), bucketSeconds]);
}

const GROUPS = `
  SELECT substr(facet, length($6::text) + 1) AS value, ${SUMS}
    FROM (${SCORED}) AS scored
   CROSS JOIN LATERAL (SELECT DISTINCT facet FROM unnest(facets) AS f (facet)
                        WHERE starts_with(facet, $6::text) AND substr(facet, length($6::text) + 1) ~ $7::text) AS found
   GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $8::int`;

/** Sums of the groups with the most scores. `prefix` and `rest`: see `RequestGroup`. */
export function readScoreGroups(
  tx: EntityManager,
  wanted: WantedScores,
  { prefix, rest, limit }: { prefix: string; rest: string; limit: number },
) {
  return tx.query<(ScoreSums & { value: string })[]>(GROUPS, [...parametersOf(wanted), prefix, rest, limit]);
}

function parametersOf({ workspaceId, name, since, origins, facets }: WantedScores): unknown[] {
  return [workspaceId, name, since, origins, facets];
}
