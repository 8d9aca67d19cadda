import type { EntityManager } from 'typeorm';
import { Columns } from '../platform/database/columns.js';
import { Statement } from '../platform/database/statement.js';
import { KEY, type NewRequestLog, PROMPT, TOLD } from './shared/request-logs.queries.js';
import { keepTracked } from './tracking/keep-tracked.js';
import { findChangedScores, type NewScore } from './tracking/scores.queries.js';

interface ToldAgain {
  log: NewRequestLog;
  scores: Omit<NewScore, 'logId'>[];
}

const COMPARED = new Columns<NewRequestLog>(
  {
    ...KEY,
    ...PROMPT,
    names_version: ['bool', ({ call: { prompt } }) => prompt !== null && (prompt.version ?? prompt.label) !== null],
    ...TOLD,
  },
  { ofOneWorkspace: true },
);

const told = (table: string): string =>
  Object.keys(TOLD)
    .map((column) => `${table}.${column}`)
    .join(', ');

/** A call of the newest version of a prompt does not change when a newer version is published. */
const FIND_CHANGED = new Statement<{ id: string }>(`
  SELECT g.id FROM (${COMPARED.selection}) AS g
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = g.id
   WHERE (${told('l')}) IS DISTINCT FROM (${told('g')})
      OR l.prompt_id IS DISTINCT FROM g.prompt_id
      OR (g.names_version AND l.prompt_version_number IS DISTINCT FROM g.prompt_version_number)`);

/**
 * Ids of the stored logs that differ from their new report, apart from additions of clients since. Locks them until the
 * end of the transaction.
 */
export async function findChangedLogs(tx: EntityManager, again: ToldAgain[]): Promise<Set<number>> {
  const logs = again.map(({ log }) => log);
  await keepTracked(tx, logs);
  const changed = await FIND_CHANGED.run(tx, COMPARED.values(logs));
  const scores = again.flatMap(({ log, scores }) => scores.map((score) => ({ ...score, logId: log.id })));
  return new Set([...changed.map(({ id }) => Number(id)), ...(await findChangedScores(tx, scores))]);
}
