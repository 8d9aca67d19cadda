import { describe, expect, it } from 'vitest';
import { type NormalizedSpan, SPAN_KINDS, SPAN_STATUSES } from '../../trace-conventions/span.js';
import { decodeJson, decodeJsonSpan, jsonRequest, jsonSpan, SPAN_ID, START, TRACE_ID } from './json-export.fixture.js';
import { InvalidEnvelope, UnreadableBody } from './otlp.errors.js';

describe('a JSON export', () => {
  it('becomes spans with everything that was sent', () => {
    const body = {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
          schemaUrl: 'https://schema',
          scopeSpans: [
            {
              scope: { name: 'lib', version: '2', attributes: [{ key: 'a', value: { intValue: 1 } }] },
              spans: [
                jsonSpan({
                  parentSpanId: '00F067AA0BA902B7',
                  traceState: 'k=v',
                  kind: 3,
                  endTimeUnixNano: '1763650001123456789',
                  attributes: [{ key: 'gen_ai.system', value: { stringValue: 'openai' } }],
                  events: [{ timeUnixNano: START, name: 'e', attributes: [{ key: 'x', value: { boolValue: true } }] }],
                  links: [{ traceId: TRACE_ID, spanId: SPAN_ID, traceState: 's', attributes: [] }],
                  status: { code: 2, message: 'no' },
                  flags: 257,
                  unknown: { field: true },
                }),
              ],
            },
          ],
        },
      ],
    };

    expect(decodeJson(body)).toEqual({
      rejected: [],
      asides: [],
      spans: [
        {
          traceId: TRACE_ID,
          spanId: SPAN_ID,
          parentId: '00f067aa0ba902b7',
          traceState: 'k=v',
          name: 'chat',
          kind: SPAN_KINDS.CLIENT,
          startNs: 1763650000123456789n,
          endNs: 1763650001123456789n,
          statusCode: SPAN_STATUSES.ERROR,
          statusMessage: 'no',
          attributes: { 'gen_ai.system': 'openai' },
          events: [{ name: 'e', timeNs: 1763650000123456789n, attributes: { x: true } }],
          links: [{ traceId: TRACE_ID, spanId: SPAN_ID, traceState: 's', attributes: {} }],
          source: {
            resource: { attributes: { 'service.name': 'shop' }, schemaUrl: 'https://schema' },
            scope: { name: 'lib', version: '2', attributes: { a: 1 } },
          },
          sanitized: false,
        },
      ],
    });
  });

  it('may use snake_case keys', () => {
    const snake = jsonSpan({
      trace_id: TRACE_ID,
      span_id: SPAN_ID,
      parent_span_id: '00f067aa0ba902b7',
      trace_state: 't',
      start_time_unix_nano: START,
      end_time_unix_nano: '1763650001123456789',
      attributes: [
        { key: 's', value: { string_value: 'x' } },
        { key: 'i', value: { int_value: '5' } },
        { key: 'l', value: { array_value: { values: [{ bool_value: true }, { double_value: 1.5 }] } } },
        { key: 'o', value: { kvlist_value: { values: [{ key: 'b', value: { bytes_value: 'AQI=' } }] } } },
      ],
      events: [{ time_unix_nano: '7', name: 'e' }],
      links: [{ trace_id: TRACE_ID, span_id: SPAN_ID, trace_state: 's' }],
    });
    for (const key of ['traceId', 'spanId', 'startTimeUnixNano']) delete snake[key];

    const { spans } = decodeJson({ resource_spans: [{ schema_url: 'u', scope_spans: [{ spans: [snake] }] }] });

    expect(spans[0]).toMatchObject({
      traceId: TRACE_ID,
      parentId: '00f067aa0ba902b7',
      traceState: 't',
      startNs: 1763650000123456789n,
      endNs: 1763650001123456789n,
      attributes: { s: 'x', i: 5, l: [true, 1.5], o: { b: 'AQI=' } },
      events: [{ timeNs: 7n }],
      links: [{ traceId: TRACE_ID, spanId: SPAN_ID, traceState: 's' }],
      source: { resource: { schemaUrl: 'u' } },
    });
  });

  it.each([
    ['an empty object', '{}'],
    ['no resource spans', '{"resourceSpans":[]}'],
    ['null for the list', '{"resourceSpans":null}'],
    ['no scope spans', '{"resourceSpans":[{}]}'],
    ['no spans', '{"resourceSpans":[{"resource":null,"scopeSpans":[{"scope":null,"spans":null}]}]}'],
  ])('with %s is an empty export', (_, body) => {
    expect(decodeJson(body)).toEqual({ spans: [], rejected: [], asides: [] });
  });

  it('shares one source between the spans of a scope, and one resource between the scopes', () => {
    const scope = (id: string) => ({
      spans: [jsonSpan({ spanId: `${id}1`.padStart(16, 'a') }), jsonSpan({ spanId: `${id}2`.padStart(16, 'a') })],
    });
    const { spans } = decodeJson({ resourceSpans: [{ scopeSpans: [scope('1'), scope('2')] }] });

    expect(spans[1].source).toBe(spans[0].source);
    expect(spans[2].source).not.toBe(spans[0].source);
    expect(spans[2].source.resource).toBe(spans[0].source.resource);
  });

  it('keeps the last of two spans with one identity', () => {
    const { spans } = decodeJson(
      jsonRequest(jsonSpan({ name: 'first' }), jsonSpan({ spanId: 'a'.repeat(16) }), jsonSpan({ name: 'second' })),
    );
    expect(spans.map(({ name }) => name).sort()).toEqual(['chat', 'second']);
  });
});

