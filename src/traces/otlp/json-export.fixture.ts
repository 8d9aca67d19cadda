import type { JsonObject, JsonValue } from '../../platform/json.js';
import { decodeReadable, type ReadableSpan } from './readable.fixture.js';

export const TRACE_ID = '5b8efff798038103d269b633813fc60c';
export const SPAN_ID = 'eee19b7ec3c1b174';
export const START = '1763650000123456789';

/** Decodes a JSON export, given as a value or as text. */
export function decodeJson(body: unknown): ReturnType<typeof decodeReadable> {
  return decodeReadable(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), 'json');
}

export function jsonRequest(...spans: unknown[]): JsonObject {
  return { resourceSpans: [{ scopeSpans: [{ spans: spans as JsonValue[] }] }] };
}

/** A span in JSON, valid unless these fields make it otherwise. */
export function jsonSpan(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { traceId: TRACE_ID, spanId: SPAN_ID, name: 'chat', startTimeUnixNano: START, ...fields };
}

/** The span that a JSON export of one span is decoded to. */
export function decodeJsonSpan(fields: Record<string, unknown>): ReadableSpan {
  const { spans, rejected } = decodeJson(jsonRequest(jsonSpan(fields)));
  if (spans.length !== 1) throw new Error(`Not accepted: ${JSON.stringify(rejected)}`);
  return spans[0];
}
