import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { decodeJson, decodeJsonSpan, jsonRequest, jsonSpan } from './json-export.fixture.js';
import type { ReadableSpan } from './readable.fixture.js';

function decodeValue(value: unknown): JsonValue | undefined {
  return decodeJsonSpan({ attributes: [{ key: 'k', value }] }).attributes.k;
}

describe('an attribute value in JSON', () => {
  it.each<[string, unknown, JsonValue]>([
    ['a text', { stringValue: 'x' }, 'x'],
    ['an empty text', { stringValue: '' }, ''],
    ['a boolean', { boolValue: false }, false],
    ['an integer', { intValue: 5 }, 5],
    ['an integer in digits', { intValue: '-5' }, -5],
    ['a negative zero', { intValue: '-0' }, 0],
    ['an integer beyond 2^53', { intValue: '9007199254740993' }, '9007199254740993'],
    ['the smallest int64', { intValue: '-9223372036854775808' }, '-9223372036854775808'],
    ['a double', { doubleValue: 1.5 }, 1.5],
    ['a double in digits', { doubleValue: '-1.5e3' }, -1500],
    ['not a number', { doubleValue: 'NaN' }, 'NaN'],
    ['infinity', { doubleValue: '-Infinity' }, '-Infinity'],
    ['an overflowing double', { doubleValue: '1e999' }, 'Infinity'],
    ['bytes', { bytesValue: '+/8=' }, '+/8='],
    ['bytes in URL-safe base64 without padding', { bytesValue: '-_8' }, '+/8='],
    ['a list', { arrayValue: { values: [{ intValue: 1 }, {}, { stringValue: 'x' }] } }, [1, null, 'x']],
    ['a list with a malformed entry', { arrayValue: { values: [{ intValue: 'x' }, { intValue: 1 }] } }, [null, 1]],
    ['an empty list', { arrayValue: {} }, []],
    ['an object', { kvlistValue: { values: [{ key: 'a', value: { intValue: 1 } }] } }, { a: 1 }],
    ['an empty object', { kvlistValue: {} }, {}],
    ['nothing', {}, null],
    ['null', null, null],
    ['null for a form', { stringValue: null, intValue: 3 }, 3],
    ['unknown fields only', { dateValue: 'x' }, null],
  ])('may be %s', (_, value, expected) => {
    expect(decodeValue(value)).toStrictEqual(expected);
  });

  it('keeps its precision as a JSON number', () => {
    const body = JSON.stringify(jsonRequest(jsonSpan({ attributes: [{ key: 'k', value: { intValue: '@' } }] })));
    expect(decodeJson(body.replace('"@"', '9007199254740993')).spans[0].attributes.k).toBe('9007199254740993');
  });

  it.each([
    ['a bare text', 'x'],
    ['a number for a text', { stringValue: 5 }],
    ['a text for a boolean', { boolValue: 'yes' }],
    ['words for an integer', { intValue: 'five' }],
    ['a thousand digits for an integer', { intValue: '9'.repeat(1000) }],
    ['words for a double', { doubleValue: 'much' }],
    ['a list for bytes', { bytesValue: [1, 2] }],
    ['no base64 for bytes', { bytesValue: '!' }],
    ['a bare list', { arrayValue: 5 }],
  ])('is dropped when it is %s', (_, value) => {
    const attributes = [
      { key: 'bad', value },
      { key: 'good', value: { intValue: 1 } },
    ];
    expect(decodeJsonSpan({ attributes }).attributes).toEqual({ good: 1 });
  });

  it('is dropped when it has no key', () => {
    const attributes = [null, 5, {}, { key: 5, value: { intValue: 1 } }, { key: 'good', value: { intValue: 1 } }];
    expect(decodeJsonSpan({ attributes }).attributes).toEqual({ good: 1 });
  });

  it('overrides an earlier one with the same key', () => {
    const attributes = [
      { key: 'a', value: { intValue: 1 } },
      { key: 'a', value: { intValue: 2 } },
    ];
    expect(decodeJsonSpan({ attributes }).attributes).toEqual({ a: 2 });
  });

  it('may come in a plain object', () => {
    const attributes = { a: 'x', b: [1, { c: null }], d: { e: true } };
    expect(decodeJsonSpan({ attributes }).attributes).toEqual(attributes);
    const big = '{"a":9007199254740993,"b":1e400}';
    const body = JSON.stringify(jsonRequest(jsonSpan({ attributes: '@' }))).replace('"@"', big);
    expect(decodeJson(body).spans[0].attributes).toEqual({ a: '9007199254740993', b: 'Infinity' });
  });

  it.each(['arrayValue', 'kvlistValue'])('that nests %s deeper than 32 levels continues as JSON text', (form) => {
    let value: JsonObject = { stringValue: 'deep' };
    for (let depth = 0; depth < 40; depth++) {
      value = { [form]: { values: form === 'arrayValue' ? [value] : [{ key: 'k', value }] } };
    }
    let decoded = decodeValue(value);
    for (let depth = 0; depth < 32; depth++) decoded = Array.isArray(decoded) ? decoded[0] : (decoded as JsonObject).k;
    const [open, close] = form === 'arrayValue' ? ['[', ']'] : ['{"k":', '}'];
    expect(decoded).toBe(`${open.repeat(8)}"deep"${close.repeat(8)}`);
  });

  it('named __proto__ is an attribute like any other', () => {
    const entry = [
      { key: '__proto__', value: { kvlistValue: { values: [{ key: '__proto__', value: { intValue: 1 } }] } } },
    ];
    const plain = JSON.parse('{"__proto__":{"polluted":true}}') as JsonValue;
    expect(Object.keys(decodeJsonSpan({ attributes: entry }).attributes)).toEqual(['__proto__']);
    expect(Object.entries(decodeJsonSpan({ attributes: plain }).attributes)).toEqual([
      ['__proto__', { polluted: true }],
    ]);
    expect(decodeJsonSpan({ attributes: plain }).attributes).not.toHaveProperty('polluted');
  });
});

