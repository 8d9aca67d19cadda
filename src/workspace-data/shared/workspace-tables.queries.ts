import type { EntityManager } from 'typeorm';

/** Rows that one statement deletes. */
const PORTION = 10_000;

/** Records of the installation about its workspaces: they outlive a deletion and are not archived. */
const OF_INSTALLATION = ['workspace_deletions'];

/** People who are signed in or are signing in. An archive has no sessions: people sign in again. */
const OF_SESSIONS = ['console_sessions', 'sign_in_attempts'];

/** Tables of the current schema by the columns `key` that name the workspace of a row. */
const TABLES = `
  SELECT c.relname AS name, a.attname AS key,
         ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint f
                WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs,
         EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.confrelid = c.oid) AS "refersToItself",
         ARRAY(SELECT b.attname::text FROM pg_attribute b
                WHERE b.attrelid = c.oid AND b.attnum > 0 AND NOT b.attisdropped AND b.attgenerated = ''
                ORDER BY b.attnum <> a.attnum, b.attnum) AS columns,
         (SELECT b.attname FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attidentity <> '') AS identity,
         EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) AS "hasTriggers",
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary
                    AND a.attnum <> ALL (i.indkey)) AS "isShared"
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
     AND a.attname = CASE c.relname WHEN 'workspaces' THEN 'id' ELSE 'workspace_id' END
   WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   ORDER BY c.relname COLLATE "C"`;

/** A table with rows of workspaces. */
export interface WorkspaceTable {
  name: string;
  /** The column that names the workspace of a row. */
  key: 'id' | 'workspace_id';
  /** Columns whose values are stored, in the order of archives: the key is the first. */
  columns: string[];
  /** The column whose values the database counts up; null where there is none. */
  identity: string | null;
  /** Whether its ids are unique in the installation and not only in a workspace. */
  isShared: boolean;
  /** Whether storing rows here also stores rows in other tables. */
  hasTriggers: boolean;
  /** Other tables that it refers to. */
  needs: string[];
  /** Whether its rows may refer to others of the table. */
  refersToItself: boolean;
}

/** A table that a deletion empties. */
export type EmptiedTable = Pick<WorkspaceTable, 'name' | 'refersToItself'>;

/** A connection or a transaction. */
export type Db = Pick<EntityManager, 'query'>;

/**
 * All tables with rows of workspaces, including those of extensions. They are read from the catalog, so none can be missing.
 */
async function readTables(db: Db, except: string[]): Promise<WorkspaceTable[]> {
  const tables = await db.query<WorkspaceTable[]>(TABLES);
  return tables.filter(({ name }) => !except.includes(name));
}

/**
 * The tables that a deletion empties, each before those that it refers to. Queued work comes early: until then workers
 * go on with it, and make calls that cost money.
 */
export async function readEmptiedTables(db: Db): Promise<EmptiedTable[]> {
  const tables = await readTables(db, [...OF_INSTALLATION, 'workspaces']);
  return inRounds(tables, (left) => {
    const needed = new Set(left.flatMap(({ needs }) => needs));
    const free = left.filter(({ name }) => !needed.has(name));
    return free.toSorted((a, b) => Number(isQueue(b)) - Number(isQueue(a)));
  });
}

/** Claimed rows have a lease. */
function isQueue({ columns }: WorkspaceTable): boolean {
  return columns.includes('lease_until');
}

/**
 * The tables of an archive, each after those that it refers to, so the workspace is the first. Tables with triggers come early:
 * rows that a trigger stores while an archive is loaded must exist before those of the archive replace them.
 */
export async function readArchivedTables(db: Db): Promise<WorkspaceTable[]> {
  const tables = await readTables(db, [...OF_INSTALLATION, ...OF_SESSIONS]);
  return inRounds(tables, (left) => {
    const names = new Set(left.map(({ name }) => name));
    const free = left.filter(({ name, needs }) => needs.every((need) => need === name || !names.has(need)));
    return free.toSorted((a, b) => placeOf(a) - placeOf(b));
  });
}

function placeOf({ key, hasTriggers }: WorkspaceTable): number {
  if (key === 'id') return 0;
  return hasTriggers ? 1 : 2;
}

/** Repeats the choice of the next tables until none is left. Tables that refer to each other have no order: they come together. */
function inRounds(tables: WorkspaceTable[], choose: (left: WorkspaceTable[]) => WorkspaceTable[]): WorkspaceTable[] {
  const ordered: WorkspaceTable[] = [];
  for (let left = tables; left.length > 0; left = left.filter((table) => !ordered.includes(table))) {
    const chosen = choose(left);
    ordered.push(...(chosen.length > 0 ? chosen : left));
  }
  return ordered;
}

export async function countRows(
  db: Db,
  { name, key = 'workspace_id' }: Pick<WorkspaceTable, 'name'> & Partial<WorkspaceTable>,
  workspaceId: number,
): Promise<number> {
  const [row] = await db.query<{ count: string }[]>(`SELECT count(*) AS count FROM "${name}" WHERE ${key} = $1`, [
    workspaceId,
  ]);
  return Number(row!.count);
}

/**
 * Deletes some rows of a workspace; returns their number, which is 0 when none is left. Rows that may refer to each other are deleted
 * together, because each of them may be needed by one of the rest.
 */
export async function deletePortion(
  db: Db,
  { name, refersToItself }: EmptiedTable,
  workspaceId: number,
  and = '',
): Promise<number> {
  const limit = refersToItself ? 'ALL' : PORTION;
  const [, deleted] = await db.query<[unknown[], number]>(
    `DELETE FROM "${name}" WHERE workspace_id = $1
        AND ctid = ANY (ARRAY(SELECT ctid FROM "${name}" WHERE workspace_id = $1 ${and} LIMIT ${limit}))`,
    [workspaceId],
  );
  return deleted;
}

/** The same for a workspace that does not exist. The statement checks it, because an archive may restore the workspace. */
export const deleteOrphans = (db: Db, table: EmptiedTable, workspaceId: number): Promise<number> =>
  deletePortion(db, table, workspaceId, 'AND NOT EXISTS (SELECT FROM workspaces WHERE id = $1)');

/** Returns the tables that have rows of the workspace. */
export async function readFilledTables(db: Db, tables: EmptiedTable[], workspaceId: number): Promise<EmptiedTable[]> {
  const parts = tables.map(
    ({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM "${name}" WHERE workspace_id = $1)`,
  );
  const filled = await db.query<{ name: string }[]>(parts.join(' UNION ALL '), [workspaceId]);
  const names = new Set(filled.map(({ name }) => name));
  return tables.filter(({ name }) => names.has(name));
}
