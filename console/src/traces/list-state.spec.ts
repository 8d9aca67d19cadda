import { describe, expect, it } from 'vitest';
import { chipsOf, DEFAULTS, describeFilters, listOf, toSearch, toTaken } from './list-state';
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

  it('has the conditions of the URL, and every origin where they name traces', () => {
    const filters = (change: Partial<typeof DEFAULTS>) => search(change).filter_group!.filters;
    expect(
      filters({ f: 'trace_tool_names contains search\ntrace_metadata[plan] key_equals pro', user: 'ada' }),
    ).toEqual([
      OF_APPLICATIONS,
      { field: 'trace_tool_names', operator: 'contains', value: 'search' },
      { field: 'trace_metadata', operator: 'key_equals', nested_key: 'plan', value: 'pro' },
      { field: 'trace_user_id', operator: 'is', value: 'ada' },
    ]);
    expect(filters({ f: 'trace_id is 7' })).toEqual([{ field: 'trace_id', operator: 'is', value: '7' }]);
  });

  it('takes the time of a bar without its end', () => {
    const range = { from: '2026-05-28T09:00:00Z', to: '2026-05-28T10:00:00Z' };
    expect(search(range).filter_group!.filters[1]).toEqual({
      field: 'trace_start',
      operator: 'between',
      value: ['2026-05-28T09:00:00Z', '2026-05-28T09:59:59.999999Z'],
    });
  });

  it('ignores invalid values', () => {
    const state = { status: 'toString', days: 'constructor', spans: 'x', sort: 'nonsense', order: 'up', q: ' ' };
    expect(search(state)).toEqual(search({}));
  });
});

it('is judged in its scope, and in every origin where a condition names traces', () => {
  const origins = (change: Partial<typeof DEFAULTS>) => toTaken({ ...DEFAULTS, ...change }).origins;
  expect(origins({ f: 'trace_name is a' })).toEqual(['application']);
  expect(origins({ f: 'trace_origin is trial' })).toEqual(['application', 'evaluation', 'trial']);
});

it('treats another view or an import as the same list', () => {
  const shown = { ...DEFAULTS, q: 'a' };
  expect(listOf({ ...shown, view: 'v', adding: 'x.y.z' })).toEqual(shown);
});

it('can remove every condition', () => {
  const state = { ...DEFAULTS, model: 'gpt-4o', f: 'trace_tags contains a\ntrace_duration_ms gt 5' };
  expect(chipsOf(state)).toEqual([
    { text: 'the model “gpt-4o”', without: { model: '' } },
    { text: 'tag contains a', without: { f: 'trace_duration_ms gt 5' } },
    { text: 'duration in ms > 5', without: { f: 'trace_tags contains a' } },
  ]);
});

it('describes filters in words', () => {
  expect(describeFilters(DEFAULTS)).toEqual([]);
  expect(describeFilters({ ...DEFAULTS, q: 'a', status: 'ERROR', spans: 'many', days: '1' })).toEqual([
    'the words “a”',
    'the status “Failed”',
    'the size “Multi-span only”',
    'the time “Last 24 hours”',
  ]);
});

it('sorts a column from the greatest value first, then in reverse', () => {
  const first = nextOrder(DEFAULTS, 'trace_duration_ms');
  expect(first).toEqual({ sort: 'trace_duration_ms', order: 'desc' });
  expect(nextOrder({ ...DEFAULTS, ...first }, 'trace_duration_ms')).toMatchObject({ order: 'asc' });
});
