import { describe, expect, it } from 'vitest';
import { readableJson } from './readable-json.js';

const CASES: [name: string, text: string, readable: string][] = [
  ['an object', '{"question": "\\u7533\\u8bf7"}', '{"question": "申请"}'],
  ['a list', '["\\u00e9t\\u00e9"]', '["été"]'],
  ['a string', '"\\u6771\\u4eac"', '"東京"'],
  ['a name', '{"\\u540d": 1}', '{"名": 1}'],
  ['a pair of surrogates', '["\\ud83d\\ude00"]', '["😀"]'],
  ['what HTML has to escape', '["\\u003cb\\u003e"]', '["<b>"]'],
  [
    'white space and numbers of any length',
    '{ "a" :12345678901234567890, "b": "\\u4e00" }',
    '{ "a" :12345678901234567890, "b": "一" }',
  ],
  ['JSON in JSON', JSON.stringify({ body: '{"q":"\\u7533"}' }), JSON.stringify({ body: '{"q":"申"}' })],
  [
    'JSON in JSON in JSON',
    JSON.stringify([JSON.stringify(['["\\u7533"]'])]),
    JSON.stringify([JSON.stringify(['["申"]'])]),
  ],
  ['what was cut off', '{"question": "\\u7533\\u8b', '{"question": "申\\u8b'],
  ['a quote, a backslash, a line break', '["\\u0022\\u005c\\u000a"]', '["\\u0022\\u005c\\u000a"]'],
  ['NUL and half a character', '["\\u0000\\ud83d"]', '["\\u0000\\ud83d"]'],
  ['a backslash before a u', '["C:\\\\u7533"]', '["C:\\\\u7533"]'],
  ['a pattern', '[\\u4e00-\\u9fa5]+', '[\\u4e00-\\u9fa5]+'],
  ['text', 'Escapes are written \\u7533.', 'Escapes are written \\u7533.'],
  ['nothing', '', ''],
];

describe('readableJson', () => {
  it.each(CASES)('reads %s', (_name, text, readable) => {
    expect(readableJson(text)).toBe(readable);
  });

  it('takes long texts', () => {
    const text = JSON.stringify(['\\u'.repeat(1_000_000), 'a'.repeat(1_000_000)]);
    expect(readableJson(text)).toBe(text);
  });
});