describe('text that PostgreSQL cannot store', () => {
  it.each<[string, Record<string, unknown>, Partial<ReadableSpan>]>([
    ['a name', { name: 'a\0b' }, { name: 'a\uFFFDb' }],
    ['a trace state', { traceState: '\0' }, { traceState: '\uFFFD' }],
    ['a status message', { status: { message: '\uD800!' } }, { statusMessage: '\uFFFD!' }],
    ['an attribute', { attributes: [{ key: 'k', value: { stringValue: '\uDC00' } }] }, { attributes: { k: '\uFFFD' } }],
    ['a key', { attributes: [{ key: 'k\0', value: { intValue: 1 } }] }, { attributes: { 'k\uFFFD': 1 } }],
    ['a plain attribute', { attributes: { 'k\0': ['\0'] } }, { attributes: { 'k\uFFFD': ['\uFFFD'] } }],
    ['an event', { events: [{ name: '\0' }] }, { events: [{ name: '\uFFFD', timeNs: 0n, attributes: {} }] }],
  ])('is replaced in %s, and the span is flagged', (_, fields, expected) => {
    expect(decodeJsonSpan(fields)).toMatchObject({ ...expected, sanitized: true });
  });

  it('does not flag the other spans of the request', () => {
    const { spans } = decodeJson(
      jsonRequest(jsonSpan({ name: '\0' }), jsonSpan({ spanId: 'a'.repeat(16), name: 'fine \u{1F600}' })),
    );
    expect(spans.map(({ name, sanitized }) => [name, sanitized])).toEqual([
      ['\uFFFD', true],
      ['fine \u{1F600}', false],
    ]);
  });

  it.each([
    ['the resource', { resource: { attributes: { k: '\0' } }, scopeSpans: [{ spans: [jsonSpan()] }] }],
    ['the scope', { scopeSpans: [{ scope: { name: '\0' }, spans: [jsonSpan()] }] }],
  ])('flags the spans of %s it is found in', (_, resourceSpans) => {
    const other = { scopeSpans: [{ spans: [jsonSpan({ spanId: 'a'.repeat(16) })] }] };
    const { spans } = decodeJson({ resourceSpans: [resourceSpans, other] });
    expect(spans.map(({ sanitized }) => sanitized)).toEqual([true, false]);
  });

  it('leaves well-formed text alone, however it is escaped', () => {
    const body = JSON.stringify(jsonRequest(jsonSpan({ name: '@' }))).replace('@', String.raw`\ud83d\ude00 \\u0000`);
    expect(decodeJson(body).spans[0]).toMatchObject({ name: '\u{1F600} \\u0000', sanitized: false });
  });
});
