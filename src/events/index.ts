export type { OccurredEvent } from './consumers/occurred-event.js';
export { EventConsumer, type EventConsumerPlugin } from './consumers/event-consumer.js';
export { eraseEvents } from './erase-events.queries.js';
export { renumberEvents } from './restore-events.queries.js';
export { emit, emitCaused } from './emit.js';
export { defineEvent, type DomainEvent, eventTypes, typesByName } from './event-types.js';
export { EventsModule } from './events.module.js';
export { RESERVED_EVENTS } from './reserved-events.js';
export { OutboxEvent } from './outbox-event.entity.js';
