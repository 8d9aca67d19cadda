import type { EntityManager } from 'typeorm';

/** A user as an archive of a workspace names them. */
export interface ArchivedUser {
  id: number;
  email: string;
  /** In UTC, with milliseconds. */
  createdAt: string;
}

/** The users behind the members and keys of a workspace. */
const USERS = `
  SELECT u.id, u.email, to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt"
    FROM users u WHERE u.id IN (SELECT unnest(ARRAY[k.user_id, k.maker_id]) FROM api_keys k WHERE k.workspace_id = $1) ORDER BY u.id`;

export function readUsersOf(db: Pick<EntityManager, 'query'>, workspaceId: number): Promise<ArchivedUser[]> {
  return db.query<ArchivedUser[]>(USERS, [workspaceId]);
}

/**
 * Prepares rows of `api_keys` in the table `staged` for this installation. A user is the same if the id and the moment of creation are
 * the same: ids count up from 1 in every installation, and e-mail addresses in an archive prove nothing. Members and keys of other
 * users are revoked and lose their user, as if the user had been deleted, and service keys that they made lose their maker. Returns
 * the users of revoked keys.
 */
export async function revokeUnknownUsers(
  tx: EntityManager,
  staged: string,
  users: ArchivedUser[],
): Promise<Pick<ArchivedUser, 'id'>[]> {
  const archived = [users.map(({ id }) => id), users.map(({ createdAt }) => createdAt)];
  const known = `known AS (
       SELECT u.id FROM users u JOIN unnest($1::int[], $2::timestamptz[]) AS a (id, created_at)
         ON u.id = a.id AND u.created_at = a.created_at)`;
  await tx.query(
    `WITH ${known} UPDATE ${staged} SET maker_id = NULL WHERE maker_id NOT IN (SELECT id FROM known)`,
    archived,
  );
  const [unknown] = await tx.query<[{ id: number }[], number]>(
    `WITH ${known},
     revoked AS (
       SELECT id, user_id FROM ${staged} WHERE user_id IS NOT NULL AND user_id NOT IN (SELECT id FROM known))
     UPDATE ${staged} AS k SET user_id = NULL, revoked_at = coalesce(k.revoked_at, $3::timestamptz)
       FROM revoked WHERE k.id = revoked.id RETURNING revoked.user_id AS id`,
    [...archived, new Date()],
  );
  return [...new Map(unknown.map((user) => [user.id, user])).values()];
}

/** Withdraws the open invitations of a restored workspace: links from before must not work again. Returns their number. */
export async function withdrawInvitations(tx: EntityManager, workspaceId: number): Promise<number> {
  const [, count] = await tx.query<[unknown[], number]>(
    `UPDATE invitations SET withdrawn_at = now() WHERE workspace_id = $1 AND accepted_at IS NULL AND withdrawn_at IS NULL`,
    [workspaceId],
  );
  return count;
}
