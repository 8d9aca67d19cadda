import pg from 'pg';
import { readJson } from '../read-json.js';
import { runWanted } from './wanted.js';

// For every connection of the process.
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, readJson);

/**
 * A connection whose loss never ends the process. When PostgreSQL goes away in the very moment a new connection becomes
 * ready, the pool has stopped listening for errors and nobody else has started yet. The query that uses the connection
 * next fails all the same, and is reported there.
 *
 * What it is asked for a client that has gone is cancelled in the database, see `wanted.ts`.
 */
export class WatchedClient extends pg.Client {
  constructor(private readonly options?: string | pg.ClientConfig) {
    super(options);
    this.on('error', () => undefined);
  }

  /** Only questions that are answered by a promise are cancelled; `sendTogether` asks nothing that takes long. */
  override query(...given: never[]): never {
    const [first, ...others] = given as unknown[];
    const run = () => super.query(...(given as unknown as [string])) as Promise<unknown>;
    const isPromised = !others.some((value) => typeof value === 'function') && !isSubmittable(first);
    if (!isPromised) return run() as never;
    return runWanted(textOf(first as Question), run, () => this.cancelStatement()) as never;
  }

  /** Cancels what runs on this connection, over a connection of its own. Where that fails the statement runs to its end. */
  private async cancelStatement(): Promise<void> {
    const { processID } = this as unknown as { processID: number };
    const other = new pg.Client(this.options);
    other.on('error', () => undefined);
    try {
      await other.connect();
      await other.query('SELECT pg_cancel_backend($1)', [processID]);
    } catch {
      // Most likely the database is away, and the statement with it.
    } finally {
      await other.end().catch(() => undefined);
    }
  }
}

type Question = string | pg.QueryConfig;

const textOf = (question: Question): string => (typeof question === 'string' ? question : question.text);

const isSubmittable = (value: unknown): boolean => typeof value === 'object' && value !== null && 'submit' in value;
