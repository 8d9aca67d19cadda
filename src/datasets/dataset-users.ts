import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import type { AfterCommit } from '../tables/index.js';

/** A version of a dataset that is being made. */
export interface VersionInMaking {
  workspaceId: number;
  id: number;
  sheetId: string;
}

/** Something that uses versions of datasets, such as evaluations. Datasets know none of them: they are plugins. */
export interface DatasetUserPlugin {
  /** The ids of the versions that an entity of this kind uses, for lists of datasets; none for an unknown id. */
  versionsOf(tx: EntityManager, workspaceId: number, entityId: number): Promise<number[]>;
  /** Called in the transaction in which a version gets its number: from now on it never changes. */
  versionPublished?(tx: EntityManager, version: VersionInMaking & { number: number }): Promise<AfterCommit>;
  /** Called in the transaction that removes a version which came to nothing. */
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

  /** Nothing uses a dataset under a name that nobody has. */
  async versionsOf(tx: EntityManager, workspaceId: number, name: string, entityId: number): Promise<number[]> {
    return (await this.users.get(name)?.plugin.versionsOf(tx, workspaceId, entityId)) ?? [];
  }

  /** Tells all of them something. What they want to be done after the commit is to be called then. */
  async tell(what: (plugin: DatasetUserPlugin) => Promise<AfterCommit> | undefined): Promise<() => void> {
    const wanted: (() => void)[] = [];
    for (const { plugin } of this.users.values()) {
      const after = await what(plugin);
      if (after) wanted.push(after);
    }
    return () => wanted.forEach((act) => act());
  }
}
