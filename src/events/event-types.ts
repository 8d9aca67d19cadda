import type { JsonObject } from '../platform/json.js';

/** An event about to be written. */
export interface DomainEvent {
  type: string;
  details: JsonObject;
}

/** Every kind of event of the server with what it means, so that feeds and webhooks can list and check them. */
export const eventTypes = new Map<string, string>();

/** Makes a kind of event known and gives the function that builds one. Details become the payload of webhooks. */
export function defineEvent<Details extends object>(
  type: string,
  description: string,
): (details: Details) => DomainEvent {
  if (eventTypes.has(type)) throw new Error(`The event ${type} is defined twice.`);
  eventTypes.set(type, description);
  return (details) => ({ type, details: details as JsonObject });
}
