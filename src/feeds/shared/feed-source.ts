import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { ArrivalKind } from '../../arrivals/index.js';
import type { JsonObject } from '../../platform/json.js';
import { FeedErrors } from './feeds.errors.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';

/** Facts of an item that need none of its content. */
export interface ItemFacts {
  id: string;
  /** Key for sampling: items with the same key are chosen together. */
  sampleKey: string;
  beganAt: Date;
  storedAt: Date;
  origin: string;
}

/** Position in a scan of stored items, which are ordered by start and id. */
export interface StoredItem {
  id: string;
  /** ISO 8601 with the full precision of the database. */
  at: string;
}

export interface StoredRange {
  /** ISO 8601. */
  from: string;
  until: string;
}

export interface ItemQuery {
  filterGroup: object | null;
  q: string | null;
}

/** Fields of items that become columns. */
export interface WantedFields {
  fields: string[];
  variables: string[];
}

/** A score that an item gets, 0 to 100. */
export interface ItemScore {
  id: string;
  name: string;
  score: number;
}

/** A kind of arriving items, such as request logs, in one file per source. All methods read one workspace. */
export interface FeedSource {
  /** Throws a problem if the query or the fields are invalid. */
  check(query: ItemQuery, wanted: WantedFields): void;
  /** Titles of the columns. That of the id comes first. */
  titles(wanted: WantedFields): string[];
  /** Facts by id. Deleted items are missing. */
  facts(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, ItemFacts>>;
  /** Ids of items that match the query. */
  matching(tx: EntityManager, workspaceId: number, query: ItemQuery, ids: string[]): Promise<string[]>;
  /** Stored bytes of content by id. */
  sizes(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, number>>;
  /** Values by id and title. Values with titles that `titles` does not have are ignored. */
  read(tx: EntityManager, workspaceId: number, wanted: WantedFields, ids: string[]): Promise<Map<string, JsonObject>>;
  /** Items of a range after a position, in order. */
  stored(
    tx: EntityManager,
    workspaceId: number,
    range: StoredRange,
    page: { after: StoredItem | null; order: 'asc' | 'desc'; limit: number },
  ): Promise<StoredItem[]>;
  count(tx: EntityManager, workspaceId: number, range: StoredRange): Promise<number>;
  /** Stores scores. Deleted items are ignored. */
  publish(tx: EntityManager, workspaceId: number, scores: ItemScore[]): Promise<void>;
}

/** Error for a field that items do not have. */
export const noField = (items: string, unknown: string, known: readonly string[]): Error =>
  FeedErrors.feed_inconsistent(`${items} have no field "${unknown.slice(0, 50)}". They have ${known.join(', ')}.`);

const kind = definePlugin<{ name: ArrivalKind }>('feed source');

/** Makes a class a source of feeds. `name` is the kind of its arrivals. */
export const FeedsFrom = (name: ArrivalKind): ClassDecorator => kind.decorate({ name });

/** All sources of the installation. */
@Injectable()
export class FeedSources implements OnModuleInit {
  private found: Map<string, { plugin: FeedSource }> | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Collects the sources at start. Queues may deliver work earlier, and the first access collects them then. */
  onModuleInit(): void {
    this.collect();
  }

  get(name: ArrivalKind): FeedSource {
    const source = this.collect().get(name)?.plugin;
    if (!source) throw new Error(`No source of feeds is named ${name}.`);
    return source;
  }

  private collect(): Map<string, { plugin: FeedSource }> {
    this.found ??= kind.collect<FeedSource>(this.discovery);
    return this.found;
  }
}
