import pg from 'pg';
import { currentNames } from '../database/earlier-migrations.js';
import type { SequenceInBackup, TableInBackup } from './backup-folder.js';

/** What every row is written with, whatever the settings of the database are: checksums are over the written rows. */
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

/** A connection whose caller ends it. Ending it during a statement closes its socket, which ends the statement and its transaction. */
export async function openClient(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tracesheet-backup' });
  client.on('error', () => undefined); // every call reports its own
  await client.connect();
  await useCopySettings(client, false);
  return client;
}

/** Sets what rows are written and read with, for the connection or until the end of its transaction. */
export async function useCopySettings(client: pg.ClientBase, isLocal: boolean): Promise<void> {
  for (const [name, value] of Object.entries(SETTINGS))
    await client.query('SELECT set_config($1, $2, $3)', [name, value, isLocal]);
}

/** The migrations of a database by the names they have today; none when it has not been migrated. */
export async function appliedMigrations(client: pg.ClientBase): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    return currentNames(rows.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return [];
    throw error;
  }
}

/** Every table of the server but that of the migrations. What the database computes by itself is no column of a backup. */
export async function listTables(client: pg.Client): Promise<Omit<TableInBackup, 'sums'>[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname <> 'workspace_id', a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> 'migrations' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     GROUP BY c.relname ORDER BY c.relname COLLATE "C"`);
  // The rows of "workspaces" are workspaces: their id comes first by itself.
  return rows.map(({ name, columns }) => ({
    name,
    columns,
    hasWorkspace: columns[0] === 'workspace_id' || (name === 'workspaces' && columns[0] === 'id'),
  }));
}

/** Those of identity columns included. They are ahead of the rows of a snapshot that was taken before. */
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

/** The table with its columns, as COPY takes it. */
export function copyTarget({ name, columns }: Pick<TableInBackup, 'name' | 'columns'>): string {
  return `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}
