import type { EntityManager } from 'typeorm';
import type { HistogramTime } from './read-histogram.js';
import { MOST_BUCKETS, type TimeRange, widthFor } from './histogram-range.js';
import type { HourlyRows } from './hourly-rows.js';
import { overlapOf, type SplitFilters } from './required-times.js';

/** The time of a histogram as a caller asks for it. */
export interface AskedTime {
  /** Microseconds since 1970. */
  from: bigint | null;
  to: bigint | null;
  buckets: number | null;
}

/**
 * The range of a histogram: what is asked for, narrowed by the filters. The first and the last row of the workspace are its
 * ends where neither says anything. Null when nothing is left of it.
 */
export async function timeOf(
  tx: EntityManager,
  { rows, workspaceId, limitMs }: { rows: HourlyRows; workspaceId: number; limitMs: number },
  asked: AskedTime,
  filters: Pick<SplitFilters, 'from' | 'to'>,
): Promise<HistogramTime | null> {
  const given = { from: later(asked.from, filters.from), to: earlier(asked.to, filters.to) };
  const range =
    given.from !== null && given.to !== null
      ? { from: given.from, to: given.to }
      : await extentOf(tx, rows, workspaceId);
  const narrowed = range && overlapOf(range, given);
  return narrowed && { range: narrowed, width: widthFor(narrowed, asked.buckets ?? MOST_BUCKETS), limitMs };
}

async function extentOf(
  tx: EntityManager,
  { from, alias, start }: HourlyRows,
  workspaceId: number,
): Promise<TimeRange | null> {
  const one = (order: 'ASC' | 'DESC') =>
    `(SELECT ${start.text} FROM ${from} WHERE ${alias}workspace_id = $1 AND ${start.column} IS NOT NULL
       ORDER BY ${start.column} ${order} LIMIT 1)`;
  const [row] = await tx.query<[{ first: string | null; last: string | null }]>(
    `SELECT ${one('ASC')} AS first, ${one('DESC')} AS last`,
    [workspaceId],
  );
  const { first, last } = row;
  return first === null || last === null ? null : { from: start.read(first), to: start.read(last) + 1n };
}

const later = (a: bigint | null, b: bigint | null): bigint | null => (a === null || (b !== null && b > a) ? b : a);
const earlier = (a: bigint | null, b: bigint | null): bigint | null => (a === null || (b !== null && b < a) ? b : a);
