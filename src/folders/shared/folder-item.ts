import type { EntityManager } from 'typeorm';
import type { Caller, Permission } from '../../access/index.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';

/** Types of entities in the API. Types without a plugin are accepted and match nothing. */
export const FOLDER_ITEM_TYPES = [
  'FOLDER',
  'PROMPT',
  'SNIPPET',
  'WORKFLOW',
  'DATASET',
  'REPORT',
  'AB_TEST',
  'INPUT_VARIABLE_SET',
  'TABLE',
] as const;
export type FolderItemType = (typeof FOLDER_ITEM_TYPES)[number];

/** How entities in folders are stored and who may change them. */
export interface StoredItemOptions {
  table: string;
  idType: 'integer' | 'uuid';
  editPermission: Permission;
  deletePermission: Permission;
  /** Which rows of the table are such entities, when it holds others as well. */
  whereSql?: string;
}

/** Entities that the API of folders has no type for. They keep their folder from being empty and are deleted with it. */
export interface UnlistedItemOptions extends StoredItemOptions {
  name: string;
}

/**
 * How a kind of entity is stored in folders. Every field that ends in `Sql` is an expression over the alias `e` of its table,
 * which has `workspace_id`, `id`, `folder_id`, `created_at`, `updated_at`, `deleted_at` and `created_by`. Kinds that share a table
 * (`whereSql`) are separate only in lists. One of them acts for all when entities are moved or deleted, so their permissions and
 * their `delete` must be equal.
 */
export interface FolderItemOptions extends StoredItemOptions {
  name: FolderItemType;
  nameSql: string;
  /** text[]; absent for entities without tags, which no tag filter matches. */
  tagsSql?: string;
  /** jsonb: what `include_metadata` adds. $1 is the workspace. */
  metadataSql?: string;
  /** Lower-case text for searches: a table with one row per entity, and an expression over its alias `c`. */
  content?: { table: string; idColumn: string; textSql: string };
  /** The type under which external ids are attached; absent for entities that have none. */
  externalIdType?: string;
  /** True for types of this server: clients of the existing API do not expect them, so they are listed on request only. */
  onRequest?: boolean;
}

export interface FolderItemKind {
  /**
   * Deletes live entities, which are already locked, with everything that belongs to them: releases external ids, emits events and
   * writes one audit entry each. The caller has checked the permissions.
   */
  delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void>;
}

const plugins = definePlugin<FolderItemOptions>('folder item');
const unlisted = definePlugin<UnlistedItemOptions>('unlisted folder item');

/** Makes a class a kind of entity that folders can hold. */
export const FolderItem = plugins.decorate;
export const collectFolderItems = plugins.collect<FolderItemKind>;

/** Makes a class a kind of entity that folders contain but do not list. Its table has the columns of a `FolderItem`. */
export const UnlistedFolderItem = unlisted.decorate;
export const collectUnlistedItems = unlisted.collect<FolderItemKind>;
