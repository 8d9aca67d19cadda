import type { EntityManager } from 'typeorm';
import { int2Array, int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';

/** A score about to be stored. */
export interface NewScore {
  workspaceId: number;
  logId: number;
  name: string;
  /** 0 to 100. */
  score: number;
}

const STORE = new Statement(`
  INSERT INTO request_scores (workspace_id, log_id, name, score, tracked)
  SELECT $1, n.*, $5::boolean
    FROM unnest($2::bigint[], $3::text[], $4::smallint[]) AS n (log_id, name, score)
   ORDER BY n.log_id, n.name
  ON CONFLICT (workspace_id, log_id, name) DO UPDATE
    SET score = excluded.score, tracked = excluded.tracked, updated_at = excluded.updated_at
  WHERE excluded.tracked OR NOT request_scores.tracked`);

const FIND_CHANGED = new Statement<{ log_id: string }>(`
  SELECT n.log_id FROM unnest($2::bigint[], $3::text[], $4::smallint[]) AS n (log_id, name, score)
    LEFT JOIN request_scores s ON s.workspace_id = $1 AND s.log_id = n.log_id AND s.name = n.name
   WHERE s.score IS DISTINCT FROM n.score AND s.tracked IS NOT TRUE`);

/**
 * Stores the scores that calls come with, in one statement. One of the same name is replaced, unless it was tracked. No two of
 * them may be for one name of one log.
 */
export function storeScores(scores: NewScore[]): Step[] {
  return scores.length === 0 ? [] : [STORE.with([...arraysOf(scores), false])];
}

/** Stores a score that a client adds to a log. One of the same name is replaced. */
export function trackScore(score: NewScore): Step {
  return STORE.with([...arraysOf([score]), true]);
}

const REMOVE = new Statement(
  'DELETE FROM request_scores WHERE workspace_id = $1 AND log_id = $2 AND name = $3 AND tracked',
);

/** Removes a score that a client has added to a log. */
export function removeTrackedScore({ workspaceId, logId, name }: Omit<NewScore, 'score'>): Step {
  return REMOVE.with([workspaceId, logId, name]);
}

/** The ids of the logs whose score of the same name differs or is missing, except for tracked scores. */
export async function findChangedScores(tx: EntityManager, scores: NewScore[]): Promise<number[]> {
  if (scores.length === 0) return [];
  const rows = await FIND_CHANGED.run(tx, arraysOf(scores));
  return rows.map((row) => Number(row.log_id));
}

function arraysOf(scores: NewScore[]): unknown[] {
  return [
    workspaceOf(scores),
    int8Array(scores.map(({ logId }) => logId)),
    textArray(scores.map(({ name }) => name)),
    int2Array(scores.map(({ score }) => score)),
  ];
}
