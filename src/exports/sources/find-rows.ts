import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportPath } from './export-source.js';
import { Stride } from './stride.js';

/** Rows found per statement; only their ids and weights are held. */
const FOUND_AT_ONCE = 1000;
/** Timeout of a statement. After a timeout the next statement reads a shorter range. */
const PATIENCE_MS = 10_000;

/** Position of a row on a path, as text. */
interface Place {
  placeTime: string;
  placeId: string;
}

export interface FoundRow extends Place {
  weight: number;
}

/** A search along a path. */
export interface Search {
  path: ExportPath;
  workspaceId: number;
  /** SQL condition on the table of the path, with `values` for its parameters. */
  condition: string;
  values: unknown[];
}

/** A range of rows: `after` is exclusive and `end` is inclusive. null means the first or the last row. */
interface Stretch {
  after: Place | null;
  end: Place | null;
}

/**
 * Finds the matching rows in batches, newest first. Each statement reads the range that it can read in about a second, so
 * neither large workspaces nor selective filters exceed the timeout. `tx` must be a transaction with one snapshot.
 */
export async function* findRows(tx: EntityManager, search: Search): AsyncGenerator<FoundRow[]> {
  const stride = new Stride();
  for (let after: Place | null = null; ;) {
    const end = await placeAfter(tx, search, { after, rows: stride.rows });
    const begun = performance.now();
    const find = (db: EntityManager) => findWithin(db, search, { after, end });
    const found = stride.isShortest ? await find(tx) : await withinMoment(tx, PATIENCE_MS, find);
    if (found) {
      stride.took(performance.now() - begun);
      yield found;
      after = found.length === FOUND_AT_ONCE ? found.at(-1)! : end;
      if (after === null) return;
    } else stride.shorten();
  }
}

/** The position `rows` rows further along the path; null if the path ends before. */
async function placeAfter(
  tx: EntityManager,
  { path, workspaceId }: Search,
  { after, rows }: { after: Place | null; rows: number },
): Promise<Place | null> {
  const parameters = new SqlParameters();
  const conditions = [
    `workspace_id = ${parameters.add(workspaceId)}::int`,
    stretchCondition(path, { after, end: null }, parameters),
  ];
  const [place] = await tx.query<Place[]>(
    `SELECT ${placeOf(path)} FROM ${path.table}
      WHERE ${conditions.join(' AND ')} ORDER BY ${orderOf(path)} OFFSET ${rows - 1} LIMIT 1`,
    parameters.values,
  );
  return place ?? null;
}

function findWithin(tx: EntityManager, { path, condition, values }: Search, stretch: Stretch): Promise<FoundRow[]> {
  const parameters = new SqlParameters([...values]);
  return tx.query(
    `SELECT ${placeOf(path)}, (${path.weight})::int AS weight
       FROM ${path.table} WHERE ${condition} AND ${stretchCondition(path, stretch, parameters)}
      ORDER BY ${orderOf(path)} LIMIT ${FOUND_AT_ONCE}`,
    parameters.values,
  );
}

/** Repeats the bounds of time alone, because PostgreSQL uses the index only with them. */
function stretchCondition({ time, id }: ExportPath, { after, end }: Stretch, parameters: SqlParameters): string {
  const [next, before] = id.order === 'ASC' ? ['>', '<='] : ['<', '>='];
  const valueOf = (value: string, type: string) => `${parameters.add(value)}::${type}`;
  const latest = valueOf(after?.placeTime ?? time.latest, time.type);
  const conditions = [`${time.column} <= ${latest}`];
  if (after) conditions.push(`(${time.column} < ${latest} OR ${id.column} ${next} ${valueOf(after.placeId, id.type)})`);
  if (end) {
    const earliest = valueOf(end.placeTime, time.type);
    conditions.push(
      `${time.column} >= ${earliest}`,
      `(${time.column} > ${earliest} OR ${id.column} ${before} ${valueOf(end.placeId, id.type)})`,
    );
  }
  return conditions.join(' AND ');
}

/** Uses aliases that no column has: otherwise ORDER BY would sort the texts. */
const placeOf = ({ time, id }: ExportPath): string =>
  `${time.column}::text AS "placeTime", ${id.column}::text AS "placeId"`;
const orderOf = ({ time, id }: ExportPath): string => `${time.column} DESC, ${id.column} ${id.order}`;
