import pg from 'pg';
import { currentNames } from '../database/earlier-migrations.js';
import type { SequenceInBackup, TableInBackup } from './backup-folder.js';

/** Settings for writing rows, independent of those of the database: checksums are computed over the written rows. */
const SETTINGS = {
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  extra_float_digits: '1',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};
const NO_SUCH_TABLE = '42P01';

/** Runs `work` with a connection of its own. */
export async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(databaseUrl);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * A connection that the caller ends. Ending it during a statement closes its socket, which ends the statement and its
 * transaction.
 */
export async function openClient(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tracesheet-backup' });
  client.on('error', () => undefined); // every call reports its own
  await client.connect();
  await useCopySettings(client, false);
  return client;
}

/** Applies the settings for writing and reading rows to the connection, or to its transaction only. */
export async function useCopySettings(client: pg.ClientBase, isLocal: boolean): Promise<void> {
  for (const [name, value] of Object.entries(SETTINGS))
    await client.query('SELECT set_config($1, $2, $3)', [name, value, isLocal]);
}

/** Applied migrations by their current names. Empty when the database has not been migrated. */
export async function appliedMigrations(client: pg.ClientBase): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    return currentNames(rows.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return [];
    throw error;
  }
}

/** All tables except that of the migrations. Generated columns are not part of a backup. */
export async function listTables(client: pg.Client): Promise<Omit<TableInBackup, 'sums'>[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname <> 'workspace_id', a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> 'migrations' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     GROUP BY c.relname ORDER BY c.relname COLLATE "C"`);
  // The rows of "workspaces" are workspaces: their id is the first column already.
  return rows.map(({ name, columns }) => ({
    name,
    columns,
    hasWorkspace: columns[0] === 'workspace_id' || (name === 'workspaces' && columns[0] === 'id'),
  }));
}

/** All sequences, including those of identity columns. They are ahead of the rows of an earlier snapshot. */
export async function readSequences(client: pg.ClientBase): Promise<SequenceInBackup[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S' ORDER BY relname COLLATE "C"`);
  const sequences: SequenceInBackup[] = [];
  for (const { name } of rows) {
    const state = await client.query<{ value: string; isCalled: boolean }>(
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${pg.escapeIdentifier(name)}`,
    );
    sequences.push({ name, ...state.rows[0]! });
  }
  return sequences;
}

/** The table and its columns in the syntax of COPY. */
export function copyTarget({ name, columns }: Pick<TableInBackup, 'name' | 'columns'>): string {
  return `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}
