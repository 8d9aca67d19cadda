import { expect, it } from 'vitest';
import { judgementsOf } from './judgements';

const judgement = { value: true, reasoning: 'It greets.' };

it('finds the answer of a judge to each question', () => {
  const value = {
    'Is it kind?': judgement,
    'Is it short?': { ...judgement, citation: 'Hi', judgements: [true, false] },
  };
  expect(judgementsOf(value)).toEqual(Object.entries(value));
});

it.each([
  [null],
  ['text'],
  [true],
  [[]],
  [[judgement]],
  [{}],
  [{ a: 1 }],
  [{ a: { value: 'yes', reasoning: 'x' } }],
  [{ a: { value: true } }],
  [{ a: judgement, b: null }],
  [{ a: { ...judgement, citation: { x: 1 } } }],
  [{ a: { ...judgement, judgements: 2 } }],
])('finds none in %j', (value) => expect(judgementsOf(value)).toEqual([]));
