import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import { jsonNumber } from './any-value.js';
import { SPAN_ID, TRACE_ID } from './json-export.fixture.js';
import { UnreadableBody } from './otlp.errors.js';
import { ProtoWriter, toJson, toProtobuf } from './proto-writer.fixture.js';
import { decodeReadable } from './readable.fixture.js';
import { requestArbitrary } from './request.fixture.js';

function protobuf(body: Buffer) {
  return decodeReadable(body, 'protobuf');
}

/** A request with one span, whose fields the test writes. */
function withSpan(write: (span: ProtoWriter) => void): Buffer {
  return new ProtoWriter().message(1, (rs) => rs.message(2, (ss) => ss.message(2, write))).end();
}

function identity(span: ProtoWriter): ProtoWriter {
  return span.bytes(1, Buffer.from(TRACE_ID, 'hex')).bytes(2, Buffer.from(SPAN_ID, 'hex')).fixed64(7, 5n);
}

function withValue(write: (value: ProtoWriter) => void): Buffer {
  return withSpan((span) => identity(span).message(9, (pair) => pair.bytes(1, 'k').message(2, write)));
}

describe('a protobuf export', () => {
  it('gives the same spans as the same export in JSON, however JSON writes its integers', () => {
    fc.assert(
      fc.property(requestArbitrary, fc.boolean(), (request, bareIntegers) => {
        expect(protobuf(toProtobuf(request))).toEqual(decodeReadable(toJson(request, bareIntegers), 'json'));
      }),
      { numRuns: 300 },
    );
  });

  it('knows one zero only, as JSON does', () => {
    expect([0, -0].map((zero) => Object.is(jsonNumber(zero), 0))).toEqual([true, true]);
  });

  it('keeps identities, times and values exactly', () => {
    const body = withSpan((span) =>
      identity(span)
        .bytes(5, 'chat')
        .varint(6, 3)
        .fixed64(8, 2n ** 63n - 1n)
        .message(9, (pair) => pair.bytes(1, 'big').message(2, (value) => value.varint(3, -(2n ** 63n))))
        .message(9, (pair) => pair.bytes(1, 'small').message(2, (value) => value.varint(3, -2)))
        .message(9, (pair) => pair.bytes(1, 'blob').message(2, (value) => value.bytes(7, Buffer.from([255, 0])))),
    );
    expect(protobuf(body).spans[0]).toMatchObject({
      traceId: TRACE_ID,
      spanId: SPAN_ID,
      name: 'chat',
      kind: 3,
      startNs: 5n,
      endNs: 2n ** 63n - 1n,
      attributes: { big: '-9223372036854775808', small: -2, blob: '/wA=' },
    });
  });

  it('may be empty', () => {
    expect(protobuf(Buffer.alloc(0))).toEqual({ spans: [], rejected: [], asides: [] });
  });

  it('may put the resource and the scope behind the spans', () => {
    const body = new ProtoWriter()
      .message(1, (rs) => {
        rs.message(2, (ss) => ss.message(2, identity).message(1, (scope) => scope.bytes(1, 'late\0')));
        rs.message(1, (resource) => resource.message(1, (pair) => pair.bytes(1, 'service.name')));
      })
      .end();
    expect(protobuf(body).spans[0]).toMatchObject({
      source: { resource: { attributes: { 'service.name': null } }, scope: { name: 'late\uFFFD' } },
      sanitized: true,
    });
  });

  it('may hold fields that nobody knows yet', () => {
    const body = withSpan((span) =>
      identity(
        span
          .varint(99, 2n ** 64n - 1n)
          .fixed32(98, 1)
          .double(97, 1)
          .bytes(96, 'x'),
      ),
    );
    expect(protobuf(body).spans).toHaveLength(1);
  });

  it('reads attributes that are no UTF-8 with replacement characters', () => {
    const broken = Buffer.from([0x61, 0xff]);
    const body = withSpan((span) =>
      identity(span).message(9, (pair) => pair.bytes(1, broken).message(2, (value) => value.bytes(1, broken))),
    );
    expect(protobuf(body).spans[0].attributes).toEqual({ 'a\uFFFD': 'a\uFFFD' });
  });

  it('reads bytes that are no UTF-8 as replacement characters', () => {
    expect(protobuf(withSpan((span) => identity(span).bytes(5, Buffer.from([0x61, 0xff])))).spans[0].name).toBe(
      'a\uFFFD',
    );
  });

  it.each([
    ['a trace id', 1, Buffer.alloc(15, 1), 'Invalid traceId length'],
    ['a span id', 2, Buffer.alloc(9, 1), 'Invalid spanId length'],
    ['a zero trace id', 1, Buffer.alloc(16), 'Invalid traceId: all zeros'],
  ])('rejects only the span with %s of the wrong length', (_, field, bytes, reason) => {
    const body = Buffer.concat([withSpan((span) => identity(span).bytes(field, bytes)), withSpan(identity)]);
    const { spans, rejected } = protobuf(body);
    expect(rejected).toEqual([{ reason, count: 1 }]);
    expect(spans).toHaveLength(1);
  });

  it('continues an attribute as JSON text below 32 levels, as in JSON', () => {
    const nest = (value: ProtoWriter, depth: number): unknown =>
      depth === 0
        ? value.bytes(1, 'deep')
        : value.message(5, (list) => list.message(1, (inner) => nest(inner, depth - 1)));
    let decoded: JsonValue = protobuf(withValue((value) => nest(value, 34))).spans[0].attributes.k;
    for (let depth = 0; depth < 32; depth++) decoded = (decoded as JsonValue[])[0];
    expect(decoded).toBe('[["deep"]]');
  });
});

