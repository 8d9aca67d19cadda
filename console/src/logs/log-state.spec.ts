import { describe, expect, it } from 'vitest';
import { fromLocal, readConditions, shapeOfValue, toFilter, writeCondition } from '../search/conditions';
import { chipsOf } from '../search/search-state';
import { DEFAULTS, describeFilters, toSearch, toTaken, toWanted } from './log-state';

const NOW = Date.parse('2026-05-28T12:00:00Z');

const OF_APPLICATIONS = { field: 'origin', operator: 'is', value: 'application' };

describe('conditions in the URL', () => {
  it.each([
    ['engine is gpt-4o', { field: 'engine', operator: 'is', value: 'gpt-4o' }],
    ['tags in a, b c ,d', { field: 'tags', operator: 'in', value: ['a', 'b c', 'd'] }],
    ['cost between 1,2', { field: 'cost', operator: 'between', value: ['1', '2'] }],
    ['cost is_null', { field: 'cost', operator: 'is_null' }],
    [
      'metadata[a%20%5Bb%5D] key_equals 7',
      { field: 'metadata', operator: 'key_equals', nested_key: 'a [b]', value: '7' },
    ],
  ])('%s', (line, filter) => {
    const [condition] = readConditions(line);
    expect(toFilter(condition!)).toEqual(filter);
    expect(readConditions(writeCondition(condition!))).toEqual([condition]);
  });

  it('are ignored when they are invalid', () => {
    expect(readConditions('\n?\nengine\nEngine is x\ntags[%] contains b')).toEqual([
      { field: 'tags', key: '%', operator: 'contains', value: 'b' },
    ]);
  });
});

it('reads days and times without an offset in local time', () => {
  const day = new Date(2026, 10, 27).toISOString();
  const time = new Date(2026, 10, 28, 9, 30).toISOString();
  expect(fromLocal('2026-11-27')).toBe(day);
  expect(fromLocal(' 2026-11-27,2026-11-28 09:30')).toBe(`${day}, ${time}`);
  for (const given of ['2026-11-27T10:00:00Z', '2026-11-27T10:00+02:00', '1780000000', '2026-99-99']) {
    expect(fromLocal(given)).toBe(given);
  }
});

it('removes the line of a chip where others are invalid', () => {
  const chips = chipsOf({ ...DEFAULTS, f: '?\nengine is a\ntags is b' });
  expect(chips.map(({ without }) => without.f)).toEqual(['?\ntags is b', '?\nengine is a']);
});

it('searches as the URL says, and newest first where the URL is invalid', () => {
  const state = { ...DEFAULTS, q: ' blue ', status: 'ERROR', days: '1', f: 'engine is gpt-4o', sort: 'x', order: 'y' };
  expect(toSearch(state, NOW)).toEqual({
    q: 'blue',
    filter_group: {
      logic: 'AND',
      filters: [
        { field: 'engine', operator: 'is', value: 'gpt-4o' },
        OF_APPLICATIONS,
        { field: 'status', operator: 'is', value: 'ERROR' },
        { field: 'request_start_time', operator: 'after', value: '2026-05-27T12:00:00.000Z' },
      ],
    },
    sort_by: 'request_start_time',
    sort_order: 'desc',
    limit: 50,
    include_preview: true,
  });
  expect(toWanted({ ...DEFAULTS, status: 'odd', days: 'toString', from: 'x', to: 'y' }, NOW)).toEqual({
    filter_group: { logic: 'AND', filters: [OF_APPLICATIONS] },
  });
});

it('shows calls of applications, unless the URL says otherwise or names requests', () => {
  const wanted = (change: object) => toWanted({ ...DEFAULTS, ...change }, NOW).filter_group.filters;
  expect(wanted({ origin: 'all' })).toEqual([]);
  expect(wanted({ origin: 'all', env: 'eu' })).toEqual([{ field: 'environment', operator: 'is', value: 'eu' }]);
  expect(wanted({ origin: 'server' })).toEqual([{ field: 'origin', operator: 'is_not', value: 'application' }]);
  expect(wanted({ origin: 'odd' })).toEqual([OF_APPLICATIONS]);
  expect(wanted({ f: 'pl_id is 7' })).toEqual([{ field: 'pl_id', operator: 'is', value: '7' }]);
  expect(describeFilters({ ...DEFAULTS, origin: 'server', env: 'eu' })).toEqual([
    'the origin “This server”',
    'the environment “eu”',
  ]);
});

it('is judged in its scope, and in every origin where a condition names requests', () => {
  const origins = (change: object) => toTaken({ ...DEFAULTS, ...change }).origins;
  expect(origins({})).toEqual(['application']);
  expect(origins({ origin: 'server' })).toEqual(['evaluation', 'trial']);
  expect(origins({ f: 'origin is evaluation' })).toEqual(['application', 'evaluation', 'trial']);
});

it('takes the time of a bar without its end', () => {
  const state = { ...DEFAULTS, from: '2026-05-28T09:00:00Z', to: '2026-05-28T10:00:00Z' };
  expect(toWanted(state, NOW).filter_group.filters).toEqual([
    OF_APPLICATIONS,
    {
      field: 'request_start_time',
      operator: 'between',
      value: ['2026-05-28T09:00:00Z', '2026-05-28T09:59:59.999999Z'],
    },
  ]);
});

it('describes the filters, and the state without each condition', () => {
  const state = { ...DEFAULTS, q: 'a b', status: 'ERROR', days: '7', f: 'engine is gpt-4o\ncost gt 1' };
  expect(describeFilters(state)).toEqual([
    'the words “a b”',
    'the status “Failed”',
    'the time “Last 7 days”',
    'model is gpt-4o',
    'cost in dollars > 1',
  ]);
  expect(chipsOf(state).map(({ without }) => without)).toEqual([{ f: 'cost gt 1' }, { f: 'engine is gpt-4o' }]);
});

describe('the shape of a value', () => {
  const fits = (fieldClass: string, operator: string, value: string) =>
    // Browsers read the attribute `pattern` like this.
    new RegExp(`^(?:${shapeOfValue(fieldClass, operator).pattern})$`, 'v').test(value);

  it.each([
    ['number', 'gt', ['5', '-.5', '+1.', '2E-3'], ['', 'slow', '1,5', '1e', '.', '0x1f']],
    ['ordinal', 'between', ['1,2', '1.5 , 1e9'], ['1', '1,2,3', ',']],
    ['identifier', 'in', ['7', '7, 8,9'], ['', '7,', '7 8', 'a']],
    ['numbers', 'key_equals', ['0.5'], ['high']],
    ['datetime', 'is', ['2026-11-27', '2026-11-27T10:00:00.5Z', '1780000000'], ['yesterday', '27.11.2026']],
    ['datetime', 'between', ['2026-11-20, 2026-11-27'], ['2026-11-20', '2026-11-20 2026-11-27']],
  ])('restricts %s with %s', (fieldClass, operator, good, bad) => {
    for (const value of good) expect([value, fits(fieldClass, operator, value)]).toEqual([value, true]);
    for (const value of bad) expect([value, fits(fieldClass, operator, value)]).toEqual([value, false]);
  });

  it('leaves texts unrestricted', () => {
    expect(shapeOfValue('string', 'in')).toEqual({});
    expect(shapeOfValue('numbers', 'key_contains')).toEqual({});
  });
});
