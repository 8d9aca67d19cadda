import type { JsonObject } from '../../platform/json.js';

/** An event as consumers get it. */
export interface OccurredEvent {
  id: string;
  type: string;
  details: JsonObject;
  /** The key that caused the event; null for the operator and the server itself. */
  keyId: number | null;
  requestId: string;
  occurredAt: Date;
}
