import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonInText } from './json-in-text.js';
import type { JsonValue } from './json.js';
import { isObject } from './json.js';

const LIMITS = { depth: 64, containers: 1_000_000 };
const read = (text: string, accepts?: (value: JsonValue) => boolean) => jsonInText(text, { limits: LIMITS, accepts });
const VERDICT = '{"reasoning": "r", "value": true}';
const READ = { reasoning: 'r', value: true };

describe('the JSON in a text', () => {
  it.each<[string, string]>([
    ['alone', VERDICT],
    ['in a block of code', `\`\`\`json\n${VERDICT}\n\`\`\``],
    ['in a block of code on one line', `\`\`\`${VERDICT}\`\`\``],
    ['in a block that is not closed', `\`\`\`json\n${VERDICT}`],
    ['in a block after a sentence', `Here is my verdict:\n\n\`\`\`json\n${VERDICT}\n\`\`\``],
    ['in a block before a sentence', `\`\`\`\n${VERDICT}\n\`\`\`\nTell me {more} [if] you need.`],
    ['between sentences', `Well [sic]: ${VERDICT} {that is all}.`],
    ['after thoughts in tags', `<think>\nMaybe {"value": false}?\n</think>\n\n${VERDICT}`],
    ['after thoughts whose first tag is missing', `Maybe {"value": false}?</think>${VERDICT}`],
    ['as Python writes it', `{'reasoning': 'r', 'value': True,}`],
    ['twice the same', `${VERDICT}\n${VERDICT}`],
  ])('is read %s', (_, text) => {
    expect(read(text)).toEqual(READ);
  });

  it.each<[string, string]>([
    ['two that differ', `${VERDICT}\n${VERDICT.replace('true', 'false')}`],
    ['one that is cut off', '{"reasoning": "r", "value": tr'],
    ['one that is cut off and holds another', '{"reasoning": {"value": true}, "more": ['],
    ['a word that is none', '{"value": undefined}'],
    ['no number', '{"value": NaN}'],
    ['a number that nothing holds', '{"value": 1e400}'],
    ['a placeholder', 'Dear {name}, [see below]'],
    ['nothing', ''],
  ])('is not read where there is %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is the requested JSON', () => {
    const text = `[1] says so: ${VERDICT}`;
    expect(read(text)).toBeUndefined();
    expect(read(text, isObject)).toEqual(READ);
    expect(read(text, Array.isArray)).toEqual([1]);
  });

  it('may hold line breaks, quotes and tags in its texts', () => {
    expect(read('{"a": "one\ntwo\t"}')).toEqual({ a: 'one\ntwo\t' });
    expect(read(`{'a': 'it\\'s "so"', "b": "it's", 'c': '\\\\'}`)).toEqual({ a: `it's "so"`, b: "it's", c: '\\' });
    expect(read('{"a": "</think>"}')).toEqual({ a: '</think>' });
    expect(read('{"a": 12345678901234567890}')).toEqual({ a: 12345678901234567890n });
  });

  it('is any JSON in any surroundings', () => {
    const container = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    const prose = fc.stringMatching(/^[a-zA-Z .,!?'\n]{0,40}$/);
    fc.assert(
      fc.property(container, prose, prose, (value, before, after) => {
        const json = JSON.stringify(value);
        expect(JSON.stringify(read(`${before}${json}${after}`))).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });

  it.each<[string, string]>([
    ['opening brackets', '[1,'.repeat(100_000)],
    ['brackets before what is none', `${'[1,'.repeat(60)}!`.repeat(20_000)],
    ['thoughts without an end', '<think>'.repeat(300_000)],
    ['backticks', '`'.repeat(1_000_000)],
    ['quotes', `["${'\\"'.repeat(500_000)}`],
  ])('is looked for in proportion to the text: %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });
});
