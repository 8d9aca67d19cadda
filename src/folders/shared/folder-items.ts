import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  collectFolderItems,
  collectUnlistedItems,
  type FolderItemKind,
  type FolderItemOptions,
  type FolderItemType,
  type StoredItemOptions,
} from './folder-item.js';

/** A table whose rows are in folders. Several kinds can share one; they differ only in lists. */
export interface ItemStore extends StoredItemOptions {
  delete: FolderItemKind['delete'];
}

/** All kinds of entities in folders, of the whole installation. */
@Injectable()
export class FolderItems implements OnModuleInit {
  private kinds: FolderItemOptions[] = [];
  private byTable = new Map<string, ItemStore>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = [...collectFolderItems(this.discovery).values()];
    found.sort((a, b) => (a.options.name < b.options.name ? -1 : 1));
    this.kinds = found.map(({ options }) => options);
    const unlisted = collectUnlistedItems(this.discovery).values();
    for (const { options, plugin } of [...found, ...unlisted]) this.addStore(options, plugin);
  }

  /** Kinds that can be listed, by name. */
  list(): FolderItemOptions[] {
    return this.kinds;
  }

  stores(): ItemStore[] {
    return [...this.byTable.values()];
  }

  /** The store of a type; null for an unknown type. */
  storeOf(type: FolderItemType): ItemStore | null {
    const kind = this.kinds.find(({ name }) => name === type);
    return (kind && this.byTable.get(kind.table)) ?? null;
  }

  private addStore(kind: StoredItemOptions, plugin: FolderItemKind): void {
    const { table, idType, whereSql, editPermission, deletePermission } = kind;
    const known = this.byTable.get(table);
    if (!known) {
      const remove: ItemStore['delete'] = (tx, caller, ids) => plugin.delete(tx, caller, ids);
      this.byTable.set(table, { table, idType, whereSql, editPermission, deletePermission, delete: remove });
      return;
    }
    const alike =
      known.idType === idType && known.editPermission === editPermission && known.deletePermission === deletePermission;
    if (!alike) throw new Error(`Folder items of the table ${table} differ in ids or permissions. Make them equal.`);
    // An entity of either kind is meant, so the condition is dropped.
    known.whereSql = undefined;
  }
}
