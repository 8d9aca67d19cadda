import type { JsonObject } from '../../platform/json.js';

/** An event as consumers get it. */
export interface OccurredEvent {
  id: string;
  type: string;
  details: JsonObject;
  /** The key that acted; null when the operator or the server itself did. */
  keyId: number | null;
  requestId: string;
  occurredAt: Date;
}
