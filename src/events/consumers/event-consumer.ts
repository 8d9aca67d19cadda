import type { OccurredEvent } from './occurred-event.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import { startConsumers } from './start-consumers.js';

export interface EventConsumerOptions {
  /** The position of the consumer is stored under this name: under another name it starts over. */
  name: string;
  /** The types of events it gets; all types when absent. */
  types?: string[];
}

/** Processes events. */
export interface EventConsumerPlugin {
  /**
   * Gets events of one workspace in the order of their emission, each at least once. Writes through `tx` are committed together
   * with the position. The returned function runs after the commit, to notify queues; it must neither wait nor fail. The
   * transaction stays open meanwhile: store long work and leave it to a queue. When this throws, everything is rolled back. The
   * events are then delivered one by one, and an event that keeps failing is finally skipped.
   */
  consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void | (() => void)>;
}

export interface KnownConsumer {
  options: EventConsumerOptions;
  plugin: EventConsumerPlugin;
}

const kind = definePlugin<EventConsumerOptions>('event consumer');

/** Makes a class a consumer of events. */
export const EventConsumer = (options: EventConsumerOptions): ClassDecorator => kind.decorate(options);

/** All consumers of the installation. A new one starts with events from now on. */
@Injectable()
export class EventConsumers implements OnModuleInit {
  private consumers = new Map<string, KnownConsumer>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly db: DataSource,
  ) {}

  async onModuleInit(): Promise<void> {
    const found = kind.collect<EventConsumerPlugin>(this.discovery);
    await this.db.transaction((tx) => startConsumers(tx, [...found.keys()]));
    this.consumers = found;
  }

  names(): string[] {
    return [...this.consumers.keys()];
  }

  get(name: string): KnownConsumer {
    return this.consumers.get(name)!;
  }
}
