import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readEvent, readLink } from './events-and-links.js';

const START = 1_780_000_000_000_000_123n;
const TRACE = '5b8efff798038103d269b633813fc60c';
const SPAN = 'eee19b7ec3c1b174';
const decimal = (hex: string): string => BigInt(`0x${hex}`).toString();

describe('the time of an event', () => {
  it.each<[JsonValue, bigint]>([
    ['2026-05-28T20:26:40Z', 1_780_000_000_000_000_000n],
    ['2026-05-28T20:26:40', 1_780_000_000_000_000_000n],
    ['2026-05-28 22:26:40+02:00', 1_780_000_000_000_000_000n],
    ['2026-05-28T20:26:40.123456789Z', 1_780_000_000_123_456_789n],
    ['2026-05-28T20:26:40.5', 1_780_000_000_500_000_000n],
    ['1780000000123456789', 1_780_000_000_123_456_789n],
    [1_780_000_000, 1_780_000_000_000_000_000n],
    [1_780_000_000.25, 1_780_000_000_250_000_000n],
    [1_780_000_000_250, 1_780_000_000_250_000_000n],
    [1_780_000_000_250_001, 1_780_000_000_250_001_000n],
    ['1780000000.25', 1_780_000_000_250_000_000n],
  ])('%j is UTC, in a unit that its size determines', (timestamp, timeNs) =>
    expect(readEvent({ name: 'e', timestamp, attributes: { k: 1 } }, START)).toEqual({
      name: 'e',
      timeNs,
      attributes: { k: 1 },
    }),
  );

  it.each<[JsonValue]>([['yesterday'], [-5], [true], ['2026-02-30'], [{}]])(
    'is the start for %j, which is kept',
    (timestamp) =>
      expect(readEvent({ name: 'e', timestamp }, START)).toEqual({
        name: 'e',
        timeNs: START,
        attributes: { timestamp },
      }),
  );
});

describe('an event', () => {
  it.each<[JsonObject, JsonObject, string]>([
    [{}, {}, ''],
    [{ name: null, timestamp: null, attributes: null }, {}, ''],
    [{ name: 7, attributes: ['x'], dropped: 1 }, { name: 7, attributes: ['x'], dropped: 1 }, ''],
    [{ name: 'e', attributes: { k: null } }, { k: null }, 'e'],
  ])('%j loses nothing', (event, attributes, name) =>
    expect(readEvent(event, START)).toEqual({ name, timeNs: START, attributes }),
  );
});

describe('a link', () => {
  const read = { traceId: TRACE, spanId: SPAN, traceState: '', attributes: {} };
  it.each<[string, JsonObject]>([
    ['in a context', { context: { trace_id: TRACE, span_id: SPAN, trace_state: '' }, attributes: {} }],
    ['as Python prints it', { context: { trace_id: `0x${TRACE}`, span_id: `0x${SPAN}` } }],
    ['in capitals', { context: { trace_id: TRACE.toUpperCase(), span_id: SPAN.toUpperCase() } }],
    ['in camel case', { context: { traceId: TRACE, spanId: SPAN, traceState: '' } }],
    ['beside the attributes', { trace_id: TRACE, span_id: SPAN, trace_state: '' }],
    ['as OTLP has it', { traceId: TRACE, spanId: SPAN, traceState: '', attributes: {} }],
    ['as numbers', { context: { trace_id: decimal(TRACE), span_id: decimal(SPAN) } }],
    ['as a tuple of numbers', { context: [decimal(TRACE), decimal(SPAN)] }],
    ['as a tuple of texts', { context: [TRACE, SPAN] }],
  ])('is read %s', (_, link) => expect(readLink(link)).toEqual(read));

  it('keeps unknown fields', () => {
    expect(readLink({ context: [decimal(TRACE), 255, false, 1, [], true] })).toEqual({
      ...read,
      spanId: '00000000000000ff',
      attributes: { context: { is_remote: false, trace_flags: 1, trace_state: [], is_valid: true } },
    });
    const odd = { context: { trace_id: TRACE, span_id: {} }, spanId: SPAN, attributes: ['x'], weight: 2 };
    expect(readLink(odd)).toEqual({
      ...read,
      attributes: { context: { span_id: {} }, attributes: ['x'], weight: 2 },
    });
    for (const context of ['text', 5, [1], [[], {}]]) {
      expect(readLink({ context })).toEqual({ traceId: '', spanId: '', traceState: '', attributes: { context } });
    }
  });

  it('keeps ids that are not hexadecimal, and has empty ids where none are given', () => {
    expect(readLink({ trace_id: 'run/7', spanId: '12' })).toEqual({ ...read, traceId: 'run/7', spanId: '12' });
    expect(readLink({})).toEqual({ traceId: '', spanId: '', traceState: '', attributes: {} });
  });
});
