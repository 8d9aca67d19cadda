import type { JsonObject } from '../platform/json.js';

/** An event about to be written. */
export interface DomainEvent {
  type: string;
  details: JsonObject;
}

/** All types of events with their descriptions, so that feeds and webhooks can list and check them. */
export const eventTypes = new Map<string, string>();

/** Types that only webhooks get that name them. Webhooks for all events leave them out. */
export const typesByName = new Set<string>();

/** Declares a type of event and returns the function that builds one. Its details are the payload of webhooks. */
export function defineEvent<Details extends object>(
  type: string,
  description: string,
  { onlyByName = false }: { onlyByName?: boolean } = {},
): (details: Details) => DomainEvent {
  if (eventTypes.has(type)) throw new Error(`The event ${type} is defined twice.`);
  eventTypes.set(type, description);
  if (onlyByName) typesByName.add(type);
  return (details) => ({ type, details: details as JsonObject });
}
