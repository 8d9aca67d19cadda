import type { JsonValue } from '../../platform/json.js';
import type { NormalizedSpan, SpanEvent, SpanLink } from '../../trace-conventions/span.js';

/** Writes protobuf fields one after the other; what tests feed to the decoder. */
export class ProtoWriter {
  private readonly pieces: Buffer[] = [];

  varint(field: number, value: bigint | number): this {
    this.pieces.push(varint(field * 8), varint(value));
    return this;
  }

  fixed64(field: number, value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    this.pieces.push(varint(field * 8 + 1), bytes);
    return this;
  }

  double(field: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.pieces.push(varint(field * 8 + 1), bytes);
    return this;
  }

  fixed32(field: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    this.pieces.push(varint(field * 8 + 5), bytes);
    return this;
  }

  bytes(field: number, value: Buffer | string): this {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.pieces.push(varint(field * 8 + 2), varint(bytes.length), bytes);
    return this;
  }

  message(field: number, write: (inner: ProtoWriter) => void): this {
    const inner = new ProtoWriter();
    write(inner);
    return this.bytes(field, inner.end());
  }

  end(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

/** An attribute value in the terms of OTLP, from which both wire forms can be written. */
export type TestValue =
  | { string: string }
  | { bool: boolean }
  | { int: bigint }
  | { double: number }
  | { bytes: Buffer }
  | { list: TestValue[] }
  | { object: [string, TestValue][] }
  | { nothing: true };

export type TestAttributes = [string, TestValue][];

/** A span as a client would hold it; everything else of {@link NormalizedSpan} follows from it. */
export interface TestSpan extends Pick<NormalizedSpan, 'traceId' | 'spanId' | 'traceState' | 'name' | 'startNs'> {
  parentId: string;
  kind: number;
  endNs: bigint;
  statusCode: number;
  statusMessage: string;
  attributes: TestAttributes;
  events: (Pick<SpanEvent, 'name' | 'timeNs'> & { attributes: TestAttributes })[];
  links: (Pick<SpanLink, 'traceId' | 'spanId' | 'traceState'> & { attributes: TestAttributes })[];
}

export interface TestRequest {
  resource: TestAttributes;
  schemaUrl: string;
  scope: { name: string; version: string; attributes: TestAttributes };
  spans: TestSpan[];
}

export function toProtobuf(request: TestRequest): Buffer {
  return new ProtoWriter()
    .message(1, (resourceSpans) => {
      resourceSpans.message(1, (resource) => attributes(resource, 1, request.resource)).bytes(3, request.schemaUrl);
      resourceSpans.message(2, (scopeSpans) => {
        scopeSpans.message(1, (scope) => {
          scope.bytes(1, request.scope.name).bytes(2, request.scope.version);
          attributes(scope, 3, request.scope.attributes);
        });
        for (const span of request.spans) scopeSpans.message(2, (writer) => writeSpan(writer, span));
      });
    })
    .end();
}

function writeSpan(writer: ProtoWriter, span: TestSpan): void {
  writer.bytes(1, hex(span.traceId)).bytes(2, hex(span.spanId)).bytes(3, span.traceState).bytes(4, hex(span.parentId));
  writer.bytes(5, span.name).varint(6, span.kind).fixed64(7, span.startNs).fixed64(8, span.endNs);
  attributes(writer, 9, span.attributes);
  for (const event of span.events) {
    writer.message(11, (inner) => {
      attributes(inner.fixed64(1, event.timeNs).bytes(2, event.name), 3, event.attributes);
    });
  }
  for (const link of span.links) {
    writer.message(13, (inner) => {
      inner.bytes(1, hex(link.traceId)).bytes(2, hex(link.spanId)).bytes(3, link.traceState);
      attributes(inner, 4, link.attributes);
    });
  }
  writer.message(15, (status) => status.bytes(2, span.statusMessage).varint(3, span.statusCode)).fixed32(16, 257);
}

function attributes(writer: ProtoWriter, field: number, list: TestAttributes): void {
  for (const [key, value] of list) {
    writer.message(field, (pair) => pair.bytes(1, key).message(2, (inner) => writeValue(inner, value)));
  }
}

function writeValue(writer: ProtoWriter, value: TestValue): void {
  if ('string' in value) writer.bytes(1, value.string);
  else if ('bool' in value) writer.varint(2, value.bool ? 1 : 0);
  else if ('int' in value) writer.varint(3, value.int);
  else if ('double' in value) writer.double(4, value.double);
  else if ('bytes' in value) writer.bytes(7, value.bytes);
  else if ('list' in value) {
    writer.message(5, (list) => {
      for (const entry of value.list) list.message(1, (inner) => writeValue(inner, entry));
    });
  } else if ('object' in value) writer.message(6, (object) => attributes(object, 1, value.object));
}

/** @param bareIntegers writes times and integers as JSON numbers, as some clients do. */
export function toJson(request: TestRequest, bareIntegers = false): Buffer {
  const int = (value: bigint): JsonValue => (bareIntegers ? `<${value}>` : value.toString());
  const body = {
    resourceSpans: [
      {
        resource: { attributes: jsonAttributes(request.resource, int) },
        schemaUrl: request.schemaUrl,
        scopeSpans: [
          {
            scope: { ...request.scope, attributes: jsonAttributes(request.scope.attributes, int) },
            spans: request.spans.map((span) => jsonSpan(span, int)),
          },
        ],
      },
    ],
  };
  return Buffer.from(JSON.stringify(body).replace(/"<(-?\d+)>"/g, '$1'));
}

type WriteInt = (value: bigint) => JsonValue;

function jsonSpan(span: TestSpan, int: WriteInt): JsonValue {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    traceState: span.traceState,
    parentSpanId: span.parentId,
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: int(span.startNs),
    endTimeUnixNano: int(span.endNs),
    attributes: jsonAttributes(span.attributes, int),
    events: span.events.map((event) => ({
      timeUnixNano: int(event.timeNs),
      name: event.name,
      attributes: jsonAttributes(event.attributes, int),
    })),
    links: span.links.map((link) => ({ ...link, attributes: jsonAttributes(link.attributes, int) })),
    status: { code: span.statusCode, message: span.statusMessage },
    flags: 257,
  };
}

function jsonAttributes(list: TestAttributes, int: WriteInt): JsonValue {
  return list.map(([key, value]) => ({ key, value: jsonValue(value, int) }));
}

function jsonValue(value: TestValue, int: WriteInt): JsonValue {
  if ('string' in value) return { stringValue: value.string };
  if ('bool' in value) return { boolValue: value.bool };
  if ('int' in value) return { intValue: int(value.int) };
  if ('double' in value) return { doubleValue: Number.isFinite(value.double) ? value.double : String(value.double) };
  if ('bytes' in value) return { bytesValue: value.bytes.toString('base64') };
  if ('list' in value) return { arrayValue: { values: value.list.map((entry) => jsonValue(entry, int)) } };
  if ('object' in value) return { kvlistValue: { values: jsonAttributes(value.object, int) } };
  return {};
}

function hex(id: string): Buffer {
  return Buffer.from(id, 'hex');
}
