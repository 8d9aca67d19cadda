import type { JsonObject } from '../platform/json.js';

/** An event about to be written. */
export interface DomainEvent {
  type: string;
  details: JsonObject;
}

/** All types of events with their descriptions, so that feeds and webhooks can list and check them. */
export const eventTypes = new Map<string, string>();

/** Declares a type of event and returns the function that builds one. Its details are the payload of webhooks. */
export function defineEvent<Details extends object>(
  type: string,
  description: string,
): (details: Details) => DomainEvent {
  if (eventTypes.has(type)) throw new Error(`The event ${type} is defined twice.`);
  eventTypes.set(type, description);
  return (details) => ({ type, details: details as JsonObject });
}
