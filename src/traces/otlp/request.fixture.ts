import fc from 'fast-check';
import { SPAN_ID, TRACE_ID } from './json-export.fixture.js';
import type { TestAttributes, TestRequest, TestSpan, TestValue } from './proto-writer.fixture.js';

const text = fc.string({
  unit: fc.constantFrom('a', 'Z', 'é', '😀', '"', '\\', '\n', '\0', '1763650000123456789', ' '),
});
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const { value: testValue } = fc.letrec<{ value: TestValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ string: text }),
    fc.record({ bool: fc.boolean() }),
    fc.record({ int: int64 }),
    fc.record({ int: fc.bigInt({ min: -9n, max: 9n }) }),
    fc.record({ double: fc.double() }),
    fc.record({ bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)) }),
    fc.record({ nothing: fc.constant(true as const) }),
    fc.record({ list: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({ object: fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }) }),
  ),
}));
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '1', 'gen_ai.system'));
const attributes: fc.Arbitrary<TestAttributes> = fc.array(fc.tuple(key, testValue), { maxLength: 4 });
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const time = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(0n, 2n ** 63n - 1n, 2n ** 63n));
const number = fc.integer({ min: 0, max: 7 });
const spanArbitrary: fc.Arbitrary<TestSpan> = fc.record({
  traceId: fc.oneof(fc.constant(TRACE_ID), hex(32), fc.constant('00'.repeat(16)), hex(4)),
  spanId: fc.oneof(fc.constant(SPAN_ID), hex(16), hex(2)),
  parentId: fc.oneof(fc.constant(''), hex(16), fc.constant('00'.repeat(8))),
  traceState: text,
  name: text,
  kind: number,
  startNs: time,
  endNs: time,
  statusCode: number,
  statusMessage: text,
  attributes,
  events: fc.array(fc.record({ name: text, timeNs: time, attributes }), { maxLength: 2 }),
  links: fc.array(fc.record({ traceId: hex(32), spanId: hex(16), traceState: text, attributes }), { maxLength: 2 }),
});
/** Any request, defective spans and hostile texts included. */
export const requestArbitrary: fc.Arbitrary<TestRequest> = fc.record({
  resource: attributes,
  schemaUrl: text,
  scope: fc.record({ name: text, version: text, attributes }),
  spans: fc.array(spanArbitrary, { maxLength: 4 }),
});
