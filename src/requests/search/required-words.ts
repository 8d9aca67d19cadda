import type { EntityManager } from 'typeorm';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import { partsIn, requiredBy, textsRequiredBy } from './phrase-prefilter.js';
import type { RequiredWord } from './text-query.js';
import { findWordsWith, type WordsWith } from './vocabulary.queries.js';
import type { WordRun } from './word-runs.js';

/** Where more logs wait for the index, a part of a word is looked for in the texts. */
const MOST_WAITING = 1000;

/** What logs must have to fulfil conditions on texts. Looking it up first spares reading the texts of all logs. */
export interface RequiredWords {
  words: RequiredWord[];
  /** Of words that stand beside each other, see `WordRuns`. */
  runs: WordRun[];
  /** Logs that may fulfil them without the words: nobody knew theirs yet when parts of words were looked up. */
  waiting: readonly string[];
}

export async function findRequiredWords(
  db: EntityManager,
  workspaceId: number,
  groups: readonly FilterGroup[],
): Promise<RequiredWords> {
  const parts = partsIn(groups.flatMap(textsRequiredBy));
  // The order matters: the words of a log that does not wait any more are known from then on.
  const waiting = parts.size > 0 ? await readWaiting(db, workspaceId) : [];
  const words: WordsWith = waiting.length <= MOST_WAITING ? await findWordsWith(db, workspaceId, parts) : new Map();
  const required = groups.map((group) => requiredBy(group, words));
  return {
    words: required.flatMap((each) => each.words),
    runs: required.flatMap((each) => each.runs),
    waiting: words.size > 0 ? waiting : [],
  };
}

async function readWaiting(db: EntityManager, workspaceId: number): Promise<string[]> {
  const rows = await db.query<{ log_id: string }[]>(
    `SELECT log_id FROM request_log_search_queue WHERE workspace_id = $1 LIMIT ${MOST_WAITING + 1}`,
    [workspaceId],
  );
  return rows.map((row) => row.log_id);
}
