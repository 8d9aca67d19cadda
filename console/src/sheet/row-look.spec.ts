import { describe, expect, it } from 'vitest';
import { type Condition, describeCondition, filterOf, isSelecting, readConditions, writeConditions } from './row-look';

const condition = (part: Partial<Condition>): Condition => ({
  column: 'a',
  test: 'contains',
  value: '',
  to: '',
  ...part,
});
const NONE = { status: '', where: '', sort: '', order: 'asc' };

describe('conditions in a URL', () => {
  it('are read as they were written', () => {
    const all = [
      condition({ value: 'a "b" ] & ü' }),
      condition({ test: 'between', value: '1', to: '2' }),
      condition({ test: 'between', to: '2' }),
      condition({ test: 'failed' }),
    ];
    expect(readConditions(writeConditions(all))).toEqual(all);
    expect(writeConditions([])).toBe('');
  });

  it.each([
    'x',
    '{}',
    '[1]',
    '[[1,"is","x"]]',
    '[["a","toString","x"]]',
    '[["a","is"]]',
    '[["a","between","x"]]',
    '[["","failed"]]',
  ])('are ignored when they are invalid: %s', (text) => {
    expect(readConditions(text)).toEqual([]);
    expect(filterOf({ ...NONE, where: text })).toBeNull();
  });
});

describe('the filter of conditions', () => {
  it('asks for values, verdicts and states of the column', () => {
    const where = writeConditions([
      condition({ value: 'x' }),
      condition({ test: 'between', value: '0.5', to: ' ' }),
      condition({ test: 'no' }),
      condition({ test: 'waiting' }),
      condition({ test: 'empty' }),
    ]);
    expect(filterOf({ status: 'stale', where })).toEqual({
      logic: 'AND',
      filters: [
        { field: 'cell_status', operator: 'is', value: 'stale' },
        { field: 'a', operator: 'contains', value: 'x' },
        { field: 'a', operator: 'gte', value: 0.5 },
        { field: 'cell_verdict', nested_key: 'a', operator: 'is', value: 'no' },
        { field: 'cell_status', nested_key: 'a', operator: 'in', value: ['queued', 'running'] },
        { field: 'a', operator: 'is_empty' },
      ],
    });
  });

  it('is null without conditions, and a sort alone selects too', () => {
    expect(filterOf(NONE)).toBeNull();
    expect(isSelecting(NONE)).toBe(false);
    expect(isSelecting({ ...NONE, sort: 'a' })).toBe(true);
  });
});

it('conditions are described with the title of their column', () => {
  expect(describeCondition(condition({ value: 'two\nlines' }), 'Answer')).toBe('Answer contains “two lines”');
  expect(describeCondition(condition({ test: 'between', value: '3' }), 'Length')).toBe('Length is at least 3');
  expect(describeCondition(condition({ test: 'between', to: '3' }), 'Length')).toBe('Length is at most 3');
  expect(describeCondition(condition({ test: 'no' }), 'Judge')).toBe('Judge is no');
});
