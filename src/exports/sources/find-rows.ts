import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ExportPath } from './export-source.js';
import { Stride } from './stride.js';

/** Rows found per statement; only their ids and weights are held. */
const FOUND_AT_ONCE = 1000;
/** A statement that takes longer is given up, and less is asked for. */
const PATIENCE_MS = 10_000;

/** A row of a path, as text. */
interface Place {
  placeTime: string;
  placeId: string;
}

export interface FoundRow extends Place {
  weight: number;
}

/** What is looked for along a path. */
export interface Search {
  path: ExportPath;
  workspaceId: number;
  /** Over the table of the path, with `values` for its parameters. */
  condition: string;
  values: unknown[];
}

/** The rows after one and up to another, that one included; null = from the first, to the last. */
interface Stretch {
  after: Place | null;
  end: Place | null;
}

/**
 * The rows that match, newest first, in portions. Each statement looks at as much of the table as it can in about a second,
 * so neither a large workspace nor a filter that hardly anything matches runs into the limit of a statement. `tx` is a
 * transaction that sees one moment.
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

/** The row that is so many further along the path; null where it ends before. */
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

/** The times by themselves are what the index is entered with. */
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

/** Under names that no column has, or the order would be that of the texts. */
const placeOf = ({ time, id }: ExportPath): string =>
  `${time.column}::text AS "placeTime", ${id.column}::text AS "placeId"`;
const orderOf = ({ time, id }: ExportPath): string => `${time.column} DESC, ${id.column} ${id.order}`;
