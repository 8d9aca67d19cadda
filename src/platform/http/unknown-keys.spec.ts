import { expect, it } from 'vitest';
import { nearestName, unknownKeyMessage, unknownKeys } from './unknown-keys.js';

const SEARCH = ['filter_group', 'q', 'sort_by', 'sort_order', 'page', 'per_page', 'cursor', 'limit'];

it.each([
  ['filters', 'filter_group'],
  ['filter', 'filter_group'],
  ['filterGroup', 'filter_group'],
  ['FILTER_GROUP', 'filter_group'],
  ['flter_group', 'filter_group'],
  ['query', 'q'],
  ['sort', 'sort_by'],
  ['sortOrder', 'sort_order'],
  ['page_size', 'page'],
  ['perpage', 'per_page'],
  ['next_cursor', 'cursor'],
  ['limits', 'limit'],
  ['where', null],
  ['', null],
  ['名前', null],
  ['__proto__', null],
])('suggests the probable name for %j: %j', (name, nearest) => {
  expect(nearestName(name, SEARCH)).toBe(nearest);
});

it('lists all known keys when none is similar', () => {
  expect(unknownKeyMessage('where', ['logic', 'filters'])).toBe(
    'Extra inputs are not permitted. The known keys are logic, filters.',
  );
});

it('locates each unknown key, for a limited number of keys', () => {
  expect(unknownKeys(['q', 'limits'], SEARCH, ['body'])).toEqual([
    {
      loc: ['body', 'limits'],
      msg: 'Extra inputs are not permitted. Did you mean "limit"?',
      type: 'extra_forbidden',
    },
  ]);
  const many = Array.from({ length: 100_000 }, (_, index) => `key ${index}`);
  expect(unknownKeys(many, SEARCH, ['body'])).toHaveLength(20);
});
