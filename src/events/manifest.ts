import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { EventPosition } from './consumers/event-position.entity.js';
import { StartedConsumer } from './consumers/started-consumer.entity.js';
import { EventsModule } from './events.module.js';
import { OutboxEvent } from './outbox-event.entity.js';

const settings = {
  eventRetentionDays: integer('EVENT_RETENTION_DAYS', {
    fallback: '30',
    min: 1,
    max: 3650,
    description: 'Days for which events and their deliveries to webhooks are kept.',
  }),
  eventBackoffMs: integer('EVENT_BACKOFF_MS', {
    fallback: '5000',
    min: 1,
    max: 60_000,
    description:
      'Wait before a consumer gets an event again at which it failed, in milliseconds. Every further wait is three times as long; after 8 tries the event is passed over.',
  }),
};

const counters = {
  eventsConsumed: {
    name: 'tracesheet_events_consumed_total',
    help: 'Events by consumer and outcome: consumed, failed (and tried again), passed_over (after the last try).',
    labelNames: ['consumer', 'outcome'],
    worry: '`passed_over` grows: a consumer, such as webhooks, misses what happened. The log has the reason.',
  },
} as const satisfies CounterDefinitions;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

defineDomain('events', {
  holds: 'The outbox: events, written in the transaction that caused them, and their consumers',
  uses: [],
  module: (process) => EventsModule.for(process),
  entities: [OutboxEvent, StartedConsumer, EventPosition],
  settings,
  counters,
});