describe('a hostile protobuf body', () => {
  const endless = Buffer.alloc(20, 0xff);

  it.each([
    ['ends in a tag', Buffer.from([0x80])],
    ['ends in a length', Buffer.from([0x0a, 0x80])],
    ['ends in a message', Buffer.from([0x0a, 0x05, 0x00])],
    ['ends in a fixed64', withSpan((span) => span.bytes(99, '')).subarray(0, -2)],
    ['announces an enormous length', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])],
    ['holds a number that never ends', Buffer.concat([Buffer.from([0x98, 0x06]), endless])],
    ['holds a tag that never ends', endless],
    ['has field number 0', Buffer.from([0x02, 0x00])],
    ['has a field number beyond 29 bits', Buffer.from([0xfa, 0xff, 0xff, 0xff, 0x7f, 0x00])],
    ['has a group', Buffer.from([0x9b, 0x06, 0x9c, 0x06, 0x00, 0x00])],
    // Each of these would be readable for a decoder that does not look at the wire type or at the end of the message.
    ['writes the resource spans as a number', Buffer.from([0x08, 0x00])],
    ['writes a name as a number', withSpan((span) => span.varint(5, 0))],
    ['writes a kind as text', withSpan((span) => span.bytes(6, ''))],
    ['writes a start time as text', withSpan((span) => span.bytes(7, '1234567'))],
    ['lets a field reach out of its message', Buffer.from([0x0a, 0x02, 0x12, 0x02, 0x12, 0x00])],
    ['writes a status code behind the end of its message', withSpan((span) => span.bytes(15, Buffer.from([0x18])))],
    ['is text', Buffer.from('{"resourceSpans":[]}')],
  ])('is unreadable when it %s', (_, body) => {
    expect(() => protobuf(body)).toThrow(UnreadableBody);
  });

  it('is unreadable when it nests without end', () => {
    let bytes: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 3000; depth++) {
      bytes = new ProtoWriter().message(5, (list) => list.bytes(1, bytes)).end();
    }
    expect(() => protobuf(withSpan((span) => identity(span).message(9, (pair) => pair.bytes(2, bytes))))).toThrow(
      UnreadableBody,
    );
  });

  it('is unreadable when it is made of millions of empty messages', () => {
    const events = Buffer.alloc(2 * 3_000_001, Buffer.from([0x5a, 0x00]));
    expect(() =>
      protobuf(new ProtoWriter().message(1, (rs) => rs.message(2, (ss) => ss.bytes(2, events))).end()),
    ).toThrow(UnreadableBody);
  });

  it('is either read or refused as unreadable, whatever its bytes are', () => {
    const broken = fc
      .tuple(requestArbitrary.map(toProtobuf), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat())
      .map(([bytes, position, byte, cut]) => {
        const copy = Buffer.from(bytes);
        if (copy.length > 0) copy[position % copy.length] = byte;
        return cut % 3 === 0 ? copy.subarray(0, cut % (copy.length + 1)) : copy;
      });
    fc.assert(
      fc.property(
        fc.oneof(
          broken,
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        (body) => {
          try {
            protobuf(body);
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableBody);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
