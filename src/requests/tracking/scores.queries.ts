import type { EntityManager } from 'typeorm';

/** The score of a call when it has but one. */
export const DEFAULT_SCORE = 'default';

/** In characters. */
export const SCORE_NAME_LENGTH = 255;

/** A score about to be stored. */
export interface NewScore {
  workspaceId: number;
  logId: number;
  name: string;
  /** 0 to 100. */
  score: number;
}

/** Stores scores in one statement; a score of the same name is replaced. No two of them may be for one name of one log. */
export async function storeScores(tx: EntityManager, scores: NewScore[]): Promise<void> {
  if (scores.length === 0) return;
  await tx.query(
    `INSERT INTO request_scores (workspace_id, log_id, name, score)
     SELECT * FROM unnest($1::int[], $2::bigint[], $3::text[], $4::smallint[]) AS n (workspace_id, log_id, name, score)
      ORDER BY n.workspace_id, n.log_id, n.name
     ON CONFLICT (workspace_id, log_id, name) DO UPDATE SET score = excluded.score, updated_at = now()`,
    [
      scores.map(({ workspaceId }) => workspaceId),
      scores.map(({ logId }) => logId),
      scores.map(({ name }) => name),
      scores.map(({ score }) => score),
    ],
  );
}
