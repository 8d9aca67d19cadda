import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { parseTime } from '../../platform/time.js';
import { canonicalSpanId, canonicalTraceId, type SpanEvent, type SpanLink } from '../../trace-conventions/index.js';

/** Larger whole numbers are nanoseconds since the epoch, which are read without loss. */
const NANOSECONDS_FROM = 20_000_000_000_000_000n;
const LONGEST_NANOSECONDS = 19;
/** In hexadecimal digits. */
const LENGTHS = { trace: 32, span: 16 };
/** Elements of a `SpanContext` of the Python SDK when it is written as a tuple. */
const CONTEXT_FIELDS = ['trace_id', 'span_id', 'is_remote', 'trace_flags', 'trace_state', 'is_valid'];

/** Reads an event as the Python SDK prints it. Other fields are kept among the attributes. */
export function readEvent({ attributes, ...fields }: JsonObject, startNs: bigint): SpanEvent {
  const timeNs = nanosecondsOf(fields.timestamp);
  if (timeNs !== null) delete fields.timestamp;
  return {
    name: take([fields], ['name'], isText) ?? '',
    timeNs: timeNs ?? startNs,
    attributes: withRest(attributes, fields),
  };
}

/**
 * Reads a link. Its context comes as the Python SDK prints it, as a tuple, or as in OTLP. Other fields are kept among
 * the attributes.
 */
export function readLink({ context, attributes, ...fields }: JsonObject): SpanLink {
  const inContext = contextOf(context);
  const places = inContext ? [inContext, fields] : [fields];
  const link = {
    traceId: canonicalTraceId(toId(take(places, ['trace_id', 'traceId'], isId), LENGTHS.trace)),
    spanId: canonicalSpanId(toId(take(places, ['span_id', 'spanId'], isId), LENGTHS.span)),
    traceState: take(places, ['trace_state', 'traceState'], isText) ?? '',
  };
  const unread = inContext ? (Object.keys(inContext).length > 0 ? inContext : null) : context;
  return { ...link, attributes: withRest(attributes, { ...fields, context: unread ?? null }) };
}

/** A copy of the context; null when it is none. */
function contextOf(context: JsonValue | undefined): JsonObject | null {
  if (Array.isArray(context)) {
    const isContext = context.length <= CONTEXT_FIELDS.length && isId(context[0]) && isId(context[1]);
    return isContext ? Object.fromEntries(context.map((value, index) => [CONTEXT_FIELDS[index]!, value])) : null;
  }
  return isObject(context) ? { ...context } : null;
}

/** Removes the first matching value under one of the names, and returns it. */
function take<T extends JsonValue>(
  places: JsonObject[],
  names: string[],
  fits: (value: JsonValue | undefined) => value is T,
): T | undefined {
  for (const place of places) {
    for (const name of names) {
      const value = Object.hasOwn(place, name) ? place[name] : undefined;
      if (!fits(value)) continue;
      delete place[name];
      return value;
    }
  }
  return undefined;
}

/** The attributes, and beside them all other fields that hold anything. */
function withRest(attributes: JsonValue | undefined, rest: JsonObject): JsonObject {
  const all = isObject(attributes) ? rest : { ...rest, attributes: attributes ?? null };
  const kept = Object.entries(all).filter(([, value]) => value !== null);
  return { ...(isObject(attributes) ? attributes : {}), ...Object.fromEntries(kept) };
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string';

function isId(value: JsonValue | undefined): value is string | number {
  return typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0);
}

/** Python has ids as numbers and prints them with 0x in front. Long numbers arrive as decimal digits. */
function toId(id: string | number | undefined, length: number): string {
  const text = String(id ?? '');
  const isNumber = typeof id === 'number' || (/^\d+$/.test(text) && text.length > length);
  if (!isNumber) return /^0x[0-9a-f]+$/i.test(text) && text.length === length + 2 ? text.slice(2) : text;
  const digits = BigInt(text).toString(16).padStart(length, '0');
  return digits.length === length ? digits : text;
}

/** Nanoseconds since the epoch of a time in any form that clients send; null for anything else. */
function nanosecondsOf(timestamp: JsonValue | undefined): bigint | null {
  const text = typeof timestamp === 'number' ? String(timestamp) : timestamp;
  if (!isText(text)) return null;
  if (/^\d+$/.test(text) && text.length <= LONGEST_NANOSECONDS && BigInt(text) > NANOSECONDS_FROM) return BigInt(text);
  // A number of milliseconds would keep only six digits of the fraction, so it is read separately.
  const fraction = text.includes(':') ? (/[.,](\d{1,9})/.exec(text)?.[1] ?? '') : '';
  const milliseconds = parseTime(fraction === '' ? text : text.replace(/[.,]\d+/, ''));
  if (milliseconds === null || milliseconds < 0) return null;
  return BigInt(Math.round(milliseconds * 1000)) * 1000n + BigInt(fraction.padEnd(9, '0'));
}
