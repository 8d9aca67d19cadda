import { expect, it } from 'vitest';
import { answerOf } from './answers';

const human = (config: Record<string, unknown>) => ({ type: 'HUMAN', config }) as never;

it.each([
  ['4', 4],
  [' -3.5 ', -3.5],
  ['1e3', 1000],
  ['.5', 0.5],
  ['four', 'four'],
  ['0x10', '0x10'],
  [' ', null],
  [null, null],
])('makes %j a number where a person is asked for one: %j', (text, value) => {
  expect(answerOf(human({ data_type: 'number' }), text)).toBe(value);
  expect(answerOf(human({ input_type: 'numeric' }), text)).toBe(value);
});

it('keeps every other text', () => {
  expect(answerOf(human({ data_type: 'string' }), '4')).toBe('4');
  expect(answerOf({ type: 'TEXT', config: {} } as never, '4')).toBe('4');
  expect(answerOf(undefined, '4')).toBe('4');
});

it.each(['9007199254740993', '-9007199254740993', '1e400'])('refuses %s, which would be another number', (text) => {
  expect(() => answerOf(human({ data_type: 'number' }), text)).toThrow(RangeError);
  expect(answerOf(human({ data_type: 'string' }), text)).toBe(text);
});
