import type { EntityManager } from 'typeorm';
import { expectedRows, type PlannedRows } from './query-plan.js';
import { withinMoment, withSettings } from './within-time.js';

/** Totals up to here are counted: beyond it counting would take longer than reading the page. */
export const COUNTED_ROWS = 1000;
/** So many expected rows are more than are counted, even where the statistics are wrong by an order of magnitude. */
const CERTAINLY_MORE = 20 * COUNTED_ROWS;
/** Counting so many takes some milliseconds where an index helps. Where messages have to be read it may take minutes. */
const PATIENCE_MS = 2000;

const BY_INDEX = { enable_seqscan: 'off' };

export interface Total {
  total: number;
  /** False when `total` is what the database expects. It is then never less than what is known to exist. */
  isExact: boolean;
}

/** The rows that are counted. */
export interface RowSource extends PlannedRows {
  /**
   * An index finds the rows, and testing them one by one costs far more than the planner believes: they are counted by
   * way of the index even where a scan looks cheaper.
   */
  indexed?: boolean;
  /** How long counting may take when it is known to be expensive, in milliseconds; 0 when it is not even tried. */
  patienceMs?: number;
  /** How many are expected at most: a better guess where the planner cannot estimate the tests. */
  mostExpected?: number;
}

/** A page by its number. */
export interface NumberedPage<Row> {
  /** How many rows are before it. */
  offset: number;
  size: number;
  /** Gives up to so many rows from the offset on. */
  read: (limit: number) => Promise<Row[]>;
  /** The same rows in a form that is counted more easily, should reading the page have found one. */
  narrowed?: () => RowSource | null;
}

/**
 * Reads a page and how many rows there are, as far as that can be told in bounded time. The last page and pages beyond
 * it make the total exact, so that a client that follows the pages never misses a row.
 */
export async function readPageWithTotal<Row>(
  db: EntityManager,
  source: RowSource,
  { offset, size, read, narrowed }: NumberedPage<Row>,
): Promise<{ rows: Row[]; total: Total }> {
  // Both at once: where words are looked up, counting takes as long as reading the page.
  const [found, guess] = await Promise.all([read(size + 1), guessTotal(db, source, offset)]);
  const rows = found.slice(0, size);
  if (found.length > size) {
    const easier = guess.isExact ? null : narrowed?.();
    const total = easier ? await guessTotal(db, easier, offset) : guess;
    return { rows, total: { ...total, total: Math.max(total.total, offset + size + 1) } };
  }
  if (rows.length > 0 || offset === 0) return { rows, total: { total: offset + rows.length, isExact: true } };
  // Whoever asked for a page beyond the end has made the database look at every row already.
  return { rows, total: { total: await countRows(db, narrowed?.() ?? source, null), isExact: true } };
}

async function guessTotal(db: EntityManager, source: RowSource, offset: number): Promise<Total> {
  const expected = await expectedRows(db, source);
  if (offset >= COUNTED_ROWS || expected > CERTAINLY_MORE) {
    return { total: Math.max(expected, COUNTED_ROWS + 1), isExact: false };
  }
  const counted = source.patienceMs === 0 ? null : await countInTime(db, source);
  if (counted === null) return { total: Math.max(expected, source.mostExpected ?? 0), isExact: false };
  return counted > COUNTED_ROWS
    ? { total: Math.max(expected, counted), isExact: false }
    : { total: counted, isExact: true };
}

/** One more than are counted where there are more; null when it takes too long. */
function countInTime(db: EntityManager, source: RowSource): Promise<number | null> {
  return withinMoment(
    db,
    source.patienceMs ?? PATIENCE_MS,
    (tx) => count(tx, source, COUNTED_ROWS + 1),
    source.indexed ? BY_INDEX : {},
  );
}

/** Counts no further than `limit`. */
export async function countRows(db: EntityManager, source: RowSource, limit: number | null): Promise<number> {
  return source.indexed ? withSettings(db, BY_INDEX, (tx) => count(tx, source, limit)) : count(db, source, limit);
}

async function count(db: EntityManager, { from, values, indexed }: RowSource, limit: number | null): Promise<number> {
  // What is materialized is planned as if all of it were read, and read no further than needed.
  const found = `SELECT FROM ${indexed ? 'found' : from} LIMIT $${values.length + 1}`;
  const [{ count: rows }] = await db.query<[{ count: string }]>(
    `${indexed ? `WITH found AS MATERIALIZED (SELECT FROM ${from})` : ''} SELECT count(*) AS count FROM (${found}) AS counted`,
    [...values, limit],
  );
  return Number(rows);
}