describe('a span is rejected', () => {
  it.each([
    ['without a trace id', { traceId: null }, 'Invalid traceId length'],
    ['with a trace id of another length', { traceId: 'abc' }, 'Invalid traceId length'],
    ['with a trace id that is neither hex nor base64', { traceId: 'z'.repeat(32) }, 'Invalid traceId length'],
    ['with a numeric trace id', { traceId: 5 }, 'Invalid traceId length'],
    ['with a zero trace id', { traceId: '0'.repeat(32) }, 'Invalid traceId: all zeros'],
    ['without a span id', { spanId: undefined }, 'Invalid spanId length'],
    ['with a span id of another length', { spanId: TRACE_ID }, 'Invalid spanId length'],
    ['with a zero span id', { spanId: '0'.repeat(16) }, 'Invalid spanId: all zeros'],
    ['without a name', { name: undefined }, 'Missing span name'],
    ['with a name that is no text', { name: 5 }, 'Missing span name'],
    ['without a start', { startTimeUnixNano: undefined }, 'Invalid startTimeUnixNano'],
    ['with start 0', { startTimeUnixNano: '0' }, 'Invalid startTimeUnixNano'],
    ['with a negative start', { startTimeUnixNano: '-5' }, 'Invalid startTimeUnixNano'],
    ['with a start that is no number', { startTimeUnixNano: 'yesterday' }, 'Invalid startTimeUnixNano'],
    ['with a start beyond 63 bits', { startTimeUnixNano: '9223372036854775808' }, 'Invalid startTimeUnixNano'],
    ['with a start of a thousand digits', { startTimeUnixNano: '9'.repeat(1000) }, 'Invalid startTimeUnixNano'],
  ])('%s, and the others are kept', (_, fields, reason) => {
    const { spans, rejected } = decodeJson(
      jsonRequest(jsonSpan(fields), jsonSpan({ spanId: 'a'.repeat(16), name: 'good' })),
    );
    expect(rejected).toEqual([{ reason, count: 1 }]);
    expect(spans.map(({ name }) => name)).toEqual(['good']);
  });

  it('when it is no object', () => {
    expect(decodeJson(jsonRequest(5, null)).rejected).toEqual([{ reason: 'Span is not an object', count: 2 }]);
  });

  it('and counted by reason', () => {
    const { rejected } = decodeJson(
      jsonRequest(jsonSpan({ traceId: '' }), jsonSpan({ spanId: '' }), jsonSpan({ traceId: 'x' })),
    );
    expect(rejected).toEqual([
      { reason: 'Invalid traceId length', count: 2 },
      { reason: 'Invalid spanId length', count: 1 },
    ]);
  });
});

