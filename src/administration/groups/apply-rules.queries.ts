import type { EntityManager } from 'typeorm';
import { groupBy } from '../../platform/group-by.js';
import { auditAll, type Deed } from '../../access/index.js';
import { lockMembers } from '../members/members.queries.js';

/** A membership that differs from the rules. */
interface Difference {
  workspaceId: number;
  userId: number;
  /** The membership as it is; null for one to make. */
  keyId: number | null;
  oldRoles: string | null;
  /** Null for a membership that no rule gives any more. */
  roles: string | null;
  name: string;
}

/** Memberships that users get beside those by rules, such as by invitations. */
export interface Joining {
  /** Where; their members are locked together with those of the rules, in one order. */
  workspaceIds: number[];
  join(): Promise<void>;
}

const NOBODY_JOINS: Joining = { workspaceIds: [], join: () => Promise.resolve() };

/** Memberships made by hand are left as they are, whatever the rules give. */
const DIFFERENCES = `
  WITH wanted AS (
    SELECT g.user_id, r.workspace_id, string_agg(DISTINCT role, ',' ORDER BY role) AS roles
      FROM user_groups g
      JOIN group_rules r ON r.group_name = g.group_name
     CROSS JOIN LATERAL unnest(string_to_array(r.roles, ',')) AS role
     WHERE g.user_id = ANY ($1::int[])
     GROUP BY g.user_id, r.workspace_id),
  present AS (
    SELECT id, user_id, workspace_id, role, by_rules FROM api_keys
     WHERE user_id = ANY ($1::int[]) AND kind = 'member' AND revoked_at IS NULL)
  SELECT workspace_id AS "workspaceId", user_id AS "userId", p.id AS "keyId", p.role AS "oldRoles", w.roles,
         coalesce(u.name, u.email) AS name
    FROM wanted w
    FULL JOIN present p USING (workspace_id, user_id)
    JOIN users u ON u.id = user_id
   WHERE p.id IS NULL OR (p.by_rules AND w.roles IS DISTINCT FROM p.role)
   ORDER BY workspace_id, user_id`;

/**
 * Makes, changes and ends memberships as the rules for the groups of these users say, after `joining`. The caller has locked the users, so that two
 * of these do not meet. Rules are the operator's, so the last administrator of a workspace is not kept.
 */
export async function applyRules(
  tx: EntityManager,
  requestId: string,
  userIds: number[],
  joining: Joining = NOBODY_JOINS,
): Promise<void> {
  const byRules = (await differences(tx, userIds)).map((each) => each.workspaceId);
  const workspaces = new Set([...byRules, ...joining.workspaceIds].toSorted((a, b) => a - b));
  if (workspaces.size === 0) return;
  for (const workspaceId of workspaces) await lockMembers(tx, workspaceId);
  await joining.join();
  // Read again: the memberships may have changed before they were locked.
  const found = (await differences(tx, userIds)).filter((each) => workspaces.has(each.workspaceId));
  await join(tx, found.filter(isNew));
  await changeRoles(tx, found.filter(isOther));
  await leave(tx, found.filter(isOver));
  for (const [workspaceId, changes] of groupBy(found, (each) => each.workspaceId)) {
    await auditAll(tx, { workspaceId, keyId: null, requestId }, changes.map(deedOf));
  }
}

const isNew = ({ keyId }: Difference): boolean => keyId === null;
const isOver = ({ roles }: Difference): boolean => roles === null;
const isOther = (each: Difference): boolean => !isNew(each) && !isOver(each);

const differences = (tx: EntityManager, userIds: number[]): Promise<Difference[]> => tx.query(DIFFERENCES, [userIds]);

const columnsOf = (changes: Difference[]) => [
  changes.map((each) => each.workspaceId),
  changes.map((each) => each.userId),
];

async function join(tx: EntityManager, joining: Difference[]): Promise<void> {
  if (joining.length === 0) return;
  await tx.query(
    `INSERT INTO api_keys (workspace_id, user_id, kind, name, owner_email, role, by_rules)
     SELECT j.workspace_id, u.id, 'member', coalesce(u.name, u.email), u.email, j.roles, true
       FROM unnest($1::int[], $2::int[], $3::text[]) AS j (workspace_id, user_id, roles)
       JOIN users u ON u.id = j.user_id`,
    [...columnsOf(joining), joining.map((each) => each.roles)],
  );
}

async function changeRoles(tx: EntityManager, changes: Difference[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `UPDATE api_keys k SET role = c.roles FROM unnest($1::int[], $2::int[], $3::text[]) AS c (workspace_id, id, roles)
      WHERE k.workspace_id = c.workspace_id AND k.id = c.id`,
    [changes.map((each) => each.workspaceId), changes.map((each) => each.keyId), changes.map((each) => each.roles)],
  );
}

/** With the personal keys that the users have there. */
async function leave(tx: EntityManager, leaving: Difference[]): Promise<void> {
  if (leaving.length === 0) return;
  await tx.query(
    `UPDATE api_keys k SET revoked_at = now() FROM unnest($1::int[], $2::int[]) AS l (workspace_id, user_id)
      WHERE k.workspace_id = l.workspace_id AND k.user_id = l.user_id AND k.revoked_at IS NULL`,
    columnsOf(leaving),
  );
}

function deedOf({ userId, name, roles, oldRoles }: Difference): Deed {
  const details = { name, by: 'group_rules' };
  if (roles === null) return { action: 'member.remove', entityId: userId, details };
  if (oldRoles === null) {
    return { action: 'member.join', entityId: userId, details: { ...details, roles: roles.split(',') } };
  }
  const changed = { ...details, roles: roles.split(','), old_roles: oldRoles.split(',') };
  return { action: 'member.set_roles', entityId: userId, details: changed };
}
