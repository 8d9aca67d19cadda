import type { EntityManager } from 'typeorm';
import { withinMoment } from '../platform/database/within-time.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { isoFromNanoseconds } from '../platform/time.js';
import { around, floorDivide, HOUR, type TimeRange, wholeHours } from './histogram-range.js';
import { changesTable, type HourlyRows, hoursTable, measured, SUMS } from './hourly-rows.js';
import { HistogramBuckets, type ClassRow, type HoursRow } from './histogram-buckets.js';

/** Rows that a histogram counts. */
export interface HistogramSource {
  workspaceId: number;
  /** Facets of which every matching row has exactly one; null if hourly sums do not distinguish the rows. */
  facets: readonly string[] | null;
  /** Origins of the rows; null for all. */
  origins: readonly string[] | null;
  /** The condition on the rows, the workspace included, and its values. */
  condition: { sql: string; values: readonly unknown[] };
}

export interface HistogramTime {
  range: TimeRange;
  /** Width of a bucket in microseconds. */
  width: bigint;
  /** Total time for reading rows, in milliseconds. */
  limitMs: number;
}

/** Rows are read in so many steps where they are many, the newest first and each as long as all before: 1/8, 1/8, 1/4, 1/2. */
const FIRST_STEP = 8n;
/** A total up to this length is read in one step. */
const FEW = 4n * HOUR;
/** Maximum number of ranges of one statement, whose planning takes time, too. */
const MOST_PIECES = 30;

/**
 * Adds up rows by buckets of time. Unchanged whole hours have stored sums. The rest is read row by row until the time limit. `tx`
 * must be a snapshot, in which stored sums and rows agree.
 */
export async function readHistogram(
  tx: EntityManager,
  rows: HourlyRows,
  source: HistogramSource,
  time: HistogramTime,
): Promise<HistogramBuckets> {
  const buckets = new HistogramBuckets(time);
  const { pieces } = await readHours(tx, rows, source, { time, buckets });
  const end = Date.now() + time.limitMs;
  for (const step of stepsOf(pieces)) {
    const found = await withinMoment(tx, Math.max(1, end - Date.now()), (moment) =>
      readRows(moment, rows, source, { pieces: step, width: time.width }),
    );
    if (!found) {
      buckets.forgetUpTo(step.at(-1)!.to);
      break;
    }
    buckets.addClasses(found);
  }
  return buckets;
}

/** Adds the hours that are added up already; gives what is left. */
async function readHours(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, facets, origins }: HistogramSource,
  { time, buckets }: { time: HistogramTime; buckets: HistogramBuckets },
): Promise<{ pieces: TimeRange[] }> {
  const { range, width } = time;
  const hours = facets && width % HOUR === 0n ? wholeHours(range) : null;
  if (!hours) return { pieces: [range] };
  const which = { workspaceId, facets: facets!, hours };
  const missing = await missingHours(tx, rows, which);
  if (missing === null) return { pieces: [range] };
  buckets.addHours(await sumsOfHours(tx, rows, { ...which, origins, missing, width }));
  return { pieces: around(range, hours, missing) };
}

interface Hours {
  workspaceId: number;
  facets: readonly string[];
  hours: TimeRange;
}

/** Where more of the hours than one in so many are missing, all rows are read at once. */
const TOO_MANY = 3;

/** Hours that have changed or have no sums of a facet though they may have rows with it; null when too many have. */
export async function missingHours(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, facets, hours }: Hours,
): Promise<bigint[] | null> {
  const [changes, sums] = [changesTable(rows), hoursTable(rows)];
  // From one hour to the next in the index: there may be many notes on an hour.
  const next = (condition: string) =>
    `(SELECT hour FROM ${changes} WHERE workspace_id = $1 AND ${condition} AND hour < $3::timestamptz ORDER BY hour LIMIT 1)`;
  const found = await tx.query<{ seconds: number }[]>(
    `WITH RECURSIVE changed (hour) AS (
       SELECT ${next('hour >= $2::timestamptz')}
       UNION ALL SELECT ${next('hour > changed.hour')} FROM changed WHERE hour IS NOT NULL)
     SELECT date_part('epoch', hour) AS seconds FROM (
       SELECT hour FROM changed WHERE hour IS NOT NULL
       UNION SELECT '-infinity' WHERE EXISTS (SELECT FROM ${changes} WHERE workspace_id = $1 AND hour = '-infinity')
       UNION
       SELECT hour FROM ${sums} cut
        WHERE workspace_id = $1 AND facet = '' AND facets_cut AND hour >= $2::timestamptz AND hour < $3::timestamptz
          AND (SELECT count(DISTINCT facet) FROM ${sums} known
                WHERE known.workspace_id = $1 AND known.hour = cut.hour AND known.facet = ANY($4::text[])) < $5::int) AS hours`,
    [workspaceId, isoOf(hours.from), isoOf(hours.to), facets, facets.length],
  );
  const all = Number((hours.to - hours.from) / HOUR);
  if (found.length * TOO_MANY > all || found.some(({ seconds }) => !Number.isFinite(seconds))) return null;
  return found.map(({ seconds }) => BigInt(seconds) * 1_000_000n);
}

