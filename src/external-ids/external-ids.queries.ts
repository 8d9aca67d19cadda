import { Any, type EntityManager } from 'typeorm';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { ExternalIdBody } from './external-ids.dto.js';
import { ExternalIdErrors } from './external-ids.errors.js';
import { ExternalIdMapping } from './external-id.entity.js';

/** An entity that can have external ids. */
export interface EntityRef {
  workspaceId: number;
  /** Such as `prompt`. */
  type: string;
  id: number | string;
}

/**
 * Attaches external ids to an entity. An id that it already has is skipped. An id of another entity is refused with
 * external_id_in_use, and the transaction must then be abandoned. When two transactions attach the same id, the second waits for
 * the first.
 */
export async function attachExternalIds(tx: EntityManager, entity: EntityRef, pairs: ExternalIdBody[]): Promise<void> {
  const { workspaceId, type: entityType } = entity;
  const entityId = String(entity.id);
  for (const { source, external_id: externalId } of pairs) {
    await tx
      .createQueryBuilder()
      .insert()
      .into(ExternalIdMapping)
      .values({ workspaceId, source, externalId, entityType, entityId })
      .orIgnore()
      .execute();
    const holder = await findByExternalId(tx, workspaceId, { source, external_id: externalId });
    if (holder?.type !== entityType || holder.id !== entityId) {
      throw ExternalIdErrors.external_id_in_use(source, externalId);
    }
  }
}

export async function findByExternalId(
  tx: EntityManager,
  workspaceId: number,
  { source, external_id: externalId }: ExternalIdBody,
): Promise<(EntityRef & { id: string }) | null> {
  const mapping = await tx.findOneBy(ExternalIdMapping, { workspaceId, source, externalId });
  return mapping && { workspaceId, type: mapping.entityType, id: mapping.entityId };
}

/** Locks an external id until the end of the transaction, for finding or creating its entity. */
export function lockExternalId(tx: EntityManager, workspaceId: number, pair: ExternalIdBody): Promise<void> {
  return lockUntilCommit(tx, 'external-id', workspaceId, pair.source, pair.external_id);
}

/** The external ids of several entities of one type, by entity id, each in the order they were attached. */
export async function readExternalIds(
  tx: EntityManager,
  workspaceId: number,
  entityType: string,
  ids: (number | string)[],
): Promise<Map<string, ExternalIdBody[]>> {
  const found = new Map<string, ExternalIdBody[]>(ids.map((id) => [String(id), []]));
  if (ids.length === 0) return found;
  const where = { workspaceId, entityType, entityId: Any(ids.map(String)) };
  const mappings = await tx.find(ExternalIdMapping, { where, order: { seq: 'ASC' } });
  for (const { entityId, source, externalId } of mappings) {
    found.get(entityId)!.push({ source, external_id: externalId });
  }
  return found;
}

/** Releases external ids of entities that are being deleted. */
export async function releaseExternalIds(
  tx: EntityManager,
  workspaceId: number,
  entityType: string,
  ids: (number | string)[],
): Promise<void> {
  await tx.query(
    'DELETE FROM external_ids WHERE workspace_id = $1 AND entity_type = $2 AND entity_id = ANY ($3::text[])',
    [workspaceId, entityType, ids.map(String)],
  );
}

/** The source of the ids of a list of entities, as SQL. */
export interface ListedIds {
  type: string;
  idSql: string;
  idType: 'integer' | 'uuid';
  workspaceSql: string;
}

/** A condition that holds for the one entity with an external id. The id is looked up once, not per entity. */
export function hasExternalId(entity: ListedIds, pair: ExternalIdBody, parameters: SqlParameters): string {
  const { type, idSql, idType, workspaceSql } = entity;
  return `${idSql} = (SELECT x.entity_id::${idType} FROM external_ids x
    WHERE x.workspace_id = ${workspaceSql} AND x.entity_type = '${type}'
      AND x.source = ${parameters.add(pair.source)} AND x.external_id = ${parameters.add(pair.external_id)})`;
}
