import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.js';
import { canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  // The right side was written by json.dumps(json.loads(left), sort_keys=True) of Python 3.11.
  it.each<[string, string]>([
    ['null', 'null'],
    ['true', 'true'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['0', '0'],
    ['-1', '-1'],
    ['1.5', '1.5'],
    ['123456789012', '123456789012'],
    ['0.1', '0.1'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['1.5e-7', '1.5e-07'],
    ['-2.5e-10', '-2.5e-10'],
    ['1e-300', '1e-300'],
    ['1e21', '1e+21'],
    ['1.5e300', '1.5e+300'],
    ['9007199254740991', '9007199254740991'],
    ['"plain"', '"plain"'],
    [
      '"quote \\" backslash \\\\ slash / tab \\t newline \\n return \\r bell \\u0007 feed \\f back \\b delete \\u007f"',
      '"quote \\" backslash \\\\ slash / tab \\t newline \\n return \\r bell \\u0007 feed \\f back \\b delete \\u007f"',
    ],
    ['"Gr\u00fc\u00dfe \u2713 \u2028 \ud83c\udf89"', '"Gr\\u00fc\\u00dfe \\u2713 \\u2028 \\ud83c\\udf89"'],
    ['[1,2,[true,null]]', '[1, 2, [true, null]]'],
    [
      '{"b":{"d":1,"c":[{"z":0,"a":"x"}]},"a":"1, 2: 3","B":null,"":0,"10":1,"9":2}',
      '{"": 0, "10": 1, "9": 2, "B": null, "a": "1, 2: 3", "b": {"c": [{"a": "x", "z": 0}], "d": 1}}',
    ],
    ['{"\uffee":1,"\ud83c\udf89":2,"\u00e9":3,"z":4}', '{"z": 4, "\\u00e9": 3, "\\uffee": 1, "\\ud83c\\udf89": 2}'],
  ])('writes %s as Python does', (given, expected) => {
    expect(canonicalJson(JSON.parse(given) as JsonValue)).toBe(expected);
  });
});