async function sumsOfHours(
  tx: EntityManager,
  rows: HourlyRows,
  {
    workspaceId,
    facets,
    origins,
    hours,
    missing,
    width,
  }: Hours & Pick<HistogramSource, 'origins'> & { missing: bigint[]; width: bigint },
): Promise<HoursRow[]> {
  const summed = ['count', 'failed', 'unpriced', 'input_tokens', 'output_tokens', 'cost'];
  return tx.query<HoursRow[]>(
    `SELECT floor(date_part('epoch', hour) / $6::float8) AS bucket, ${summed.map((column) => `sum(${column}) AS ${column}`).join(', ')},
            string_agg(latencies, ''::bytea) AS latencies
       FROM ${hoursTable(rows)}
      WHERE workspace_id = $1 AND facet = ANY($2::text[]) AND hour >= $3::timestamptz AND hour < $4::timestamptz
        AND hour <> ALL($5::timestamptz[]) AND ($7::text[] IS NULL OR origin = ANY($7::text[]))
      GROUP BY 1`,
    [workspaceId, facets, isoOf(hours.from), isoOf(hours.to), missing.map(isoOf), secondsOf(width), origins],
  );
}

function readRows(
  tx: EntityManager,
  rows: HourlyRows,
  { condition }: HistogramSource,
  { pieces, width }: { pieces: TimeRange[]; width: bigint },
): Promise<ClassRow[]> {
  const parameters = new SqlParameters([...condition.values]);
  const { column, type, seconds, write } = rows.start;
  const within = ({ from, to }: TimeRange) =>
    `${column} >= ${parameters.add(write(from))}::${type} AND ${column} < ${parameters.add(write(to))}::${type}`;
  const parts = pieces.map(
    (piece) =>
      `SELECT floor(${seconds} / ${parameters.add(secondsOf(width))}::float8) AS bucket, ${measured(rows)}
         FROM ${rows.from} WHERE ${condition.sql} AND ${within(piece)}`,
  );
  return tx.query<ClassRow[]>(
    `SELECT bucket, latency, ${SUMS} FROM (${parts.join(' UNION ALL ')}) AS parts GROUP BY bucket, latency`,
    parameters.values,
  );
}

/** Groups the pieces into steps, newest first. */
function* stepsOf(pieces: TimeRange[]): Generator<TimeRange[]> {
  const total = pieces.reduce((sum, { from, to }) => sum + to - from, 0n);
  let left = total <= FEW ? total : total / FIRST_STEP;
  let step: TimeRange[] = [];
  let done = 0n;
  for (let rest = pieces.toReversed(); rest.length > 0;) {
    const [piece, ...others] = rest as [TimeRange, ...TimeRange[]];
    const from = piece.to - piece.from > left ? piece.to - left : piece.from;
    step.push({ from, to: piece.to });
    done += piece.to - from;
    left -= piece.to - from;
    rest = from > piece.from ? [{ from: piece.from, to: from }, ...others] : others;
    if (left > 0n && step.length < MOST_PIECES) continue;
    yield step;
    [step, left] = [[], done];
  }
  if (step.length > 0) yield step;
}

export const isoOf = (microseconds: bigint): string => isoFromNanoseconds(microseconds * 1000n);
const secondsOf = (width: bigint): number => Number(floorDivide(width, 1_000_000n));
