import type { EntityManager } from 'typeorm';
import { BucketSums, type ClassSums, type HourSumsRow } from './histogram-buckets.js';
import type { TimeRange } from './histogram-range.js';
import { type HourlyRows, hoursTable, measured, SUMS } from './hourly-rows.js';
import { isoOf, missingHours } from './read-histogram.js';

/** Everything that a log can have as its time, in whole hours. Hours outside of it are not counted. */
export const ALL_TIME: TimeRange = { from: -62_135_596_800_000_000n, to: 253_402_297_200_000_000n };

/** Which rows are added up; `origins` null for all. */
interface TotalsOf {
  workspaceId: number;
  facets: readonly string[];
  origins?: readonly string[] | null;
  /** Whole hours. */
  hours?: TimeRange;
}

/**
 * Sums over the rows with each facet, over all time or over some hours. Unchanged hours have stored sums; only the rows of other
 * hours are read. `tx` must be a snapshot. A facet without rows is missing in the answer. Throws the errors of a statement that
 * takes too long.
 */
export async function readTotals(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, facets, origins = null, hours = ALL_TIME }: TotalsOf,
): Promise<Map<string, BucketSums>> {
  const totals = new Map<string, BucketSums>();
  const totalOf = (facet: string): BucketSums => {
    const total = totals.get(facet) ?? new BucketSums();
    totals.set(facet, total);
    return total;
  };
  const missing = await missingHours(tx, rows, { workspaceId, facets, hours });
  if (missing) {
    for (const row of await sumsByFacet(tx, rows, { workspaceId, facets, origins, hours, missing })) {
      totalOf(row.facet).addHour(row);
    }
  }
  for (const row of await rowsByFacet(tx, rows, { workspaceId, facets, origins, hours, missing }))
    totalOf(row.facet).addClass(row);
  return totals;
}

interface Facets {
  workspaceId: number;
  facets: readonly string[];
  origins: readonly string[] | null;
  hours: TimeRange;
  /** Hours whose rows have to be read; null for all. */
  missing: bigint[] | null;
}

const SUMMED = ['count', 'failed', 'unpriced', 'input_tokens', 'output_tokens', 'cost'];

function sumsByFacet(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, facets, origins, hours, missing }: Facets,
): Promise<(HourSumsRow & { facet: string })[]> {
  return tx.query(
    `SELECT facet, ${SUMMED.map((column) => `sum(${column}) AS ${column}`).join(', ')},
            string_agg(latencies, ''::bytea) AS latencies
       FROM ${hoursTable(rows)}
      WHERE workspace_id = $1 AND facet = ANY($2::text[]) AND hour <> ALL($3::timestamptz[])
        AND ($4::text[] IS NULL OR origin = ANY($4::text[])) AND hour >= $5::timestamptz AND hour < $6::timestamptz
      GROUP BY facet`,
    [workspaceId, facets, missing!.map(isoOf), origins, isoOf(hours.from), isoOf(hours.to)],
  );
}

function rowsByFacet(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, facets, origins, hours, missing }: Facets,
): Promise<(ClassSums & { facet: string })[]> {
  const { from, alias, start, origin: originOf } = rows;
  return tx.query(
    `SELECT facet, latency, ${SUMS} FROM (
       SELECT facet, ${measured(rows)} FROM ${from}
        CROSS JOIN LATERAL (SELECT DISTINCT facet COLLATE "C" AS facet FROM unnest(${alias}facets) AS f (facet)
                             WHERE facet = ANY($2::text[])) AS found
        WHERE ${alias}workspace_id = $1 AND ${alias}facets && $2::text[]
          AND ($3::timestamptz[] IS NULL OR ${start.hour} = ANY($3::timestamptz[]))
          AND ($4::text[] IS NULL OR ${originOf} = ANY($4::text[]))
          AND ${start.column} >= ${start.ofHour('$5::timestamptz')} AND ${start.column} < ${start.ofHour('$6::timestamptz')}) AS rows
      GROUP BY facet, latency`,
    [workspaceId, facets, missing?.map(isoOf) ?? null, origins, isoOf(hours.from), isoOf(hours.to)],
  );
}