describe('a span is accepted', () => {
  it.each<[string, Record<string, unknown>, Partial<NormalizedSpan>]>([
    ['without an end, as still running', { endTimeUnixNano: null }, { endNs: null }],
    ['with end 0, as still running', { endTimeUnixNano: '0' }, { endNs: null }],
    ['with an end beyond 63 bits', { endTimeUnixNano: '18446744073709551615' }, { endNs: null }],
    ['with an end before its start', { endTimeUnixNano: '5' }, { endNs: 5n }],
    ['with the latest possible start', { startTimeUnixNano: '9223372036854775807' }, { startNs: 2n ** 63n - 1n }],
    ['with a bad parent', { parentSpanId: 'abc' }, { parentId: null }],
    ['with an empty parent', { parentSpanId: '' }, { parentId: null }],
    ['with a zero parent', { parentSpanId: '0'.repeat(16) }, { parentId: null }],
    ['with an empty name', { name: '' }, { name: '' }],
    ['with an id in capital letters', { traceId: TRACE_ID.toUpperCase() }, { traceId: TRACE_ID }],
    [
      'with ids in base64',
      { traceId: 'W47/95gDgQPSabYzgT/GDA==', spanId: '7uGbfsPBsXQ=' },
      { traceId: TRACE_ID, spanId: SPAN_ID },
    ],
    [
      'with ids in unpadded base64',
      { traceId: 'W47/95gDgQPSabYzgT/GDA', spanId: '7uGbfsPBsXQ' },
      { traceId: TRACE_ID, spanId: SPAN_ID },
    ],
    ['with a parent in base64', { parentSpanId: 'APBnqgupArc=' }, { parentId: '00f067aa0ba902b7' }],
    ['with a parent in unpadded base64', { parentSpanId: 'APBnqgupArc' }, { parentId: '00f067aa0ba902b7' }],
    [
      'with links in base64',
      { links: [{ traceId: 'W47/95gDgQPSabYzgT/GDA==', spanId: '7uGbfsPBsXQ=' }] },
      { links: [{ traceId: TRACE_ID, spanId: SPAN_ID, traceState: '', attributes: {} }] },
    ],
    ['without a kind', {}, { kind: SPAN_KINDS.INTERNAL }],
    ['with an unspecified kind', { kind: 0 }, { kind: SPAN_KINDS.INTERNAL }],
    ['with an unknown kind', { kind: 99 }, { kind: SPAN_KINDS.INTERNAL }],
    ['with a fractional kind', { kind: 2.5 }, { kind: SPAN_KINDS.INTERNAL }],
    ['with a kind in digits', { kind: '4' }, { kind: SPAN_KINDS.PRODUCER }],
    ['with a kind by name', { kind: 'SPAN_KIND_SERVER' }, { kind: SPAN_KINDS.SERVER }],
    ['with a kind by an inherited name', { kind: 'SPAN_KIND_toString' }, { kind: SPAN_KINDS.INTERNAL }],
    ['without a status', { status: null }, { statusCode: SPAN_STATUSES.UNSET, statusMessage: null }],
    ['with a status in digits', { status: { code: '1' } }, { statusCode: SPAN_STATUSES.OK }],
    ['with a status by name', { status: { code: 'STATUS_CODE_ERROR' } }, { statusCode: SPAN_STATUSES.ERROR }],
    ['with an unknown status', { status: { code: 7 } }, { statusCode: SPAN_STATUSES.UNSET }],
    ['with an empty status message', { status: { code: 1, message: '' } }, { statusMessage: null }],
    ['with junk for events and links', { events: 5, links: [null, 'x'] }, { events: [], links: [] }],
    [
      'with a link to nowhere',
      { links: [{ traceId: 'x' }] },
      { links: [{ traceId: '', spanId: '', traceState: '', attributes: {} }] },
    ],
  ])('%s', (_, fields, expected) => {
    expect(decodeJsonSpan(fields)).toMatchObject(expected);
  });

  it('with times as JSON numbers, to the nanosecond', () => {
    const body = JSON.stringify(jsonRequest(jsonSpan({ endTimeUnixNano: '1763650001123456789' })));
    const bare = body.replaceAll(/"(17\d{17})"/g, '$1');
    expect(bare).toContain(':1763650000123456789');
    expect(decodeJson(bare).spans[0]).toMatchObject({ startNs: 1763650000123456789n, endNs: 1763650001123456789n });
  });

  it('with digits in its texts that look like such numbers', () => {
    const text = 'at: 1763650000123456789, "quoted" \\ 1763650000123456789';
    const fields = { attributes: [{ key: 'k', value: { stringValue: text } }], startTimeUnixNano: '@' };
    const body = JSON.stringify(jsonRequest(jsonSpan(fields))).replace('"@"', START);
    expect(decodeJson(body).spans[0]).toMatchObject({ startNs: 1763650000123456789n, attributes: { k: text } });
  });

  it('with a time as a float', () => {
    const body = JSON.stringify(jsonRequest(jsonSpan({ startTimeUnixNano: '@' }))).replace(
      '"@"',
      '1.7636500001234568e18',
    );
    expect(decodeJson(body).spans[0].startNs).toBe(1763650000123456768n);
  });
});

