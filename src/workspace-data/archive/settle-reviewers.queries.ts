import type { EntityManager } from 'typeorm';
import type { NewIds } from './load-tables.js';

/** Texts that name a reviewer as `user:ID` or `key:ID`, see `reviewerOf` of `src/reviews/`. */
const REVIEWERS = [
  { table: 'review_answers', column: 'reviewer' },
  { table: 'review_items', column: 'leased_to' },
];

/** Condition: the reviewer is a user whom no remaining API key names. The first parameter is the workspace. */
const isUnknown = (reviewer: string): string =>
  `${reviewer} LIKE 'user:%' AND ${reviewer} NOT IN (
     SELECT 'user:' || u.id FROM api_keys k, unnest(ARRAY[k.user_id, k.maker_id]) AS u (id)
      WHERE k.workspace_id = $1 AND u.id IS NOT NULL)`;

/** Keys that got new ids remain the same reviewers. */
export async function renameReviewers(tx: EntityManager, workspaceId: number, newKeyIds: NewIds): Promise<void> {
  for (const { table, column } of REVIEWERS) {
    await tx.query(
      `UPDATE ${table} AS t SET ${column} = 'key:' || k.new FROM unnest($2::int[], $3::int[]) AS k (old, new)
        WHERE t.workspace_id = $1 AND t.${column} = 'key:' || k.old`,
      [workspaceId, newKeyIds.old, newKeyIds.new],
    );
  }
}

/**
 * Names unknown users by the first of their keys in this workspace, which are revoked. Each remains one reviewer, and nobody else
 * becomes it. Their leases end.
 */
export async function forgetUnknownReviewers(tx: EntityManager, workspaceId: number): Promise<void> {
  await tx.query(
    `UPDATE review_answers AS t SET reviewer = 'key:' || u.key_id
       FROM (SELECT a.reviewer, min(a.key_id) AS key_id FROM review_answers a
              WHERE a.workspace_id = $1 AND ${isUnknown('a.reviewer')} GROUP BY a.reviewer) u
      WHERE t.workspace_id = $1 AND t.reviewer = u.reviewer`,
    [workspaceId],
  );
  await tx.query(
    `UPDATE review_items SET leased_to = NULL, leased_until = NULL WHERE workspace_id = $1 AND ${isUnknown('leased_to')}`,
    [workspaceId],
  );
}
