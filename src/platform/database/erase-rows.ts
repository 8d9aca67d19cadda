import type { EntityManager } from 'typeorm';
import { allowLongStatements } from './within-time.js';

/** The target of an erasure in the tables of a domain. */
export interface Sought {
  workspaceId: number;
  person: PersonInText;
  /** A keyed hash of the person, which replaces the name in rows that are kept. */
  mask: string;
  /** The traces and request logs of the person, including deleted ones. */
  traceIds: readonly string[];
  logIds: readonly string[];
  /** When the first of these was stored; null when there are none. */
  since: Date | null;
  /** Rows of sheets about the person that are not erased yet. */
  rows: readonly { sheetId: string; row: number }[];
  /** True for a dry run: rows are counted and not deleted. */
  isDryRun: boolean;
}

/**
 * How a person is found in texts: a regular expression, and substrings of which every matching text contains one, so that few
 * texts are matched. Its first group is the text before the name. A parameter of statements.
 */
export type PersonInText = readonly [pattern: string, ...contained: string[]];

/** Rows of a table `w`. */
export interface RowsToErase {
  table: string;
  /** The rest of the primary key. */
  key: string;
  where: string;
  /** $1 is the workspace. */
  values: readonly unknown[];
  /** The new values of the rows; they are deleted without it. The new rows must not fulfil the condition. */
  set?: string;
}

/** Rows per transaction. Each one reads the rows of the workspace from the beginning, so there should be few transactions. */
const AT_ONCE = 5000;

/** The condition that a text names the person, who is a parameter. It is the only definition of naming a person. */
export const namesPerson = (text: string, person: string): string =>
  `CASE WHEN EXISTS (SELECT FROM unnest((${person}::text[])[2:]) AS p (contained) WHERE strpos(${text}, p.contained) > 0)
     THEN ${text} ~ (${person}::text[])[1] ELSE false END`;

/** The text with every name of the person replaced. */
export const maskPerson = (text: string, person: string, mask: string): string =>
  `regexp_replace(${text}, (${person}::text[])[1], '\\1' || ${mask}::text, 'g')`;

/** Erases some of the rows and returns their number, 0 when none is left; in a dry run the number of all. */
export async function eraseRows(tx: EntityManager, isDryRun: boolean, rows: RowsToErase): Promise<number> {
  const { table, key, where, values, set } = rows;
  // The condition reads all rows of the workspace.
  await allowLongStatements(tx);
  const found = `FROM ${table} w WHERE w.workspace_id = $1 AND (${where})`;
  if (isDryRun) {
    const [row] = await tx.query<{ count: number }[]>(`SELECT count(*)::int AS count ${found}`, [...values]);
    return row!.count;
  }
  const verb = set === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${set}`;
  const [, erased] = await tx.query<[unknown[], number]>(
    `WITH chosen AS MATERIALIZED (SELECT ${key} ${found} LIMIT ${AT_ONCE} FOR UPDATE)
     ${verb} WHERE workspace_id = $1 AND (${key}) IN (SELECT * FROM chosen)`,
    [...values],
  );
  return erased;
}
