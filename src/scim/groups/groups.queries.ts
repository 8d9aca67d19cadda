import type { EntityManager } from 'typeorm';
import type { ListStatement } from '../protocol/list.js';
import type { ReadGroup, StoredMember } from './group-resource.js';

export const SOURCE = 'scim';

const OF_GROUP = `m.source = '${SOURCE}' AND m.group_name = g.display_name`;

const COLUMNS = `g.id, g.display_name AS "displayName", g.external_id AS "externalId", g.version, g.created_at AS "createdAt",
  g.updated_at AS "updatedAt", (SELECT count(*)::integer FROM user_groups m WHERE ${OF_GROUP}) AS "memberCount"`;

const MEMBERS = `
  (SELECT jsonb_agg(jsonb_build_object('value', u.id::text, 'display', coalesce(u.name, u.email)) ORDER BY u.id)
     FROM user_groups m JOIN users u ON u.id = m.user_id WHERE ${OF_GROUP}) AS members`;

/** Members may be thousands, so they are read only where they are asked for. */
const columns = (withMembers: boolean): string => `${COLUMNS}, ${withMembers ? MEMBERS : 'NULL AS members'}`;

export async function findGroup(
  tx: EntityManager,
  id: string,
  { lock = false, withMembers = false } = {},
): Promise<ReadGroup | null> {
  const [group] = await tx.query<ReadGroup[]>(
    `SELECT ${columns(withMembers)} FROM scim_groups g WHERE g.id = $1 ${lock ? 'FOR UPDATE OF g' : ''}`,
    [id],
  );
  return group ?? null;
}

export async function countGroups(tx: EntityManager, { where, parameters }: ListStatement): Promise<number> {
  const [row] = await tx.query<{ total: number }[]>(
    `SELECT count(*)::integer AS total FROM scim_groups g WHERE ${where}`,
    parameters.values,
  );
  return row!.total;
}

export function listGroups(
  tx: EntityManager,
  { where, orderBy, page, parameters }: ListStatement,
  withMembers: boolean,
): Promise<ReadGroup[]> {
  return tx.query<ReadGroup[]>(
    `SELECT ${columns(withMembers)}
       FROM (SELECT * FROM scim_groups g WHERE ${where} ORDER BY ${orderBy} LIMIT ${page.limit} OFFSET ${page.offset}) AS g
      ORDER BY ${orderBy}`,
    parameters.values,
  );
}

export async function memberIds(tx: EntityManager, group: string): Promise<number[]> {
  const rows = await tx.query<{ id: number }[]>(
    'SELECT user_id AS id FROM user_groups WHERE source = $1 AND group_name = $2',
    [SOURCE, group],
  );
  return rows.map(({ id }) => id);
}

export function membersOf(tx: EntityManager, group: string): Promise<StoredMember[]> {
  return tx.query<StoredMember[]>(
    `SELECT u.id::text AS value, coalesce(u.name, u.email) AS display
       FROM user_groups m JOIN users u ON u.id = m.user_id WHERE m.source = $1 AND m.group_name = $2`,
    [SOURCE, group],
  );
}
