import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { WantedPhrase } from './text-query.js';
import { incompleteLexeme } from './words.js';

/** Whether a workspace has something with more words than its entry in an index of words can hold. */
export async function anyIncomplete(db: EntityManager, workspaceId: number, index: 'trace_search'): Promise<boolean> {
  // Materialized, so that it is planned for all such entries: for the first one of some thousands that the planner
  // expects it would read the whole table, and there is almost never any.
  const [row] = await db.query<{ found: boolean }[]>(
    `WITH incomplete AS MATERIALIZED (SELECT FROM ${index} WHERE workspace_id = $1 AND words @@ $2::tsquery)
     SELECT EXISTS (SELECT FROM incomplete) AS found`,
    [workspaceId, `'${incompleteLexeme(workspaceId)}'`],
  );
  return row!.found;
}

/** What may stand before a word, see `endsInWord`: the database knows no scripts, so those of `LONE` are ranges. */
const BEFORE_WORD = String.raw`(^|[^[:alnum:]_]|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])`;

/** SQL that holds when a phrase stands in a text without apostrophes. */
export function phraseStandsIn(text: string, phrase: WantedPhrase, parameters: SqlParameters): string {
  const pattern = parameters.add(`%${phrase.text.replace(/[\\%_]/g, '\\$&')}%`);
  const contains = `${text} ILIKE ${pattern}::text`;
  if (!phrase.startsWord) return `(${contains})`;
  const literal = phrase.text.replace(/[^\p{L}\p{N}\p{M}\s_]/gu, '\\$&');
  return `(${contains} AND lower(${text}) ~ ${parameters.add(BEFORE_WORD + literal)}::text)`;
}
