import pg from 'pg';
import { textsOf } from './statements/texts-of.js';
import type { TestApp } from './test-app.js';

export interface SentStatement {
  text: string;
  values: unknown[];
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown;

/**
 * The statements that are sent to the database of a server while `work` runs, with their parameters where they are sent
 * one by one. Other servers of this process may be busy with what earlier tests have left.
 */
export async function sentWhile(
  { config: { databaseUrl } }: Pick<TestApp, 'config'>,
  work: () => Promise<unknown>,
): Promise<SentStatement[]> {
  const database = new URL(databaseUrl).pathname.slice(1);
  const sent: SentStatement[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...given: unknown[]): unknown {
    const values = (given[0] as { values?: unknown[] } | null)?.values ?? given[1];
    const statements = textsOf(given[0]).map((text) => ({ text, values: Array.isArray(values) ? values : [] }));
    if (this.database === database) sent.push(...statements);
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return sent;
}
