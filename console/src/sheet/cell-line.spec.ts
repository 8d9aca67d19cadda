import { expect, it } from 'vitest';
import { cellLine, isNumber, mayBeCut } from './cell-line';

it.each([
  [null, 'text', ''],
  ['a\n b', 'text', 'a b'],
  ['true', 'text', 'true'],
  ['true', 'boolean', '✓ yes'],
  ['false', 'json', '– no'],
  ['[{"role": "user", "content": "Say \\"hi\\"\\nnow"}]', 'text', 'user: Say "hi" now'],
  ['[{"role": "user", "content": [{"type": "text", "text": "Hello wor', 'json', 'user: Hello wor'],
  ['[{"a": 1}]', 'json', '[{"a": 1}]'],
  ['{"a": 1}', 'json', '{"a": 1}'],
  [
    '{"Is it \\"short\\"?": {"value": true, "citation": "a, b", "reasoning": "x"}, "Is it kind?": {"value": false, "cita',
    'json',
    '✓ Is it "short"? ✗ Is it kind?',
  ],
])('shows %j of %s as %j', (text, output, line) => expect(cellLine(text, output)).toBe(line));

it('knows numbers, and texts whose end may be missing', () => {
  expect(['12', '-0.5', '1e9', '', '1,5', 'x', null].map(isNumber)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect([null, 'x', '…', 'x'.repeat(200), '🙂'.repeat(100), '🙂'.repeat(200)].map(mayBeCut)).toEqual([
    false,
    false,
    true,
    true,
    false,
    true,
  ]);
});
