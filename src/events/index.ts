export { emit } from './emit.js';
export { defineEvent, type DomainEvent, eventTypes } from './event-types.js';
export { EventsModule } from './events.module.js';
export { OutboxEvent } from './outbox-event.entity.js';
