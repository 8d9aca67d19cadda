import type { EntityManager } from 'typeorm';

/** What an erasure looks for in the tables of a domain. */
export interface Sought {
  workspaceId: number;
  person: PersonInText;
  /** A keyed hash of the person, which takes the place of the name where something is kept that names them. */
  mask: string;
  /** The traces and request logs of the person, also those that are deleted already. */
  traceIds: readonly string[];
  logIds: readonly string[];
  /** When the first of these was stored; null when there are none. */
  since: Date | null;
  /** Rows of sheets that are about the person and are not erased yet. */
  rows: readonly { sheetId: string; row: number }[];
  /** Nothing is deleted; everything that would be is counted. */
  isDryRun: boolean;
}

/**
 * How a person is found in texts: a regular expression, and what every text that it matches contains one of, so that few texts are
 * matched. Its first group is what stands before the name. A parameter of statements.
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
  /** What they become; they are deleted when it is left out. Then they must not fulfil the condition any more. */
  set?: string;
}

/** Rows of one transaction. Each looks at the rows of the workspace from the beginning, so there should be few. */
const AT_ONCE = 5000;
/** A condition looks at all rows of a workspace, which takes longer than other statements may. */
const TIMEOUT_MS = 600_000;

/** The condition that a text names the person, who is a parameter. No condition elsewhere says what naming a person is. */
export const namesPerson = (text: string, person: string): string =>
  `CASE WHEN EXISTS (SELECT FROM unnest((${person}::text[])[2:]) AS p (contained) WHERE strpos(${text}, p.contained) > 0)
     THEN ${text} ~ (${person}::text[])[1] ELSE false END`;

/** The text with another text in place of the person, wherever it names them. */
export const maskPerson = (text: string, person: string, mask: string): string =>
  `regexp_replace(${text}, (${person}::text[])[1], '\\1' || ${mask}::text, 'g')`;

/** Erases some of the rows and gives their number, 0 when none is left; in a dry run the number of all. */
export async function eraseRows(tx: EntityManager, isDryRun: boolean, rows: RowsToErase): Promise<number> {
  const { table, key, where, values, set } = rows;
  await tx.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
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
