import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { SpanEvent } from '../../trace-conventions/index.js';

/** A log record as it was decoded: ids "" when missing or malformed, times 0 when missing. */
export interface LogRecord {
  traceId: string;
  spanId: string;
  timeNs: bigint;
  observedNs: bigint;
  eventName: string;
  body: JsonValue;
  attributes: JsonObject;
}

/** An event of a span that came as a log record. */
export interface ToldEvent {
  traceId: string;
  spanId: string;
  event: SpanEvent;
}

const DETAILS = 'gen_ai.client.inference.operation.details';
/** Events with the content of a call of a model. */
const CONTENT_EVENT =
  /^gen_ai\.(?:choice|[a-z]+\.message|content\.(?:prompt|completion)|client\.inference\.operation\.details)$/;

const NOT_CONTENT =
  'Only events with the content of model calls (gen_ai.*.message, gen_ai.choice, ' +
  `${DETAILS}) are stored; other log records are not.`;
const NOT_PLACED = 'Log records are stored as events of their spans: send them with traceId and spanId.';

/** The event that a record is, or why it is not stored. */
export function eventIn(record: LogRecord): ToldEvent | string {
  const { traceId, spanId, attributes, body } = record;
  const name = nameOf(record);
  if (!CONTENT_EVENT.test(name)) return NOT_CONTENT;
  if (!isId(traceId) || !isId(spanId)) return NOT_PLACED;
  const { 'event.name': _name, ...told } = attributes;
  const timeNs = record.timeNs || record.observedNs;
  return { traceId, spanId, event: { name, timeNs, attributes: withBody(name, told, body) } };
}

/** Older exporters have no field for the name. */
function nameOf({ eventName, attributes }: LogRecord): string {
  const given = attributes['event.name'];
  return eventName === '' && typeof given === 'string' ? given : eventName;
}

const isId = (id: string): boolean => id !== '' && !/^0+$/.test(id);

/** Details are attributes of an event, whether they came there or in the body; a message is its body. */
function withBody(name: string, attributes: JsonObject, body: JsonValue): JsonObject {
  if (body === null || body === '') return attributes;
  if (name === DETAILS && isObject(body)) return { ...body, ...attributes };
  return { ...attributes, ...(isObject(body) ? { body } : { content: body }) };
}
