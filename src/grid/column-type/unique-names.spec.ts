import { expect, it } from 'vitest';
import { uniqueNames } from './unique-names.js';

it.each([
  [
    ['A', 'B'],
    ['A', 'B'],
  ],
  [
    ['A', 'A', 'A'],
    ['A', 'A (2)', 'A (3)'],
  ],
  [
    ['A', 'A (2)', 'A'],
    ['A', 'A (2)', 'A (3)'],
  ],
  [
    ['__proto__', '__proto__'],
    ['__proto__', '__proto__ (2)'],
  ],
])('numbers titles that were there before: %j', (titles, names) => {
  expect(uniqueNames(titles)).toEqual(names);
});
