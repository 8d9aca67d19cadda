import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportRequest } from '../export.entity.js';
import type { ExportColumn, Row } from './export-column.js';
import type { ExportSource } from './export-source.js';

/** Rows found per step; only their keys and sizes are held. */
const FOUND_AT_ONCE = 1000;
/** How much is asked for in one statement: whichever is reached first. Sizes are those on disk, mostly compressed. */
const PIECE = { rows: 500, storedBytes: 2 * 1024 * 1024 };
/** How much of that is sent, so that well compressed rows do not fill the memory. A single row may be larger. */
const MOST_BYTES = 16 * 1024 * 1024;
const COUNT_TIMEOUT_MS = 10_000;

/** Rows of one export in one workspace. */
export interface Selection {
  source: ExportSource;
  workspaceId: number;
  request: ExportRequest;
}

type Found = Record<string, string> & { size: number };

/** The columns of an export, in the order of the file. Unknown names are left out. */
export function columnsOf({ source, request }: Selection): ExportColumn[] {
  const known = new Map(source.columns.map((column) => [column.name, column]));
  return request.columns.flatMap((name) => known.get(name) ?? []);
}

/** How many rows match; null when that takes too long to find out. `tx` is a transaction. */
export async function countRows(tx: EntityManager, selection: Selection): Promise<number | null> {
  const { sql, values } = await searchOf(tx, selection, '1');
  await tx.query('SAVEPOINT counting');
  try {
    await tx.query(`SET LOCAL statement_timeout = ${COUNT_TIMEOUT_MS}`);
    const [row] = await tx.query<{ count: string }[]>(`SELECT count(*) FROM (${sql}) AS found`, values);
    return Number(row!.count);
  } catch (error) {
    if ((error as { code?: string }).code !== '57014') throw error;
    return null;
  } finally {
    // Also takes the time limit back.
    await tx.query('ROLLBACK TO SAVEPOINT counting');
  }
}

/**
 * The matching rows, newest first, in pieces that fit in memory however long a row is. A cursor finds them, so the
 * search runs once; what it finds is then read by key. `tx` is a transaction that sees one moment.
 */
export async function* readPieces(tx: EntityManager, selection: Selection): AsyncGenerator<Row[]> {
  const { source } = selection;
  const what = [...Object.keys(source.keys).map((name) => `${name}::text`), `(${source.size})::int AS size`];
  const { sql, values } = await searchOf(tx, selection, what.join(', '));
  await tx.query(`DECLARE found NO SCROLL CURSOR FOR ${sql}`, values);
  const read = readStatement(selection);
  for (;;) {
    const keys = await tx.query<Found[]>(`FETCH ${FOUND_AT_ONCE} FROM found`);
    for (const piece of pieces(keys)) {
      for (let done = 0; done < piece.length;) {
        const columns = Object.keys(source.keys).map((name) => piece.slice(done).map((key) => key[name]));
        const rows = await tx.query<Record<string, string | null>[]>(read, [selection.workspaceId, ...columns]);
        if (rows.length === 0) throw new Error('A row that was found cannot be read.');
        yield toRows(rows, columnsOf(selection));
        done += rows.length;
      }
    }
    if (keys.length < FOUND_AT_ONCE) return;
  }
}

async function searchOf(tx: EntityManager, { source, workspaceId, request }: Selection, what: string) {
  const parameters = new SqlParameters();
  const condition = await source.condition(tx, workspaceId, request, parameters);
  const limit = request.limit === null ? '' : ` LIMIT ${request.limit}`;
  const sql = `SELECT ${what} FROM ${source.table} WHERE ${condition} ORDER BY ${source.order}${limit}`;
  return { sql, values: parameters.values };
}

function* pieces(found: Found[]): Generator<Found[]> {
  let piece: Found[] = [];
  let bytes = 0;
  for (const key of found) {
    if (piece.length === PIECE.rows || (piece.length > 0 && bytes + key.size > PIECE.storedBytes)) {
      yield piece;
      [piece, bytes] = [[], 0];
    }
    piece.push(key);
    bytes += key.size;
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
