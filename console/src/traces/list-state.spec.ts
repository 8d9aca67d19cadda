import { describe, expect, it } from 'vitest';
import { DEFAULTS, describeFilters, toSearch } from './list-state';
import { nextOrder } from '../ui/list-head';

const NOW = Date.parse('2026-05-28T12:00:00Z');
const search = (change: Partial<typeof DEFAULTS>) => toSearch({ ...DEFAULTS, ...change }, NOW);

const OF_APPLICATIONS = { field: 'trace_origin', operator: 'is', value: 'application' };

describe('the search of a state', () => {
  it('is for the newest traces at first', () => {
    expect(search({})).toEqual({
      filter_group: { logic: 'AND', filters: [OF_APPLICATIONS] },
      sort_by: 'trace_start',
      sort_order: 'desc',
      limit: 50,
    });
  });

  it.each([
    [{ q: '  blue parcel ' }, { q: 'blue parcel' }],
    [
      { status: 'ERROR', spans: 'many' },
      {
        filter_group: {
          logic: 'AND',
          filters: [
            OF_APPLICATIONS,
            { field: 'trace_status', operator: 'is', value: 'ERROR' },
            { field: 'trace_span_count', operator: 'gt', value: 1 },
          ],
        },
      },
    ],
    [
      { days: '7' },
      {
        filter_group: {
          logic: 'AND',
          filters: [OF_APPLICATIONS, { field: 'trace_start', operator: 'after', value: '2026-05-21T12:00:00.000Z' }],
        },
      },
    ],
    [
      { sort: 'trace_total_cost_usd', order: 'asc' },
      { sort_by: 'trace_total_cost_usd', sort_order: 'asc' },
    ],
  ])('with %j', (change, expected) => {
    expect(search(change)).toMatchObject(expected);
  });

  it('leaves out what nobody can choose', () => {
    const state = { status: 'toString', days: 'constructor', spans: 'x', sort: 'nonsense', order: 'up', q: ' ' };
    expect(search(state)).toEqual(search({}));
  });
});

it('filters are told in words', () => {
  expect(describeFilters(DEFAULTS)).toEqual([]);
  expect(describeFilters({ ...DEFAULTS, q: 'a', status: 'ERROR', spans: 'many', days: '1' })).toEqual([
    'the words “a”',
    'the status “Failed”',
    'the size “More than one span”',
    'the time “Last 24 hours”',
  ]);
});

it('a column is sorted from the greatest, then the other way round', () => {
  const first = nextOrder(DEFAULTS, 'trace_duration_ms');
  expect(first).toEqual({ sort: 'trace_duration_ms', order: 'desc' });
  expect(nextOrder({ ...DEFAULTS, ...first }, 'trace_duration_ms')).toMatchObject({ order: 'asc' });
});
