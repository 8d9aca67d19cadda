import { describe, expect, it } from 'vitest';
import { timeRangeOf } from './time-range.js';

const at = (text: string) => Date.parse(text) / 1000;
const time = (operator: string, value: unknown) => ({ field: 'request_start_time', operator, value });
const model = { field: 'engine', operator: 'is', value: 'gpt-4o' };

describe('timeRangeOf', () => {
  it.each([
    ['nothing', {}, null, null],
    ['an empty group', { filterGroup: { filters: [] }, filters: [] }, null, null],
    ['another field', { filterGroup: { filters: [model] } }, null, null],
    ['a day', { filterGroup: { filters: [time('is', '2026-03-01')] } }, '2026-03-01T00:00:00Z', '2026-03-01T23:59:59Z'],
    [
      'two days',
      { filters: [time('between', ['2026-03-01', '2026-03-02'])] },
      '2026-03-01T00:00:00Z',
      '2026-03-02T23:59:59Z',
    ],
    ['after a moment', { filters: [time('after', '2026-03-01T10:00:00.5Z')] }, '2026-03-01T10:00:00Z', null],
    ['after a day', { filters: [time('after', '2026-03-01')] }, '2026-03-02T00:00:00Z', null],
    ['before a full second', { filters: [time('before', '2026-03-01T10:00:00Z')] }, null, '2026-03-01T09:59:59Z'],
    ['before a part of it', { filters: [time('before', '2026-03-01T10:00:00.000001Z')] }, null, '2026-03-01T10:00:00Z'],
    [
      'the narrowest of several',
      {
        filterGroup: { logic: 'AND', filters: [time('after', '2026-03-01T10:00:00Z'), model] },
        filters: [time('after', '2026-02-01T10:00:00Z'), { filters: [time('before', '2026-03-02T00:00:01Z')] }],
      },
      '2026-03-01T10:00:00Z',
      '2026-03-02T00:00:00Z',
    ],
    ['an alternative', { filterGroup: { logic: 'OR', filters: [time('is', '2026-03-01'), model] } }, null, null],
    [
      'the only alternative',
      { filterGroup: { logic: 'OR', filters: [time('is', '2026-03-01')] } },
      '2026-03-01T00:00:00Z',
      '2026-03-01T23:59:59Z',
    ],
    [
      'an alternative beside a limit',
      {
        filterGroup: {
          filters: [
            { logic: 'OR', filters: [time('is', '2026-03-01'), model] },
            time('before', '2026-03-09T00:00:00Z'),
          ],
        },
      },
      null,
      '2026-03-08T23:59:59Z',
    ],
  ])('computes the range of %s', (_, query, first, last) => {
    expect(timeRangeOf(query)).toEqual({ first: first && at(first), last: last && at(last) });
  });

  it('takes as many conditions in both places as the grammar does', () => {
    const many = Array.from({ length: 100 }, () => time('after', '2026-03-01T10:00:00Z'));
    expect(timeRangeOf({ filterGroup: { filters: many }, filters: many }).first).toBe(at('2026-03-01T10:00:00Z'));
  });
});