describe('a JSON body that is no export', () => {
  it.each([
    ['nothing', ''],
    ['broken JSON', '{"resourceSpans":['],
    ['protobuf', '\n\x05hello'],
    ['millions of brackets', '['.repeat(3_000_000)],
    ['millions of objects', `[${'{},'.repeat(6_000_000)}{}]`],
  ])('is unreadable when it is %s', (_, body) => {
    expect(() => decodeJson(body)).toThrow(UnreadableBody);
  });

  it('is unreadable when an attribute nests absurdly', () => {
    const value = `${'{"arrayValue":{"values":['.repeat(501)}{}${']}}'.repeat(501)}`;
    const body = JSON.stringify(jsonRequest(jsonSpan({ attributes: [{ key: 'k', value: '@' }] }))).replace(
      '"@"',
      value,
    );
    expect(() => decodeJson(body)).toThrow(UnreadableBody);
  });

  it.each<[string, unknown, (string | number)[], string]>([
    ['the body', [], ['body'], 'object_type'],
    ['the body', null, ['body'], 'object_type'],
    ['resourceSpans', { resourceSpans: {} }, ['body', 'resourceSpans'], 'list_type'],
    ['resource_spans', { resource_spans: 5 }, ['body', 'resource_spans'], 'list_type'],
    ['a resource span', { resourceSpans: [{}, 5] }, ['body', 'resourceSpans', 1], 'object_type'],
    ['a resource', { resourceSpans: [{ resource: 'x' }] }, ['body', 'resourceSpans', 0, 'resource'], 'object_type'],
    ['scopeSpans', { resourceSpans: [{ scopeSpans: 'x' }] }, ['body', 'resourceSpans', 0, 'scopeSpans'], 'list_type'],
    [
      'spans',
      { resourceSpans: [{ scopeSpans: [{ spans: {} }] }] },
      ['body', 'resourceSpans', 0, 'scopeSpans', 0, 'spans'],
      'list_type',
    ],
  ])('is refused with the place where %s has the wrong type', (_, body, loc, type) => {
    const refused = catchError(() => decodeJson(body)) as InvalidEnvelope;
    expect(refused).toBeInstanceOf(InvalidEnvelope);
    expect(refused.problems).toEqual([{ loc, msg: expect.any(String) as string, type }]);
  });

  it('is refused with all its problems, up to a limit', () => {
    const refused = catchError(() => decodeJson({ resourceSpans: Array(1000).fill(1) })) as InvalidEnvelope;
    expect(refused.problems).toHaveLength(20);
  });
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
