import { EventPosition } from './consumers/event-position.entity.js';
import { StartedConsumer } from './consumers/started-consumer.entity.js';
import { OutboxEvent } from './outbox-event.entity.js';

export { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from './consumers/event-consumer.js';
export { emit } from './emit.js';
export { defineEvent, type DomainEvent, eventTypes } from './event-types.js';
export { EventsModule } from './events.module.js';
export { RESERVED_EVENTS } from './reserved-events.js';
export { OutboxEvent } from './outbox-event.entity.js';

export const eventEntities = [OutboxEvent, StartedConsumer, EventPosition];
