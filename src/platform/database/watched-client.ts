import pg from 'pg';
import { readJson } from '../read-json.js';

// For every connection of the process.
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, readJson);

/**
 * A connection whose loss never ends the process. When PostgreSQL goes away in the very moment a new connection becomes
 * ready, the pool has stopped listening for errors and nobody else has started yet. The query that uses the connection
 * next fails all the same, and is reported there.
 */
export class WatchedClient extends pg.Client {
  constructor(options?: string | pg.ClientConfig) {
    super(options);
    this.on('error', () => undefined);
  }
}
