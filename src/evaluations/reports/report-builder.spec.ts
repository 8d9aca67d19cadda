import { describe, expect, it } from 'vitest';
import { inOrder, requireNewNames } from './report-builder.js';

const columns = (positions: Record<string, number | null>) =>
  Object.entries(positions).map(([name, position]) => ({ name, position }));

describe('the order of columns that are created together', () => {
  it.each([
    ['as they are given', { a: null, b: null, c: null }, 'a b c'],
    ['by their positions', { a: 4, b: 2, c: 3 }, 'b c a'],
    ['counted from one', { a: 3, b: 4, c: 5 }, 'a b c'],
    ['beyond the end', { a: 100, b: 1000 }, 'a b'],
    ['those without a position last', { a: null, b: 2 }, 'b a'],
    ['two with one position: the later one moves the other', { a: 2, b: 2 }, 'b a'],
    ['none', {}, ''],
  ])('%s', (_, positions, order) => {
    expect(
      inOrder(2, columns(positions))
        .map(({ name }) => name)
        .join(' '),
    ).toBe(order);
  });

  it('refuses a position among the columns of the dataset', () => {
    expect(() => inOrder(2, columns({ a: null, b: 1 }))).toThrow('dataset columns');
  });
});

describe('the names of columns', () => {
  it.each([
    ['a column of the dataset', ['question'], ['question']],
    ['another new one', [], ['Score', 'Score']],
    ['the same letters in another form', ['caf\u00e9'], ['cafe\u0301']],
  ])('differ from %s', (_, taken, names) => {
    expect(() =>
      requireNewNames(
        taken,
        names.map((name) => ({ name })),
      ),
    ).toThrow('already has a column with that name');
  });

  it('may differ only in letter case', () => {
    expect(() => requireNewNames(['question'], [{ name: 'Question' }, { name: 'score' }])).not.toThrow();
  });
});
