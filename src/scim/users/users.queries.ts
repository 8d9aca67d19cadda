import type { EntityManager } from 'typeorm';
import type { ListStatement } from '../protocol/list.js';
import type { ScimUser } from './user-resource.js';

const COLUMNS = `u.id, u.email, u.name, u.status, u.external_id AS "externalId", u.scim, u.created_at AS "createdAt",
  u.updated_at AS "updatedAt",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display', g.display_name) ORDER BY g.display_name), '[]')
     FROM user_groups m JOIN scim_groups g ON g.display_name = m.group_name
    WHERE m.user_id = u.id AND m.source = 'scim') AS groups`;

export async function findScimUser(tx: EntityManager, id: number, { lock = false } = {}): Promise<ScimUser | null> {
  const [user] = await tx.query<ScimUser[]>(
    `SELECT ${COLUMNS} FROM users u WHERE u.id = $1 ${lock ? 'FOR NO KEY UPDATE OF u' : ''}`,
    [id],
  );
  return user ?? null;
}

export async function countUsers(tx: EntityManager, { where, parameters }: ListStatement): Promise<number> {
  const [row] = await tx.query<{ total: number }[]>(
    `SELECT count(*)::integer AS total FROM users u WHERE ${where}`,
    parameters.values,
  );
  return row!.total;
}

/** Groups are read for the users of the page alone. */
export function listScimUsers(
  tx: EntityManager,
  { where, orderBy, page, parameters }: ListStatement,
): Promise<ScimUser[]> {
  const [limit, offset] = [page.limit, page.offset];
  return tx.query<ScimUser[]>(
    `SELECT ${COLUMNS}
       FROM (SELECT * FROM users u WHERE ${where} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}) AS u
      ORDER BY ${orderBy}`,
    parameters.values,
  );
}
