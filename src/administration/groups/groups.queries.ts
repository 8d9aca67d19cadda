import type { EntityManager } from 'typeorm';
import { lockUsers } from '../users/users.queries.js';
import { applyRules, type Joining } from './apply-rules.queries.js';

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

/** The groups that a source puts users in. */
export interface SourceGroups {
  source: string;
  users: GroupsOfUser[];
  /** Memberships that these users get in the same transaction. */
  joining?: Joining;
}

/** Replaces the groups that a source puts these users in, and applies the rules to them. Unknown users are left out. */
export async function setGroups(
  tx: EntityManager,
  requestId: string,
  { source, users, joining }: SourceGroups,
): Promise<void> {
  await keepRules(tx);
  const ids = await lockUsers(
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
  await applyRules(tx, requestId, ids, joining);
}

/** Changes of one group; absent fields change nothing. */
export interface GroupChange extends SourceGroup {
  /** The new name. */
  to?: string;
  added?: number[];
  removed?: number[];
}

/**
 * Renames a group, adds and removes users, and applies the rules to all of them at once: several changes in one transaction would take
 * locks in several orders. Unknown users are left out.
 */
export async function changeGroup(
  tx: EntityManager,
  requestId: string,
  { source, group, to = group, added = [], removed = [] }: GroupChange,
): Promise<void> {
  await keepRules(tx);
  const renamed = to === group ? [] : await usersOf(tx, group, source);
  const ids = await lockUsers(tx, [...renamed, ...added, ...removed]);
  if (removed.length > 0) await deleteFromGroup(tx, { source, group }, removed);
  if (to !== group) await renameIn(tx, { source, group }, to);
  if (added.length > 0) await insertIntoGroup(tx, { source, group: to }, added, ids);
  await applyRules(tx, requestId, ids);
}

async function insertIntoGroup(
  tx: EntityManager,
  { source, group }: SourceGroup,
  added: number[],
  known: number[],
): Promise<void> {
  await tx.query(
    `INSERT INTO user_groups (user_id, source, group_name)
     SELECT id, $1, $2 FROM unnest($3::int[]) AS u (id) WHERE id = ANY ($4::int[]) ON CONFLICT DO NOTHING`,
    [source, group, added, known],
  );
}

async function deleteFromGroup(tx: EntityManager, { source, group }: SourceGroup, removed: number[]): Promise<void> {
  await tx.query('DELETE FROM user_groups WHERE source = $1 AND group_name = $2 AND user_id = ANY ($3::int[])', [
    source,
    group,
    removed,
  ]);
}

async function renameIn(tx: EntityManager, { source, group }: SourceGroup, to: string): Promise<void> {
  await tx.query('UPDATE user_groups SET group_name = $3 WHERE source = $1 AND group_name = $2', [source, group, to]);
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
 * No rule changes until the commit. Any number of transactions may hold this at a time. A transaction that locks users before it changes
 * their groups calls it first: a change of a rule waits for users, and would wait for itself otherwise.
 */
export async function keepRules(tx: EntityManager): Promise<void> {
  await tx.query('LOCK TABLE group_rules IN ROW SHARE MODE');
}

/** Waits for all transactions that change groups, and holds up new ones until the commit. */
export async function lockRules(tx: EntityManager): Promise<void> {
  await tx.query('LOCK TABLE group_rules IN EXCLUSIVE MODE');
}
