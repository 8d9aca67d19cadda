import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import { PromptErrors } from '../prompts.errors.js';

/** A version of a prompt that is being published. */
export interface PublishedVersion {
  promptId: number;
  promptName: string;
  number: number;
}

/** Does something with a version for whose sake it is named when the version is published. */
export interface PublicationFollowerPlugin {
  /** Whether there is such an entity, asked before anything is written. Throws when the caller may not use it so. */
  isKnown(tx: EntityManager, caller: Caller, id: number): Promise<boolean>;
  /** Called in the transaction of the publication. What it gives is called after the commit; it must neither wait nor fail. */
  published(tx: EntityManager, caller: Caller, id: number, version: PublishedVersion): Promise<() => void>;
}

const kind = definePlugin<{ name: string }>('publication follower');

/** Makes a class a follower. `name` is the key under which publications name its entities: `report_id`. */
export const FollowsPublications = (name: 'report_id'): ClassDecorator => kind.decorate({ name });

/** Whoever is to hear of the publication of a version that names them. The registry knows none of them: they are plugins. */
@Injectable()
export class PublicationFollowers implements OnModuleInit {
  private followers = new Map<string, { plugin: PublicationFollowerPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.followers = kind.collect<PublicationFollowerPlugin>(this.discovery);
  }

  /** The one that a publication names with a report; null when it names none. Throws report_not_found. */
  async find(
    tx: EntityManager,
    caller: Caller,
    reportId: number | null | undefined,
  ): Promise<((version: PublishedVersion) => Promise<() => void>) | null> {
    if (!reportId) return null;
    const plugin = this.followers.get('report_id')?.plugin;
    if (!plugin || !(await plugin.isKnown(tx, caller, reportId))) throw PromptErrors.report_not_found(reportId);
    return (version) => plugin.published(tx, caller, reportId, version);
  }
}
