import { expect, it } from 'vitest';
import { prettyRepr } from './pretty.js';
import type { Value } from './values.js';

const dict = (entries: Record<string, Value>): Value => new Map(Object.entries(entries));

it('has the keys of a dict in order, on one line where that is short', () => {
  expect(prettyRepr(dict({ b: 1n, a: [2n, dict({ d: 'x', c: null })] }))).toBe(
    "{'a': [2, {'c': None, 'd': 'x'}], 'b': 1}",
  );
});

it('has an entry a line where a line would be longer than 80 characters', () => {
  const long = 'x'.repeat(40);
  expect(prettyRepr(dict({ b: long, a: [long, dict({ d: long, c: 1n })] }))).toBe(
    [`{'a': ['${long}',`, `       {'c': 1, 'd': '${long}'}],`, ` 'b': '${long}'}`].join('\n'),
  );
});
