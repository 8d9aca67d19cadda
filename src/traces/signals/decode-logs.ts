import { parseExactly } from '../../platform/exact-integers.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import { readUtf8 } from '../../platform/utf8.js';
import type { OtlpFormat } from '../otlp/decode.js';
import { EnvelopeReader, type Located } from '../otlp/json-envelope.js';
import { JsonValues, readId } from '../otlp/json-values.js';
import { UnreadableBody } from '../otlp/otlp.errors.js';
import { ProtoReader } from '../otlp/proto-reader.js';
import { ProtoValues } from '../otlp/proto-values.js';
import { nanosInRange } from '../otlp/span-collector.js';
import { TextCleaner } from '../otlp/text-cleaner.js';
import type { LogRecord } from './log-record.js';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** Same limits as for spans. */
const LIMITS = { depth: 2_500, containers: 5_000_000 };

/** The records of an ExportLogsServiceRequest. Throws UnreadableBody, InvalidEnvelope. */
export function decodeLogs(body: Buffer, format: OtlpFormat): LogRecord[] {
  return format === 'json' ? decodeJson(body) : decodeProtobuf(body);
}

/** Number of data points in an ExportMetricsServiceRequest; nothing else of it is read. */
export function countDataPoints(body: Buffer, format: OtlpFormat): number {
  return format === 'json' ? countInJson(body) : countInProtobuf(body);
}

const newRecord = (): LogRecord => ({
  traceId: '',
  spanId: '',
  timeNs: 0n,
  observedNs: 0n,
  eventName: '',
  body: null,
  attributes: {},
});

function parse(body: Buffer): JsonValue {
  const json = readUtf8(body);
  if (!fitsJsonLimits(json, LIMITS)) throw new UnreadableBody('The body nests too deeply or holds too many values.');
  try {
    return parseExactly(json) as JsonValue;
  } catch {
    throw new UnreadableBody('The body is not valid JSON.');
  }
}

/** The elements of the nested lists of an export, in order. */
function innermost(body: Buffer, path: [string, ...string[]]): Located<JsonObject>[] {
  const envelope = new EnvelopeReader();
  let level = [envelope.root(parse(body))];
  for (const key of path) level = level.flatMap((parent) => envelope.objects(parent, key));
  envelope.assertValid();
  return level;
}

function decodeJson(body: Buffer): LogRecord[] {
  const values = new JsonValues(new TextCleaner(), true);
  return innermost(body, ['resourceLogs', 'scopeLogs', 'logRecords']).map(({ value: record }) => ({
    traceId: readId(record.traceId ?? record.trace_id, TRACE_ID_BYTES),
    spanId: readId(record.spanId ?? record.span_id, SPAN_ID_BYTES),
    timeNs: values.nanos(record.timeUnixNano ?? record.time_unix_nano),
    observedNs: values.nanos(record.observedTimeUnixNano ?? record.observed_time_unix_nano),
    eventName: values.text(record.eventName ?? record.event_name),
    body: values.anyValue(record.body) ?? null,
    attributes: values.attributes(record.attributes),
  }));
}

const KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'exponential_histogram', 'summary'];

function countInJson(body: Buffer): number {
  const metrics = innermost(body, ['resourceMetrics', 'scopeMetrics', 'metrics']);
  const points = metrics.flatMap(({ value }) => KINDS.map((kind) => value[kind])).map(pointsIn);
  return points.reduce((sum, count) => sum + count, 0);
}

function pointsIn(data: JsonValue | undefined): number {
  const points = isObject(data) ? (data.dataPoints ?? data.data_points) : null;
  return Array.isArray(points) ? points.length : 0;
}

/** Calls `visit` for every message at the end of a path of field numbers. */
function walk(reader: ProtoReader, path: number[], visit: (tag: number) => void): void {
  const into =
    ([field, ...rest]: number[]) =>
    (tag: number): void => {
      if (tag >>> 3 !== field) reader.skip(tag);
      else if (rest.length === 0) visit(tag);
      else reader.message(tag, into(rest));
    };
  reader.fields(into(path));
}

function decodeProtobuf(body: Buffer): LogRecord[] {
  const reader = new ProtoReader(body);
  const values = new ProtoValues(reader, new TextCleaner());
  const records: LogRecord[] = [];
  walk(reader, [1, 2, 2], (enclosing) => {
    const record = newRecord();
    reader.message(enclosing, (tag) => readField(tag, record, { reader, values }));
    records.push(record);
  });
  return records;
}

function readField(
  tag: number,
  record: LogRecord,
  { reader, values }: { reader: ProtoReader; values: ProtoValues },
): void {
  switch (tag >>> 3) {
    case 1:
      record.timeNs = nanosInRange(reader.fixed64(tag));
      break;
    case 5:
      record.body = values.value(tag);
      break;
    case 6:
      values.keyValue(tag, record.attributes);
      break;
    case 9:
      record.traceId = reader.id(tag, TRACE_ID_BYTES);
      break;
    case 10:
      record.spanId = reader.id(tag, SPAN_ID_BYTES);
      break;
    case 11:
      record.observedNs = nanosInRange(reader.fixed64(tag));
      break;
    case 12:
      record.eventName = values.text(tag);
      break;
    default:
      reader.skip(tag);
  }
}

/** Gauge, sum, histogram, exponential histogram and summary of a metric. */
const DATA_FIELDS = new Set([5, 7, 9, 10, 11]);

function countInProtobuf(body: Buffer): number {
  const reader = new ProtoReader(body);
  let count = 0;
  const point = (tag: number) => {
    if (tag >>> 3 === 1) count++;
    reader.skip(tag);
  };
  walk(reader, [1, 2, 2], (metric) => {
    reader.message(metric, (tag) => (DATA_FIELDS.has(tag >>> 3) ? reader.message(tag, point) : reader.skip(tag)));
  });
  return count;
}
