import { randomBytes } from 'node:crypto';

const NS_PER_MS = 1_000_000n;
const STATUS_ERROR = 2;
export const KIND = { internal: 1, server: 2, client: 3 } as const;

export type Attributes = Record<string, string | number | string[]>;

interface Attribute {
  key: string;
  value:
    | { stringValue: string }
    | { intValue: string }
    | { doubleValue: number }
    | { arrayValue: { values: { stringValue: string }[] } };
}

export interface Timing {
  startMs: number;
  durationMs: number;
}

/** Times in milliseconds, of the clock and as a duration. */
export interface SpanInput extends Timing {
  parent?: OtlpSpan;
  name: string;
  kind: number;
  attributes: Attributes;
  error?: string;
}

/** A span in the JSON of OTLP. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code?: number; message?: string };
}

/** The body of an export of spans of one service. */
export function exportOf(service: string, spans: OtlpSpan[]): { resourceSpans: unknown[] } {
  const resource = { attributes: toAttributes({ 'service.name': service, 'deployment.environment.name': 'demo' }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: service, version: '1.4.0' }, spans }] }] };
}

/** A message of one text, as the conventions of OpenTelemetry write it. */
export function textMessage(
  role: string,
  content: string,
): { role: string; parts: { type: string; content: string }[] } {
  return { role, parts: [{ type: 'text', content }] };
}

export function span({ parent, name, kind, startMs, durationMs, attributes, error }: SpanInput): OtlpSpan {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(parent && { parentSpanId: parent.spanId }),
    name,
    kind,
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(startMs + durationMs),
    attributes: toAttributes(attributes),
    status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
  };
}

function toNanoseconds(ms: number): string {
  return (BigInt(Math.round(ms)) * NS_PER_MS).toString();
}

function toAttributes(values: Attributes): Attribute[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: string | number | string[]): Attribute['value'] {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
