import pg from 'pg';
import { textsOf } from './statements/texts-of.js';

export interface SentStatement {
  text: string;
  values: unknown[];
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown;

/** The statements that this process sends while `work` runs, with their parameters where they are sent one by one. */
export async function sentWhile(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...given: unknown[]): unknown {
    const values = (given[0] as { values?: unknown[] } | null)?.values ?? given[1];
    sent.push(...textsOf(given[0]).map((text) => ({ text, values: Array.isArray(values) ? values : [] })));
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return sent;
}
