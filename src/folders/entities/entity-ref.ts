import { type EntityManager } from 'typeorm';
import { ValidateBy } from 'class-validator';
import { field, type FieldOptions } from '../../platform/http/field.js';
import { MAX_ID, EnumField } from '../../platform/http/fields.js';
import { FOLDER_ITEM_TYPES, type FolderItemType } from '../shared/folder-item.js';
import type { FolderItems, ItemStore } from '../shared/folder-items.js';
import { lockFolders } from '../shared/folder-tree.js';
import { FolderErrors } from '../shared/folders.errors.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of an entity of any type: most have numbers, some have UUIDs. */
export function EntityIdField(options: FieldOptions = {}): PropertyDecorator {
  const refusal = {
    message: `Input should be an integer from 1 to ${MAX_ID} or a UUID`,
    context: { type: 'entity_id' },
  };
  return field(options, {
    validators: [ValidateBy({ name: 'entityId', validator: { validate: isEntityId } }, refusal)],
    schema: {
      oneOf: [
        { type: 'integer', minimum: 1, maximum: MAX_ID },
        { type: 'string', format: 'uuid' },
      ],
    },
  });
}

/** How a request names an entity. */
export class EntityRef {
  @EntityIdField({ description: 'The id of the entity: an integer, or a UUID for tables.' })
  id: number | string;

  @EnumField(FOLDER_ITEM_TYPES, { description: 'The type of the entity. `type` and `id` together identify it.' })
  type: FolderItemType;
}

/** Entities that are moved or deleted together, each once. */
export interface EntitySet {
  folders: number[];
  /** Ids by store; no list is empty. */
  items: Map<ItemStore, string[]>;
}

export function sizeOf({ folders, items }: EntitySet): number {
  return [...items.values()].reduce((sum, ids) => sum + ids.length, folders.length);
}

/** Locks the named entities. Throws folder_entity_not_found for an entity that does not exist, is deleted, or has an unknown type. */
export async function lockEntities(
  tx: EntityManager,
  workspaceId: number,
  refs: EntityRef[],
  kinds: FolderItems,
): Promise<EntitySet> {
  const named = groupByStore(refs, kinds);
  const set: EntitySet = { folders: [], items: new Map() };
  for (const [store, wanted] of named) {
    const ids = [...wanted.keys()];
    if (store === FOLDERS) {
      set.folders = await lockFolders(tx, workspaceId, ids.map(Number));
      assertFound(wanted, set.folders.map(String));
    } else {
      const found = await lockItems(tx, workspaceId, store, ids);
      set.items.set(store, found);
      assertFound(wanted, found);
    }
  }
  return set;
}

type Wanted = Map<string, EntityRef>;
const FOLDERS = 'folders';

/** Each entity once, by the id as the database writes it. */
function groupByStore(refs: EntityRef[], kinds: FolderItems): Map<ItemStore | typeof FOLDERS, Wanted> {
  const groups = new Map<ItemStore | typeof FOLDERS, Wanted>();
  for (const ref of refs) {
    const store = ref.type === 'FOLDER' ? FOLDERS : kinds.storeOf(ref.type);
    const idType = store === FOLDERS ? 'integer' : store?.idType;
    const fits = idType === (typeof ref.id === 'string' ? 'uuid' : 'integer');
    if (!store || !fits) throw FolderErrors.folder_entity_not_found(ref.type, ref.id);
    const group = groups.get(store) ?? new Map<string, EntityRef>();
    groups.set(store, group.set(String(ref.id).toLowerCase(), ref));
  }
  return groups;
}

function assertFound(wanted: Wanted, found: string[]): void {
  if (found.length === wanted.size) return;
  const known = new Set(found);
  const [, missing] = [...wanted].find(([id]) => !known.has(id))!;
  throw FolderErrors.folder_entity_not_found(missing.type, missing.id);
}

async function lockItems(tx: EntityManager, workspaceId: number, store: ItemStore, ids: string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `SELECT e.id::text AS id FROM ${store.table} e
      WHERE e.workspace_id = $1 AND e.id = ANY ($2::${store.idType}[]) AND e.deleted_at IS NULL AND (${store.whereSql ?? 'true'})
      ORDER BY e.id FOR NO KEY UPDATE`,
    [workspaceId, ids],
  );
  return rows.map(({ id }) => id);
}

function isEntityId(value: unknown): boolean {
  if (typeof value === 'string') return UUID.test(value);
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ID;
}
