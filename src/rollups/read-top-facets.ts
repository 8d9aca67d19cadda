import type { EntityManager } from 'typeorm';
import type { BucketSums } from './histogram-buckets.js';
import { HOUR, type TimeRange } from './histogram-range.js';
import { type HourlyRows, hoursTable } from './hourly-rows.js';
import { isoOf, missingHours } from './read-histogram.js';
import { ALL_TIME, readTotals } from './read-totals.js';

interface TopFacetsOf {
  workspaceId: number;
  /** How the facets begin that are meant. */
  prefix: string;
  /** A regular expression for what follows; all without it. */
  rest?: string;
  origins: readonly string[] | null;
  /** From which hour on, in microseconds; null for all time. */
  from: bigint | null;
  limit: number;
}

/**
 * The facets with the most rows, and what these add up to. The sums of the facets that are given are complete. Which ones are given is
 * decided by hours that are added up and by the rows of all others: a facet that is never among the most frequent of an hour is not found.
 */
export async function readTopFacets(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, prefix, rest = '', origins, from, limit }: TopFacetsOf,
): Promise<[facet: string, sums: BucketSums][]> {
  const hours: TimeRange = { ...ALL_TIME, ...(from !== null && { from: from - (((from % HOUR) + HOUR) % HOUR) }) };
  const missing = await missingHours(tx, rows, { workspaceId, facets: [], hours });
  const { from: table, facetsFrom = '', alias, start, origin, facets } = rows;
  const found = await tx.query<{ facet: string }[]>(
    `WITH counted (facet, count) AS (
       SELECT facet, sum(count) FROM ${hoursTable(rows)}
        WHERE workspace_id = $1 AND starts_with(facet, $2::text) AND facet COLLATE "C" >= $2::text AND hour >= $3::timestamptz
          AND $4::timestamptz[] IS NOT NULL AND hour <> ALL($4::timestamptz[]) AND ($5::text[] IS NULL OR origin = ANY($5::text[]))
        GROUP BY facet
       UNION ALL
       SELECT facet, count(*) FROM ${table} ${facetsFrom}, unnest(${facets}) AS facet
        WHERE ${alias}workspace_id = $1 AND starts_with(facet, $2::text) AND ${start.column} >= ${start.ofHour('$3::timestamptz')}
          AND ($4::timestamptz[] IS NULL OR EXISTS (
            SELECT FROM unnest($4::timestamptz[]) AS hour
             WHERE ${start.column} >= ${start.ofHour('hour')} AND ${start.column} < ${start.ofHour(`hour + interval '1 hour'`)}))
          AND ($5::text[] IS NULL OR ${origin} = ANY($5::text[]))
        GROUP BY facet)
     SELECT facet FROM counted WHERE substr(facet, length($2::text) + 1) ~ $7::text GROUP BY facet ORDER BY sum(count) DESC, facet COLLATE "C" LIMIT $6::int`,
    [workspaceId, prefix, isoOf(hours.from), missing?.map(isoOf) ?? null, origins, limit, rest],
  );
  const totals = await readTotals(tx, rows, { workspaceId, facets: found.map(({ facet }) => facet), origins, hours });
  const counts = (sums: BucketSums) => sums.toNumbers().count;
  return [...totals].sort(([a, x], [b, y]) => counts(y) - counts(x) || (a < b ? -1 : 1));
}
