import { expect, it } from 'vitest';
import { parseExactly, readExactly, valueOfText } from './exact-json';

it.each(['9007199254740993', '-9007199254740993', '{"a": [1, 123456789012345678901]}', '{"9": 9007199254740993}'])(
  'refuses %s, whose integer would be rounded',
  (text) => {
    expect(() => parseExactly(text)).toThrow(/^-?\d+ would be rounded: integers are exact only between/);
  },
);

it.each([
  '9007199254740991',
  '9007199254740992',
  '0.12345678901234567891',
  '1e300',
  '123456789012345680000',
  '"9007199254740993"',
  '"\\"", 1',
])('reads %s as JSON.parse does', (text) => {
  const read = (parse: (given: string) => unknown) => {
    try {
      return parse(text);
    } catch (error) {
      return (error as Error).name;
    }
  };
  expect(read(parseExactly)).toEqual(read(JSON.parse));
});

it('refuses numbers that a browser would make infinite', () => {
  expect(() => parseExactly('{"a": [1e400]}')).toThrow('1e400 is too large for a number.');
  expect(() => readExactly('+9007199254740993')).toThrow('would be rounded');
});

it('makes values of texts: only lists and objects are JSON', () => {
  expect(['[1, "a"]', '{"a": 1}', '9007199254740993', '[broken'].map(valueOfText)).toEqual([
    [1, 'a'],
    { a: 1 },
    '9007199254740993',
    '[broken',
  ]);
  expect(() => valueOfText('[9007199254740993]')).toThrow('would be rounded');
});
