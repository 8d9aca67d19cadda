import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Problem } from '../../platform/errors/problem.js';
import { type Comparable, type Filter, OPERATORS, parseFilter, parseValuePath } from './filter.js';

const path = fc.constantFrom(
  'userName',
  'name.givenName',
  'urn:ietf:params:scim:schemas:core:2.0:User:title',
  '$ref',
  'x-y_1',
);
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((each) => each.replaceAll('\0', '').toWellFormed());
const value = fc.oneof<fc.Arbitrary<Comparable>[]>(
  text,
  fc.constantFrom('and', ') or (', '"', '\\', 'not ('),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const simple: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('present' as const), path }),
  fc.record({ kind: fc.constant('compare' as const), path, operator: fc.constantFrom(...OPERATORS), value }),
);

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    simple,
    fc.record({ kind: fc.constant('not' as const), part: tie('filter') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('item' as const), path, filter: tie('filter') }),
  ),
}));

/** With brackets around every group. */
function written(each: Filter): string {
  switch (each.kind) {
    case 'present':
      return `${each.path} pr`;
    case 'compare':
      return `${each.path} ${each.operator} ${JSON.stringify(each.value)}`;
    case 'not':
      return `not (${written(each.part)})`;
    case 'item':
      return `${each.path}[${written(each.filter)}]`;
    default:
      return each.parts.map((part) => `(${written(part)})`).join(` ${each.kind} `);
  }
}

it('parses a written filter into the same filter', () => {
  fc.assert(
    fc.property(filter, (each) => {
      expect(parseFilter(written(each))).toEqual(each);
    }),
  );
});

it('refuses any other text quickly with its own error', () => {
  const pieces = fc.array(
    fc.constantFrom('(', ')', '[', ']', 'not', 'and', 'or', 'eq', 'pr', 'a', '"a"', '"', '1', '.b', ' '),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        pieces.map((some) => some.join(' ')),
      ),
      (each) => {
        for (const parse of [parseFilter, parseValuePath]) {
          try {
            parse(each);
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
          }
        }
      },
    ),
  );
});

it('binds "and" closer than "or", and reads words in any letter case', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ kind: 'present', path: name }));
  expect(parseFilter('a PR Or b pr AND c pr')).toEqual({ kind: 'or', parts: [a, { kind: 'and', parts: [b, c] }] });
});
