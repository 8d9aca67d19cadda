import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../platform/json.js';
import { DecodedAttributes, type NormalizedSpan, type SpanEvent } from '../../trace-conventions/index.js';
import type { IncomingSpan } from './incoming-span.js';
import { readJson } from '../../platform/read-json.js';

/** Reads a span as it is read on arrival. */
export type ReadSpan = (workspaceId: number, span: NormalizedSpan, closeAfter: boolean) => IncomingSpan;

/** Adds to a span the events that came separately, and reads it again if its attributes describe its call. */
export function addLogEvents(incoming: IncomingSpan, events: SpanEvent[], read: ReadSpan): void {
  const { span, attributes, workspaceId, closeAfter, isConverted } = incoming;
  const missing = events.filter((event) => !span.events.some((known) => isDeepStrictEqual(known, event)));
  if (missing.length === 0) return;
  span.events = [...span.events, ...missing];
  if (!isConverted) return;
  const decoded = new DecodedAttributes(readJson(attributes.toString()) as JsonObject);
  // The attributes stay JSON text, because numbers in it may have more digits than those of JavaScript.
  Object.assign(incoming, read(workspaceId, { ...span, attributes: decoded }, closeAfter), { attributes });
}
