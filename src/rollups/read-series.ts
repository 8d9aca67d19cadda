import type { EntityManager } from 'typeorm';
import { around, floorDivide, type TimeRange, wholeHours } from './histogram-range.js';
import { type HourlyRows, hoursTable, measured } from './hourly-rows.js';
import { isoOf, missingHours } from './read-histogram.js';
import { SeriesByGroup, type SeriesNumbers } from './series.js';

/** Which rows are added up, and how they are grouped. */
export interface SeriesQuery {
  workspaceId: number;
  /** Facets that are groups; the empty one stands for all rows. Or how they begin. */
  facets: readonly string[] | { prefix: string };
  /** null for all. */
  origins: readonly string[] | null;
  /** Ranges that do not overlap. */
  ranges: readonly TimeRange[];
}

/** Parts of time that are read from rows, in microseconds: the edges of ranges begin at multiples of it. */
export const FINE = 300_000_000n;

/**
 * The sums of each group by parts of time. Whole hours without changes are read from the sums, as parts of an hour; everything else
 * from rows, as parts of five minutes. `tx` must see one moment.
 */
export async function readSeries(tx: EntityManager, rows: HourlyRows, query: SeriesQuery): Promise<SeriesByGroup> {
  const { workspaceId, ranges } = query;
  const facets = namedIn(query);
  const found = new SeriesByGroup();
  const pieces: TimeRange[] = [];
  for (const range of ranges) {
    const hours = wholeHours(range);
    const missing = hours && (await missingHours(tx, rows, { workspaceId, facets, hours }));
    if (!hours || !missing) pieces.push(range);
    else {
      await addSums(tx, rows, query, { hours, missing, found });
      pieces.push(...around(range, hours, missing));
    }
  }
  for (let from = 0; from < pieces.length; from += MOST_PIECES) {
    await addRows(tx, rows, query, { pieces: pieces.slice(from, from + MOST_PIECES), found });
  }
  return found;
}

/** Pieces of one statement, which has to be planned. */
const MOST_PIECES = 30;

const namedIn = ({ facets }: SeriesQuery): readonly string[] => ('prefix' in facets ? [] : facets);

/** The condition that a facet is wanted, with the parameter $2. The table of sums has an index that begins with facets. */
const wanted = ({ facets }: SeriesQuery): string =>
  'prefix' in facets
    ? `facet COLLATE "C" >= $2::text AND facet COLLATE "C" < $2::text || chr(1114111)`
    : 'facet COLLATE "C" = ANY($2::text[])';

const wantedValue = ({ facets }: SeriesQuery): unknown => ('prefix' in facets ? facets.prefix : facets);

interface FoundHours {
  hours: TimeRange;
  missing: bigint[];
  found: SeriesByGroup;
}

async function addSums(
  tx: EntityManager,
  rows: HourlyRows,
  query: SeriesQuery,
  { hours, missing, found }: FoundHours,
): Promise<void> {
  const { workspaceId, origins } = query;
  const sums = await tx.query<(SeriesNumbers & { facet: string; seconds: number; latencies: Buffer })[]>(
    `SELECT facet, date_part('epoch', hour) AS seconds, count AS items, failed, input_tokens + output_tokens AS tokens, cost, latencies
       FROM ${hoursTable(rows)}
      WHERE workspace_id = $1 AND ${wanted(query)} AND hour >= $3::timestamptz AND hour < $4::timestamptz
        AND hour <> ALL($5::timestamptz[]) AND ($6::text[] IS NULL OR origin = ANY($6::text[]))`,
    [workspaceId, wantedValue(query), isoOf(hours.from), isoOf(hours.to), missing.map(isoOf), origins],
  );
  for (const { facet, seconds, latencies, ...numbers } of sums) {
    const part = found.of(facet).at(seconds * 1000);
    part.addNumbers(numbers);
    part.addPacked(latencies);
  }
}

/** A row of the database: the rows of a class that a group has in a part of time. */
export interface SeriesRow extends SeriesNumbers {
  facet: string;
  part: number;
  class: number | null;
}

async function addRows(
  tx: EntityManager,
  rows: HourlyRows,
  query: SeriesQuery,
  { pieces, found }: { pieces: TimeRange[]; found: SeriesByGroup },
): Promise<void> {
  const { workspaceId, origins } = query;
  const { from, facetsFrom = '', alias, start, origin, facetList = `${alias}facets` } = rows;
  const values: unknown[] = [workspaceId, wantedValue(query), origins];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const parts = pieces.map(
    (piece) =>
      `SELECT facet, ${partOf(rows)} AS part, ${measured(rows)} FROM ${from} ${facetsFrom}
        CROSS JOIN LATERAL (SELECT DISTINCT facet COLLATE "C" AS facet FROM unnest(''::text || ${facetList}) AS f (facet)
                             WHERE ${wanted(query)}) AS found
        WHERE ${alias}workspace_id = $1 AND ($3::text[] IS NULL OR ${origin} = ANY($3::text[]))
          AND ${start.column} >= ${parameter(start.write(piece.from))}::${start.type}
          AND ${start.column} < ${parameter(start.write(piece.to))}::${start.type}`,
  );
  addSeriesRows(
    found,
    await tx.query<SeriesRow[]>(
      `SELECT facet, part, latency AS class, ${SERIES_SUMS} FROM (${parts.join(' UNION ALL ')}) AS rows GROUP BY facet, part, latency`,
      values,
    ),
  );
}

/** SQL for the part of time in which a row began. */
export const partOf = ({ start }: HourlyRows): string =>
  `floor(${start.seconds} / ${floorDivide(FINE, 1_000_000n)}::float8)`;

/** Adds up the columns of `measured` as `SeriesNumbers`. */
export const SERIES_SUMS = `count(*) AS items, sum(failed) AS failed, coalesce(sum(cost), 0) AS cost,
  coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) AS tokens`;

export function addSeriesRows(found: SeriesByGroup, rows: readonly SeriesRow[]): void {
  for (const { facet, part, class: value, ...numbers } of rows) {
    const sums = found.of(facet).at(part * Number(FINE / 1000n));
    sums.addNumbers(numbers);
    sums.addClass(value, Number(numbers.items));
  }
}

/** Ranges without overlaps, in order. */
export function joinRanges(ranges: readonly TimeRange[]): TimeRange[] {
  const joined: TimeRange[] = [];
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joined.at(-1);
    if (!last || range.from > last.to) joined.push({ ...range });
    else if (range.to > last.to) last.to = range.to;
  }
  return joined;
}
