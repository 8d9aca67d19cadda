import { expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import { judgementsIn } from './judgements.js';

it.each<[JsonValue, unknown[]]>([
  [true, []],
  [null, []],
  [[{ judgements: [true] }], []],
  [{ 'Is it?': { value: true, reasoning: 'r' } }, []],
  [
    { 'Is it?': { value: true, judgements: [true, false] }, 'Is that?': { value: true, judgements: [true] } },
    [[true, false], [true]],
  ],
  [{ value: 'good', judgements: ['good', 'bad'] }, [['good', 'bad']]],
  [{ 'Is it?': { judgements: 'often' }, 'Is that?': { judgements: [{}] } }, []],
])('in %j are %j', (result, judgements) => {
  expect(judgementsIn(result)).toEqual(judgements);
});
