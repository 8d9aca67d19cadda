import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { AfterCommit } from '../../grid/shared/sheet-owners.js';

/** A version of a dataset before its publication. */
export interface VersionInMaking {
  workspaceId: number;
  id: number;
  sheetId: string;
}

/** A user of dataset versions, such as evaluations. Datasets import none of them: they are plugins. */
export interface DatasetUserPlugin {
  /** The ids of the versions that an entity of this kind uses, for filters of dataset lists; empty for an unknown id. */
  versionsOf(tx: EntityManager, workspaceId: number, entityId: number): Promise<number[]>;
  /** Called in the transaction in which a version gets its number and becomes immutable. */
  versionPublished?(tx: EntityManager, version: VersionInMaking & { number: number }): Promise<AfterCommit>;
  /** Called in the transaction that removes a failed version. */
  versionFailed?(tx: EntityManager, version: VersionInMaking, message: string): Promise<AfterCommit>;
}

const kind = definePlugin<{ name: string }>('dataset user');

/** Makes a class a user of datasets. `name` is the parameter under which lists of datasets take its ids, such as `report_id`. */
export const UsesDatasets = (name: string): ClassDecorator => kind.decorate({ name });

/** All users of datasets of the installation. */
@Injectable()
export class DatasetUsers implements OnModuleInit {
  private users = new Map<string, { plugin: DatasetUserPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.users = kind.collect<DatasetUserPlugin>(this.discovery);
  }

  /** Empty for the name of no plugin. */
  async versionsOf(tx: EntityManager, workspaceId: number, name: string, entityId: number): Promise<number[]> {
    return (await this.users.get(name)?.plugin.versionsOf(tx, workspaceId, entityId)) ?? [];
  }

  /** Calls a method of all users. Returns their callbacks for after the commit. */
  async tell(what: (plugin: DatasetUserPlugin) => Promise<AfterCommit> | undefined): Promise<() => void> {
    const wanted: (() => void)[] = [];
    for (const { plugin } of this.users.values()) {
      const after = await what(plugin);
      if (after) wanted.push(after);
    }
    return () => wanted.forEach((act) => act());
  }
}
