import pg from 'pg';
import { readJson } from '../read-json.js';
import { runWanted } from './wanted.js';

// Applies to every connection of the process.
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) pg.types.setTypeParser(type, readJson);

/** Called for every statement. */
export interface StatementWatch {
  /** `pool` names the connections. The returned function is called when the statement has ended. */
  begin(text: string, values: readonly unknown[], pool: string): (error?: unknown) => void;
}

/** Options of a pool besides those of pg. */
export interface WatchedOptions {
  watch?: StatementWatch;
  pool?: string;
}

/**
 * A connection whose loss never ends the process. When PostgreSQL stops at the moment a new connection becomes ready, the pool has
 * removed its error listener and no other is attached yet. The next query on the connection fails and reports it. Statements for a
 * disconnected client are cancelled in the database, see `wanted.ts`.
 */
export class WatchedClient extends pg.Client {
  constructor(private readonly options?: pg.ClientConfig & WatchedOptions) {
    super(options);
    this.on('error', () => undefined);
  }

  /** Only queries with a promise are cancelled and watched; `sendTogether` sends short statements and reports their end itself. */
  override query(...given: never[]): never {
    const [first, second, ...others]: unknown[] = given;
    const run = () => super.query(...(given as unknown as [string])) as Promise<unknown>;
    const isPromised = ![second, ...others].some((value) => typeof value === 'function') && !isSubmittable(first);
    if (!isPromised) return run() as never;
    const question = first as Question;
    const watched = () => this.watched(question, second, run);
    return runWanted(textOf(question), watched, () => this.cancelStatement()) as never;
  }

  /** Reports a statement that is sent in another way to the watch. Call the returned function at its end. */
  begin(text: string, values: readonly unknown[]): (error?: unknown) => void {
    const { watch, pool = 'main' } = this.options ?? {};
    return watch ? watch.begin(text, values, pool) : ignored;
  }

  private async watched(question: Question, values: unknown, run: () => Promise<unknown>): Promise<unknown> {
    if (!this.options?.watch) return run();
    const given = typeof question === 'string' ? values : question.values;
    const end = this.begin(textOf(question), Array.isArray(given) ? given : []);
    try {
      const result = await run();
      end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  /** Cancels the running statement of this connection over another connection. If that fails, the statement runs to its end. */
  private async cancelStatement(): Promise<void> {
    const processID = Reflect.get(this, 'processID') as number;
    const other = new pg.Client(this.options);
    other.on('error', () => undefined);
    try {
      await other.connect();
      await other.query('SELECT pg_cancel_backend($1)', [processID]);
    } catch {
      // Most likely the database is unavailable, and the statement lost.
    } finally {
      await other.end().catch(() => undefined);
    }
  }
}

const ignored = (): void => undefined;

type Question = string | pg.QueryConfig;

const textOf = (question: Question): string => (typeof question === 'string' ? question : question.text);

const isSubmittable = (value: unknown): boolean => typeof value === 'object' && value !== null && 'submit' in value;
