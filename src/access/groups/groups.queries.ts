import type { EntityManager } from 'typeorm';
import { applyRules } from './apply-rules.queries.js';

/** A group as one source names it. */
export interface SourceGroup {
  /** `oidc:<provider>` or `scim`. */
  source: string;
  group: string;
}

export interface GroupsOfUser {
  userId: number;
  groups: string[];
}

/** Replaces the groups that a source puts these users in, and applies the rules to them. Unknown users are left out. */
export async function setGroups(
  tx: EntityManager,
  requestId: string,
  source: string,
  users: GroupsOfUser[],
): Promise<void> {
  const ids = await lock(
    tx,
    users.map(({ userId }) => userId),
  );
  const rows = users.flatMap(({ userId, groups }) => groups.map((group) => ({ userId, group })));
  const named = [rows.map(({ userId }) => userId), rows.map(({ group }) => group)];
  await tx.query(
    `DELETE FROM user_groups
      WHERE source = $1 AND user_id = ANY ($2::int[])
        AND (user_id, group_name) NOT IN (SELECT * FROM unnest($3::int[], $4::text[]))`,
    [source, ids, ...named],
  );
  await tx.query(
    `INSERT INTO user_groups (user_id, source, group_name)
     SELECT id, $1, name FROM unnest($3::int[], $4::text[]) AS g (id, name) WHERE id = ANY ($2::int[])
     ON CONFLICT DO NOTHING`,
    [source, ids, ...named],
  );
  await applyRules(tx, requestId, ids);
}

/** Unknown users are left out, and so are those who are in the group already. */
export async function addToGroup(
  tx: EntityManager,
  requestId: string,
  { source, group }: SourceGroup,
  userIds: number[],
): Promise<void> {
  const ids = await lock(tx, userIds);
  await tx.query(
    `INSERT INTO user_groups (user_id, source, group_name)
     SELECT id, $1, $2 FROM unnest($3::int[]) AS u (id) ON CONFLICT DO NOTHING`,
    [source, group, ids],
  );
  await applyRules(tx, requestId, ids);
}

export async function removeFromGroup(
  tx: EntityManager,
  requestId: string,
  { source, group }: SourceGroup,
  userIds: number[],
): Promise<void> {
  const ids = await lock(tx, userIds);
  await tx.query('DELETE FROM user_groups WHERE source = $1 AND group_name = $2 AND user_id = ANY ($3::int[])', [
    source,
    group,
    ids,
  ]);
  await applyRules(tx, requestId, ids);
}

/** The users of the group get what the rules give to its new name. */
export async function renameGroup(
  tx: EntityManager,
  requestId: string,
  { source, group, to }: SourceGroup & { to: string },
): Promise<void> {
  const ids = await lock(tx, await usersOf(tx, group, source));
  await tx.query(
    'UPDATE user_groups SET group_name = $3 WHERE source = $1 AND group_name = $2 AND user_id = ANY ($4::int[])',
    [source, group, to, ids],
  );
  await applyRules(tx, requestId, ids);
}

/** The users whom any source, or this one, puts in a group. */
export async function usersOf(tx: EntityManager, group: string, source: string | null = null): Promise<number[]> {
  const rows = await tx.query<{ id: number }[]>(
    'SELECT DISTINCT user_id AS id FROM user_groups WHERE group_name = $1 AND source = coalesce($2, source)',
    [group, source],
  );
  return rows.map(({ id }) => id);
}

/**
 * Keeps rules as they are until the commit, then locks the users; returns those who exist. A transaction that locks users before it
 * changes their groups calls `keepRules` first: a change of a rule waits for users, and would wait for itself otherwise.
 */
async function lock(tx: EntityManager, userIds: number[]): Promise<number[]> {
  await keepRules(tx);
  const rows = await tx.query<{ id: number }[]>(
    'SELECT id FROM users WHERE id = ANY ($1::int[]) ORDER BY id FOR NO KEY UPDATE',
    [userIds],
  );
  return rows.map(({ id }) => id);
}

/** No rule changes until the commit. Any number of transactions may hold this at a time. */
export async function keepRules(tx: EntityManager): Promise<void> {
  await tx.query('LOCK TABLE group_rules IN ROW SHARE MODE');
}

/** Waits for all transactions that change groups, and holds up new ones until the commit. */
export async function lockRules(tx: EntityManager): Promise<void> {
  await tx.query('LOCK TABLE group_rules IN EXCLUSIVE MODE');
}
