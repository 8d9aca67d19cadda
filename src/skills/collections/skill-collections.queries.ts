import { type EntityManager, In, IsNull } from 'typeorm';
import { commonConditions, type CommonListQuery } from '../../entity-lists/index.js';
import { spellingsOf } from '../../platform/comparable-text.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { EXTERNAL_ID_TYPE, SkillCollection, SkillVersion } from '../skill-collection.entity.js';
import { SkillErrors } from '../skills.errors.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Which version is asked for: the latest one when both are null. */
export interface VersionChoice {
  label: string | null;
  version: number | null;
}

/** A live collection by its id, its name or its root path, in this order. Throws skill_collection_not_found. */
export async function getCollection(
  tx: EntityManager,
  workspaceId: number,
  identifier: string,
  lock: 'for_no_key_update' | null = null,
): Promise<SkillCollection> {
  const live = { workspaceId, deletedAt: IsNull() };
  const byText = [
    { ...live, name: identifier },
    { ...live, rootPath: identifier },
  ];
  const where = UUID.test(identifier) ? [{ ...live, id: identifier }, ...byText] : byText;
  for (const each of where) {
    const collection = await tx.findOne(SkillCollection, { where: each, ...(lock && { lock: { mode: lock } }) });
    if (collection) return collection;
  }
  throw SkillErrors.skill_collection_not_found(identifier);
}

/** null for the latest version of a collection without one. Throws skill_version_not_found and skill_label_not_found. */
export async function getVersion(
  tx: EntityManager,
  collection: SkillCollection,
  { label, version }: VersionChoice,
): Promise<SkillVersion | null> {
  const { workspaceId, id: collectionId, name } = collection;
  // Some clients send an empty label for none.
  if (label) {
    const labelled = await tx.findBy(SkillVersion, { workspaceId, collectionId, label: In(spellingsOf(label)) });
    const found = labelled.find((each) => each.label === label) ?? labelled[0];
    if (found) return found;
    throw SkillErrors.skill_label_not_found(name, label);
  }
  const number = version ?? collection.latestVersion;
  const found = await tx.findOneBy(SkillVersion, { workspaceId, collectionId, number });
  if (found || version === null) return found;
  throw SkillErrors.skill_version_not_found(name, number);
}

/** The live collections that match. The newest come first, unless the query says otherwise. */
export async function listCollections(
  tx: EntityManager,
  workspaceId: number,
  query: CommonListQuery,
): Promise<SkillCollection[]> {
  const { sort_by: sortBy = 'created_at', sort_order: order = 'desc' } = query;
  const parameters = new SqlParameters();
  const workspaceSql = `${parameters.add(workspaceId)}::int`;
  const table = { alias: 's', workspaceSql, idType: 'uuid', externalIdType: EXTERNAL_ID_TYPE } as const;
  const conditions = ['s.deleted_at IS NULL', ...commonConditions(query, table, parameters)];
  return tx.query<SkillCollection[]>(
    `SELECT s.workspace_id AS "workspaceId", s.id, s.folder_id AS "folderId", s.latest_version AS "latestVersion",
            s.created_by AS "createdBy", s.updated_by AS "updatedBy", s.name, s.root_path AS "rootPath", s.provider,
            s.description, s.created_at AS "createdAt", s.updated_at AS "updatedAt", s.deleted_at AS "deletedAt"
       FROM skill_collections s WHERE s.workspace_id = ${workspaceSql} AND ${conditions.join(' AND ')}
      ORDER BY s.${sortBy} ${order}, s.id ${order}`,
    parameters.values,
  );
}

/** The e-mail addresses of whoever saved versions, by API key. */
export async function readEmails(
  tx: EntityManager,
  workspaceId: number,
  keyIds: (number | null)[],
): Promise<Map<number | null, string | null>> {
  const rows = await tx.query<{ id: number; email: string | null }[]>(
    'SELECT id, owner_email AS email FROM api_keys WHERE workspace_id = $1 AND id = ANY ($2::int[])',
    [workspaceId, keyIds.filter((id) => id !== null)],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}
