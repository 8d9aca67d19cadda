import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportRequest } from '../export.entity.js';
import type { ExportColumn, Row } from './export-column.js';
import type { ExportSource } from './export-source.js';
import { findRows } from './find-rows.js';

/** Keys of parts held at once. */
const PARTS_AT_ONCE = 1000;
/** Limits of one statement; the first one reached applies. Sizes are those on disk, mostly compressed. */
const PIECE = { rows: 500, weight: 2 * 1024 * 1024 };
/** Limits of the rows whose parts one statement sorts. A single row may have more parts. */
const WHOLE = { rows: 1000, weight: 20_000 };
/** Maximum bytes of a piece in memory, because compressed rows may be small on disk. A single row may be larger. */
const MOST_BYTES = 16 * 1024 * 1024;
const COUNT_TIMEOUT_MS = 10_000;

/** Rows of one export in one workspace. */
export interface Selection {
  source: ExportSource;
  workspaceId: number;
  request: ExportRequest;
}

/** A row of the file: the values of the keys of its source, and about how many bytes it has. */
interface Found {
  keys: string[];
  weight: number;
}

/** Columns of an export in the order of the file. Unknown names are dropped. */
export function columnsOf({ source, request }: Selection): ExportColumn[] {
  const known = new Map(source.columns.map((column) => [column.name, column]));
  return request.columns.flatMap((name) => known.get(name) ?? []);
}

/** Number of matching rows; null if counting takes too long. `tx` must be a transaction. */
export async function countRows(tx: EntityManager, selection: Selection): Promise<number | null> {
  const { condition, values } = await searchOf(tx, selection);
  const { path } = selection.source;
  const sql = `SELECT ${path.rows} AS count FROM ${path.table} WHERE ${condition}`;
  const rows = await withinMoment(tx, COUNT_TIMEOUT_MS, (db) => db.query<{ count: string }[]>(sql, values));
  return rows && Math.min(Number(rows[0]!.count), selection.request.limit ?? Infinity);
}

/**
 * Reads the matching rows, newest first, in pieces that fit into memory. It finds keys first, and then reads rows by key.
 * `tx` must be a transaction with one snapshot.
 */
export async function* readPieces(tx: EntityManager, selection: Selection): AsyncGenerator<Row[]> {
  const read = readStatement(selection);
  for await (const found of findKeys(tx, selection)) {
    for (const piece of pieces(found, PIECE)) {
      for (let done = 0; done < piece.length;) {
        const columns = Object.keys(selection.source.keys).map((_, index) =>
          piece.slice(done).map(({ keys }) => keys[index]),
        );
        const rows = await tx.query<Record<string, string | null>[]>(read, [selection.workspaceId, ...columns]);
        if (rows.length === 0) throw new Error('A row that was found cannot be read.');
        yield toRows(rows, columnsOf(selection));
        done += rows.length;
      }
    }
  }
}

/** Finds keys up to the requested number of rows. */
async function* findKeys(tx: EntityManager, selection: Selection): AsyncGenerator<Found[]> {
  let left = selection.request.limit ?? Infinity;
  for await (const found of selection.source.parts ? findParts(tx, selection) : findWhole(tx, selection)) {
    yield found.slice(0, left);
    left -= found.length;
    if (left <= 0) return;
  }
}

async function* findWhole(tx: EntityManager, selection: Selection): AsyncGenerator<Found[]> {
  for await (const rows of findRows(tx, await searchOf(tx, selection))) {
    yield rows.map(({ placeId, weight }) => ({ keys: [placeId], weight }));
  }
}

async function* findParts(tx: EntityManager, selection: Selection): AsyncGenerator<Found[]> {
  for await (const rows of findRows(tx, await searchOf(tx, selection))) {
    for (const whole of pieces(rows, WHOLE)) {
      yield* partsOf(
        tx,
        selection,
        whole.map(({ placeId }) => placeId),
      );
    }
  }
}

/** Reads with a cursor, because a single row may have more parts than fit into memory. */
async function* partsOf(tx: EntityManager, { source, workspaceId }: Selection, ids: string[]): AsyncGenerator<Found[]> {
  await tx.query(`DECLARE parts NO SCROLL CURSOR FOR ${source.parts}`, [workspaceId, ids]);
  for (let isLast = false; !isLast;) {
    const parts = await tx.query<(Record<string, string> & { weight: number })[]>(`FETCH ${PARTS_AT_ONCE} FROM parts`);
    yield parts.map((part) => ({ keys: Object.keys(source.keys).map((name) => part[name]!), weight: part.weight }));
    isLast = parts.length < PARTS_AT_ONCE;
  }
  await tx.query('CLOSE parts');
}

async function searchOf(tx: EntityManager, { source, workspaceId, request }: Selection) {
  const parameters = new SqlParameters();
  const condition = await source.condition(tx, workspaceId, request, parameters);
  return { path: source.path, workspaceId, condition, values: parameters.values };
}

function* pieces<T extends { weight: number }>(found: T[], most: { rows: number; weight: number }): Generator<T[]> {
  let piece: T[] = [];
  let weight = 0;
  for (const row of found) {
    if (piece.length === most.rows || (piece.length > 0 && weight + row.weight > most.weight)) {
      yield piece;
      [piece, weight] = [[], 0];
    }
    piece.push(row);
    weight += row.weight;
  }
  if (piece.length > 0) yield piece;
}

function readStatement(selection: Selection): string {
  const { keys, join } = selection.source;
  const columns = columnsOf(selection).map(({ sql }, index) => `${sql} AS c${index}`);
  const arrays = Object.values(keys).map((type, index) => `$${index + 2}::${type}[]`);
  const length = columns.map((_, index) => `coalesce(octet_length(c${index}), 0)`).join(' + ');
  return `SELECT * FROM (
      SELECT *, sum(${length}) OVER (ORDER BY place) AS bytes FROM (
        SELECT k.place, ${columns.join(', ')}
          FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS k (${Object.keys(keys).join(', ')}, place)
          JOIN ${join}) AS whole) AS measured
    WHERE bytes <= ${MOST_BYTES} OR place = 1 ORDER BY place`;
}

function toRows(rows: Record<string, string | null>[], columns: ExportColumn[]): Row[] {
  return rows.map((row) =>
    columns.map(({ derive }, index) => {
      const value = row[`c${index}`] ?? null;
      return derive && value !== null ? derive(value) : value;
    }),
  );
}
