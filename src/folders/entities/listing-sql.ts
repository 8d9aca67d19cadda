import { tagConditions } from '../../platform/http/tags-query.js';
import { comparableText } from '../../platform/comparable-text.js';
import { commonConditions, type CommonListQuery, externalIdIn, type SortKey } from '../../entity-lists/index.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { FolderItemOptions, FolderItemType } from '../shared/folder-item.js';

/** The filters and order of a list of entities. */
export interface Listing {
  /** null for the top. */
  folderId: number | null;
  /** Includes the folders below. */
  flatten: boolean;
  /** Empty for all types except those that are listed on request only. */
  types: FolderItemType[];
  search: string | null;
  /** All must match. */
  tags: string[];
  withMetadata: boolean;
  /** Default order: folders first, then by name. */
  common: CommonListQuery;
  /** The most relevant for `search` instead of those that contain it. */
  semantic: { topK: number; threshold?: number } | null;
}

/** A list with the folders it covers. */
export interface PlacedListing extends Listing {
  /** The folder and all folders below it; null unless `flatten`. */
  subtree: number[] | null;
}

/** How one type of entity is read. */
export type ListedKind = Pick<
  FolderItemOptions,
  | 'name'
  | 'table'
  | 'idType'
  | 'nameSql'
  | 'tagsSql'
  | 'metadataSql'
  | 'content'
  | 'whereSql'
  | 'externalIdType'
  | 'onRequest'
>;

/** A row of the list. */
export interface ListedEntity {
  type: FolderItemType;
  /** The id as text, for numbers too. */
  id: string;
  name: string;
  folderId: number | null;
  createdAt: Date;
  updatedAt: Date;
  /** null unless requested. */
  metadata: object | null;
  /** The beginning of the content for a semantic search, otherwise null. */
  content: string | null;
}

/** A semantic search compares this many entities, the latest updated ones, … */
export const CANDIDATES = 5000;
/** … and so much of the content of each: at most 20 MB of text are in memory. */
const CONTENT_LENGTH = 1000;

const FOLDER: ListedKind = {
  name: 'FOLDER',
  table: 'folders',
  idType: 'integer',
  nameSql: 'e.name',
  externalIdType: 'folder',
};

/** The kinds that can contribute to a list: some filters fit only some kinds. */
export function kindsIn(listing: Listing, items: ListedKind[]): ListedKind[] {
  const { types, tags, common } = listing;
  const byExternalId = externalIdIn(common) !== null;
  return [FOLDER, ...items].filter(
    (kind) =>
      (types.length === 0 ? !kind.onRequest : types.includes(kind.name)) &&
      (tags.length === 0 || kind.tagsSql !== undefined) &&
      (!byExternalId || kind.externalIdType !== undefined),
  );
}

/** One statement that reads all kinds. Its first parameter must be the workspace. */
export function listingSql(listing: PlacedListing, kinds: ListedKind[], parameters: SqlParameters): string {
  const branches = kinds.map((kind) => branchSql(listing, kind, parameters));
  return `SELECT * FROM (${branches.join(' UNION ALL ')}) entity ORDER BY ${orderSql(listing)}`;
}

function branchSql(listing: PlacedListing, kind: ListedKind, parameters: SqlParameters): string {
  const isFolder = kind === FOLDER;
  const { search, semantic, withMetadata } = listing;
  const nameFirst =
    search && !semantic ? `(NOT ${containsSql(`lower(${kind.nameSql})`, search, parameters)})::integer` : '0';
  const content = semantic && kind.content ? contentSql(kind.content) : 'NULL::text';
  const metadata = withMetadata ? `coalesce((${kind.metadataSql ?? 'NULL'})::jsonb, '{}')` : 'NULL::jsonb';
  return `SELECT '${kind.name}'::text AS type, e.id::text AS id,
      ${kind.idType === 'integer' ? 'e.id::bigint' : 'NULL::bigint'} AS number,
      ${kind.nameSql} AS name, ${isFolder ? 'e.parent_id' : 'e.folder_id'} AS "folderId",
      e.created_at AS "createdAt", e.updated_at AS "updatedAt",
      ${metadata} AS metadata, ${content} AS content, ${nameFirst} AS rank
    FROM ${kind.table} e WHERE ${conditionsOf(listing, kind, parameters).join(' AND ')}`;
}

function conditionsOf(listing: PlacedListing, kind: ListedKind, parameters: SqlParameters): string[] {
  const { search, semantic, tags, common } = listing;
  const { idType, externalIdType } = kind;
  const table = { alias: 'e', workspaceSql: '$1', idType, externalIdType };
  const conditions = [
    'e.workspace_id = $1',
    placeSql(listing, kind === FOLDER, parameters),
    kind === FOLDER ? 'true' : 'e.deleted_at IS NULL',
    kind.whereSql ? `(${kind.whereSql})` : 'true',
    ...commonConditions(common, table, parameters),
  ];
  if (search && !semantic) conditions.push(searchSql(kind, search, parameters));
  if (kind.tagsSql) conditions.push(...tagConditions(kind.tagsSql, tags, parameters));
  return conditions;
}

function placeSql({ folderId, flatten, subtree }: PlacedListing, isFolder: boolean, parameters: SqlParameters): string {
  if (folderId === null && flatten) return 'true';
  // The index of folders is over this expression.
  const place = isFolder ? 'coalesce(e.parent_id, 0)' : 'e.folder_id';
  if (subtree) return `${place} = ANY (${parameters.add(subtree)}::integer[])`;
  if (folderId === null) return isFolder ? `${place} = 0` : `${place} IS NULL`;
  return `${place} = ${parameters.add(folderId)}::integer`;
}

type Content = NonNullable<ListedKind['content']>;

/** The beginning of the content of one entity. */
function contentSql({ table, idColumn, textSql }: Content): string {
  return `(SELECT left(${textSql}, ${CONTENT_LENGTH}) FROM ${table} c
    WHERE c.workspace_id = $1 AND c.${idColumn} = e.id)`;
}

function searchSql(kind: ListedKind, search: string, parameters: SqlParameters): string {
  const inName = containsSql(`lower(${kind.nameSql})`, search, parameters);
  if (!kind.content) return inName;
  const { table, idColumn, textSql } = kind.content;
  // All texts are read at once: one look-up per entity takes several times as long.
  const found = `SELECT c.${idColumn} FROM ${table} c
    WHERE c.workspace_id = $1 AND ${containsSql(textSql, search, parameters)}`;
  return `(${inName} OR e.id IN (${found}))`;
}

/** Nothing in the search is a wildcard. The text must be in lower case; null contains nothing. */
function containsSql(textSql: string, search: string, parameters: SqlParameters): string {
  return `coalesce(strpos(comparable_text(${textSql}), lower(${parameters.add(comparableText(search))}::text)) > 0, false)`;
}

/** Ends with type and id, so that equal requests give equal lists. */
function orderSql({ semantic, common }: Listing): string {
  const { sort_by: sortBy, sort_order: sortOrder } = common;
  if (semantic) return `"updatedAt" DESC, type, number, id LIMIT ${CANDIDATES}`;
  const direction = sortOrder ?? (sortBy ? 'desc' : 'asc');
  const name = `lower(name) ${direction}, name ${direction}`;
  const byId = `number ${direction}, id ${direction}, type`;
  const keys: Record<SortKey, string> = {
    created_at: `"createdAt" ${direction}`,
    updated_at: `"updatedAt" ${direction}`,
    name,
    id: byId,
  };
  return `rank, ${sortBy ? keys[sortBy] : `(type <> 'FOLDER'), ${name}`}, ${byId}`;
}
