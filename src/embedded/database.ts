import pg from 'pg';
import { LaunchError } from './launch-error.js';

const INVALID_PASSWORD = '28P01';

/**
 * Creates the database if the server does not have it yet.
 * @throws LaunchError when the server does not let us in
 */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    throw explain(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function explain(error: unknown): unknown {
  if ((error as { code?: string }).code !== INVALID_PASSWORD) return error;
  return new LaunchError(
    'The embedded PostgreSQL does not accept the password in state.json: that file does not belong to these data. Restore the state.json that was saved with them, or remove the whole data folder to start empty.',
  );
}
