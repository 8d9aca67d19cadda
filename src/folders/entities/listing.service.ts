import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { ExternalIdBody } from '../../external-ids/index.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { FolderItems } from '../shared/folder-items.js';
import { folderPaths, readLineage, readSubtrees } from '../shared/folder-tree.js';
import { FolderErrors } from '../shared/folders.errors.js';
import { kindsIn, type ListedEntity, type ListedKind, type Listing, listingSql } from './listing-sql.js';
import { Relevance } from './relevance.js';

export interface EntityDetails extends ListedEntity {
  /** The type of id. */
  idType: 'integer' | 'uuid';
  /** The names of the folders it is in, from the top. */
  path: string[];
  externalIds: ExternalIdBody[];
}

/** Comparisons between two yields to other requests. */
const COMPARED_AT_ONCE = 20;

@Injectable()
export class ListingService {
  constructor(
    private readonly db: DataSource,
    private readonly items: FolderItems,
  ) {}

  /** Lists a folder as of one moment. Throws folder_not_found. */
  async list(caller: Caller, listing: Listing): Promise<EntityDetails[]> {
    const { workspaceId } = caller;
    const kinds = kindsIn(listing, this.items.list());
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const { folderId } = listing;
      const start = await readLineage(tx, workspaceId, folderId === null ? [] : [folderId]);
      if (folderId !== null && !start.has(folderId)) throw FolderErrors.folder_not_found(folderId);
      if (kinds.length === 0) return [];
      const entities = await readEntities(tx, workspaceId, listing, kinds);
      return addDetails(tx, workspaceId, entities, kinds);
    });
  }
}

async function readEntities(
  tx: EntityManager,
  workspaceId: number,
  listing: Listing,
  kinds: ListedKind[],
): Promise<ListedEntity[]> {
  const parameters = new SqlParameters();
  parameters.add(workspaceId);
  const { folderId, flatten } = listing;
  // Read in a statement of its own: as a subquery, a plan made for few folders would read all of them for each entity.
  const subtree = flatten && folderId !== null ? await readSubtrees(tx, workspaceId, [folderId]) : null;
  const sql = listingSql({ ...listing, subtree }, kinds, parameters);
  const entities = await tx.query<ListedEntity[]>(sql, parameters.values);
  return listing.semantic ? mostRelevant(entities, listing.search ?? '', listing.semantic) : entities;
}

/**
 * No embedding model is used: `Relevance` compares the words of the name and of the content, and the better match counts. The
 * threshold is a distance, 1 - relevance; entities without a common word are left out.
 */
async function mostRelevant(
  entities: ListedEntity[],
  search: string,
  { topK, threshold = Infinity }: { topK: number; threshold?: number },
): Promise<ListedEntity[]> {
  const relevance = new Relevance(search);
  const rated: { entity: ListedEntity; rate: number; nameRate: number }[] = [];
  for (const [at, entity] of entities.entries()) {
    if (at % COMPARED_AT_ONCE === COMPARED_AT_ONCE - 1) await setImmediate();
    const nameRate = relevance.of(entity.name);
    const rate = Math.max(nameRate, relevance.of(entity.content ?? ''));
    if (rate > 0 && 1 - rate <= threshold) rated.push({ entity, rate, nameRate });
  }
  rated.sort((a, b) => b.rate - a.rate || b.nameRate - a.nameRate);
  return rated.slice(0, topK).map(({ entity }) => entity);
}

async function addDetails(
  tx: EntityManager,
  workspaceId: number,
  entities: ListedEntity[],
  kinds: ListedKind[],
): Promise<EntityDetails[]> {
  const pathOf = await folderPaths(
    tx,
    workspaceId,
    entities.map(({ folderId }) => folderId),
  );
  const kindOf = new Map(kinds.map((kind) => [kind.name, kind]));
  const externalIds = await readExternalIdsOf(tx, workspaceId, entities, kindOf);
  return entities.map((entity) => ({
    ...entity,
    idType: kindOf.get(entity.type)!.idType,
    path: pathOf(entity.folderId),
    externalIds: externalIds.get(entity) ?? [],
  }));
}

/** One statement for entities of all types, however many they are. */
async function readExternalIdsOf(
  tx: EntityManager,
  workspaceId: number,
  entities: ListedEntity[],
  kindOf: Map<string, ListedKind>,
): Promise<Map<ListedEntity, ExternalIdBody[]>> {
  const holders = entities.filter(({ type }) => kindOf.get(type)!.externalIdType);
  const found = new Map<ListedEntity, ExternalIdBody[]>();
  if (holders.length === 0) return found;
  const rows = await tx.query<{ at: number; source: string; external_id: string }[]>(
    `SELECT h.at::integer, x.source, x.external_id
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS h (type, id, at)
       JOIN external_ids x ON x.workspace_id = $1 AND x.entity_type = h.type AND x.entity_id = h.id
      ORDER BY x.seq`,
    [workspaceId, holders.map(({ type }) => kindOf.get(type)!.externalIdType), holders.map(({ id }) => id)],
  );
  for (const { at, source, external_id } of rows) {
    const entity = holders[at - 1]!;
    found.set(entity, [...(found.get(entity) ?? []), { source, external_id }]);
  }
  return found;
}
