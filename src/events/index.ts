export { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from './consumers/event-consumer.js';
export { emit } from './emit.js';
export { defineEvent, type DomainEvent, eventTypes } from './event-types.js';
export { EventsModule } from './events.module.js';
export { RESERVED_EVENTS } from './reserved-events.js';
export { OutboxEvent } from './outbox-event.entity.js';
