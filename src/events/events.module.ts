import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { registerQueue } from '../platform/queue/register-queue.js';
import { ConsumerRunner } from './consumers/consumer-runner.js';
import { EventConsumers } from './consumers/event-consumer.js';
import { EventsProcessor } from './events.processor.js';
import { EVENT_QUEUE, EventNotifier } from './event-notifier.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** Providers of workers only. */
const WORKERS = [ConsumerRunner, EventConsumers, EventsProcessor];

@Module({})
export class EventsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: EventsModule,
      imports: [DiscoveryModule, registerQueue(EVENT_QUEUE)],
      controllers: [EventsController],
      providers: [EventsService, EventNotifier, ...(works ? WORKERS : [])],
    };
  }
}
