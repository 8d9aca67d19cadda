import type { OccurredEvent } from './occurred-event.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import { startConsumers } from './start-consumers.js';

export interface EventConsumerOptions {
  /** What the consumer has read is remembered under this name: under another one it begins anew. */
  name: string;
  /** The types of events it gets; without them all. */
  types?: string[];
}

/** Does something about what has happened. */
export interface EventConsumerPlugin {
  /**
   * Gets events of one workspace in the order in which they were announced, each at least once. What is written through
   * `tx` is kept together with the fact that these events were consumed. A function that is returned is called after the
   * commit, to notify workers; it must neither wait nor fail. The transaction is open meanwhile: write down what takes long
   * and leave it to a queue.
   *
   * When this throws nothing of it is kept. The events are then given one by one, and one that fails again and again is
   * passed over in the end.
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

/** All consumers of the installation. One that is new starts with what happens from now on. */
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
