import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { ArrivalKind } from '../arrivals/index.js';
import type { JsonObject } from '../platform/json.js';
import { FeedErrors } from './feeds.errors.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';

/** What is known of an item before its content is read. */
export interface ItemFacts {
  id: string;
  /** Chooses the sample: items with the same key are chosen together. */
  sampleKey: string;
  beganAt: Date;
  storedAt: Date;
  origin: string;
}

/** Where a walk over stored items has come to, in the order of their beginnings and ids. */
export interface StoredItem {
  id: string;
  /** ISO 8601 with all digits that the database has. */
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

/** Which fields of items become columns. */
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

/** A kind of items that arrive, such as request logs. One file per source; the feeds do the rest. All methods read one workspace. */
export interface FeedSource {
  /** Throws what is wrong with the query or the fields. */
  check(query: ItemQuery, wanted: WantedFields): void;
  /** The titles of its columns, the one of the id first. */
  titles(wanted: WantedFields): string[];
  /** By id. An item that is gone is missing. */
  facts(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, ItemFacts>>;
  /** The ids of those that the query matches. */
  matching(tx: EntityManager, workspaceId: number, query: ItemQuery, ids: string[]): Promise<string[]>;
  /** Bytes of their content as it is stored, by id. */
  sizes(tx: EntityManager, workspaceId: number, ids: string[]): Promise<Map<string, number>>;
  /** By id: title → value. Values of titles that `titles` does not name are ignored. */
  read(tx: EntityManager, workspaceId: number, wanted: WantedFields, ids: string[]): Promise<Map<string, JsonObject>>;
  /** Items that began in a range and come after a place, in their order. */
  stored(
    tx: EntityManager,
    workspaceId: number,
    range: StoredRange,
    page: { after: StoredItem | null; order: 'asc' | 'desc'; limit: number },
  ): Promise<StoredItem[]>;
  count(tx: EntityManager, workspaceId: number, range: StoredRange): Promise<number>;
  /** Stores scores. Items that are gone are ignored. */
  publish(tx: EntityManager, workspaceId: number, scores: ItemScore[]): Promise<void>;
}

/** The refusal of a field that items do not have. */
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

  /** Queues may bring work before: what is needed then is collected by the first to ask. */
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
