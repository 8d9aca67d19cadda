import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import { PromptErrors } from '../shared/prompts.errors.js';

/** A version of a prompt that is being published. */
export interface PublishedVersion {
  promptId: number;
  promptName: string;
  number: number;
}

/** Acts on the publication of versions that name one of its entities. */
export interface PublicationFollowerPlugin {
  /** Whether the entity exists. Called before anything is written. Throws when the caller may not use the entity. */
  isKnown(tx: EntityManager, caller: Caller, id: number): Promise<boolean>;
  /** Runs in the transaction of the publication. The returned function runs after the commit, and must neither wait nor fail. */
  published(tx: EntityManager, caller: Caller, id: number, version: PublishedVersion): Promise<() => void>;
}

const kind = definePlugin<{ name: string }>('publication follower');

/** Makes a class a follower. `name` is the key under which publications name its entities: `report_id`. */
export const FollowsPublications = (name: 'report_id'): ClassDecorator => kind.decorate({ name });

/** Finds the followers of publications. They are plugins, so the registry depends on none of them. */
@Injectable()
export class PublicationFollowers implements OnModuleInit {
  private followers = new Map<string, { plugin: PublicationFollowerPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.followers = kind.collect<PublicationFollowerPlugin>(this.discovery);
  }

  /** The follower for the report that a publication names; null if it names none. Throws report_not_found. */
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
