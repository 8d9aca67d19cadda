import { expect, it } from 'vitest';
import { formOf, readArguments } from './arguments';

it('makes a form of parameters with fields', () => {
  const inner = { type: 'object', properties: { y: { type: ['string', 'null'] } } };
  const parameters = { type: 'object', properties: { x: { anyOf: [{ type: 'integer' }, inner] } }, required: ['x'] };
  expect(formOf(parameters)).toBe(parameters);
});

it.each([
  null,
  'object',
  [],
  {},
  { properties: {} },
  { properties: null },
  { properties: { x: null } },
  { properties: { x: { properties: { y: 7 } } } },
  { properties: { x: { anyOf: 'string' } } },
  { properties: { x: { enum: 'a' } } },
  { properties: { x: {} }, required: 1 },
])('makes none of %j', (parameters) => {
  expect(formOf(parameters)).toBeNull();
});

it('reads arguments as JSON', () => {
  expect(readArguments('')).toEqual({});
  expect(readArguments('{"a": [1]}')).toEqual({ a: [1] });
  for (const text of ['[1]', 'null', '"a"', '{']) expect(() => readArguments(text)).toThrow('JSON object');
});
