import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { ApplyDiffColumnType } from './apply-diff.column-type.js';
import { CoalesceColumnType } from './coalesce.column-type.js';
import { cellOf, endSandbox, listed, parsed } from './column-types.fixture.js';
import { CombineColumnsColumnType } from './combine-columns.column-type.js';
import { JsonPathColumnType } from './json-path.column-type.js';
import { ParseValueColumnType } from './parse-value.column-type.js';
import { RegexExtractionColumnType } from './regex-extraction.column-type.js';
import { XmlPathColumnType } from './xml-path.column-type.js';

afterAll(endSandbox);

const failing = (reason: string) => ({ error: expect.stringContaining(reason) as string });

describe('JSON_PATH', () => {
  it.each<[string, JsonObject, JsonValue]>([
    ['first match of JSON text', { source: '{"a":[1,2]}', json_path: '$.a[*]' }, 1],
    ['first match of an object', { source: { a: { b: null } }, json_path: '$.a' }, { b: null }],
    ['all matches', { source: '{"a":[1,2]}', json_path: '$.a[*]', return_first_match: false }, [1, 2]],
    ['no match', { source: '{}', json_path: '$.a' }, null],
    ['no match among all', { source: '{}', json_path: '$.a', return_first_match: false }, []],
    ['a blank source has no match', { source: null, json_path: '$.a' }, null],
    ['a path without root', { source: '{"a":{"b":3}}', json_path: 'a.b' }, 3],
    ['a filter with a pattern', { source: '[{"n":"ab"},{"n":"b"}]', json_path: '$[?match(@.n, "b.?")].n' }, 'b'],
    ['a part of a text', { source: '["xax"]', json_path: '$[?search(@, "a")]' }, 'xax'],
    ['what is no pattern matches nothing', { source: '["a"]', json_path: '$[?search(@, "(")]' }, null],
    ['a number', { source: 7, json_path: '$' }, 7],
  ])('%s', async (_, config, value) => expect(await cellOf(JsonPathColumnType, config)).toEqual({ value }));

  it('fails on invalid JSON', async () => {
    expect(await cellOf(JsonPathColumnType, { source: 'hello', json_path: '$' })).toEqual(failing('not valid JSON'));
    const deep = '['.repeat(1000) + ']'.repeat(1000);
    expect(await cellOf(JsonPathColumnType, { source: deep, json_path: '$' })).toEqual(failing('deeper than 64'));
  });

  it('accepts the earlier form and rejects invalid paths', () => {
    const config = { source: 'A', path: '$.a', return_all: true };
    expect(parsed(JsonPathColumnType, config)).toEqual({ source: 'A', json_path: '$.a', return_first_match: false });
    expect(() => parsed(JsonPathColumnType, { source: 'A', json_path: '$..[' })).toThrow('not a valid JSONPath');
    expect(() => parsed(JsonPathColumnType, { source: 'A' })).toThrow('json_path is required');
  });
});

describe('XML_PATH', () => {
  const source = '<r xmlns:x="u:x"><a n="1">one <b>two</b></a><a n="2">three</a><x:c>four</x:c></r>';
  it.each<[string, JsonObject, JsonValue]>([
    ['the text of the first', { xml_path: '//a' }, 'one two'],
    ['of all', { xml_path: '//a', type: 'findall' }, ['one two', 'three']],
    ['from the root element', { xml_path: 'a[2]' }, 'three'],
    ['absolute', { xml_path: '/r/a/b' }, 'two'],
    ['XML', { xml_path: '//b', return_text: false }, '<b>two</b>'],
    ['an attribute', { xml_path: 'a/@n', type: 'findall' }, ['1', '2']],
    ['an attribute as XML', { xml_path: 'a/@n', return_text: false }, 'n="1"'],
    ['a prefix of the document', { xml_path: '//x:c' }, 'four'],
    ['a number', { xml_path: 'count(//a)' }, 2],
    ['text nodes', { xml_path: '//a[1]/text()' }, 'one '],
    ['in the order of the document', { xml_path: '//b | //a', type: 'findall' }, ['one two', 'two', 'three']],
    ['no match', { xml_path: '//z' }, null],
    ['no match among all', { xml_path: '//z', type: 'findall' }, []],
  ])('%s', async (_, config, value) => {
    expect(await cellOf(XmlPathColumnType, { source, ...config })).toEqual({ value });
  });

  it('finds names in a default namespace', async () => {
    const config = { source: '<r xmlns="u:x"><a>1</a></r>', xml_path: '//a' };
    expect(await cellOf(XmlPathColumnType, config)).toEqual({ value: '1' });
  });

  const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(100)}">]><l>&b;</l>`;
  it.each<[string, JsonValue, string, JsonValue | { error: string }]>([
    ['a blank source', null, '//a', { value: null }],
    ['broken XML', '<a><b></a>', '//a', failing('not valid XML')],
    ['text', 'hello', '//a', failing('not valid XML')],
    ['a document type', laughs, '//l', failing('XML')],
    ['a harmless document type', '<!DOCTYPE html><html/>', '/html', failing('DOCTYPE')],
    ['an unknown prefix', '<a/>', '//q:a', failing('could not be evaluated')],
    ['an unknown function', '<a/>', 'nope()', failing('could not be evaluated')],
  ])('%s', async (_, given, xml_path, expected) => {
    expect(await cellOf(XmlPathColumnType, { source: given, xml_path })).toEqual(expected);
  });

  it('accepts the earlier form and rejects invalid paths', () => {
    const config = { source: 'A', xpath: '//a', return_all: true };
    expect(parsed(XmlPathColumnType, config)).toEqual({ source: 'A', xml_path: '//a', type: 'findall' });
    expect(() => parsed(XmlPathColumnType, { source: 'A', xml_path: '//[' })).toThrow('not a valid XPath');
  });
});

describe('REGEX_EXTRACTION', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['\\d+', 'a1 b22', ['1', '22']],
    ['#(\\d+)', '#1 and #22', ['1', '22']],
    [
      '(\\w)=(\\d)?',
      'a=1 b=',
      [
        ['a', '1'],
        ['b', ''],
      ],
    ],
    ['x', 'abc', []],
    ['x', null, []],
    ['x*', 'axb', ['', 'x', '', '']],
  ])('%s in %j', async (regex_pattern, source, value) => {
    expect(await cellOf(RegexExtractionColumnType, { regex_pattern, source })).toEqual({ value });
  });

  it('can take one group of each match', async () => {
    const config = { regex_pattern: '(\\w)=(\\d)', source: 'a=1 b=2' };
    expect(await cellOf(RegexExtractionColumnType, { ...config, group: 2 })).toEqual({ value: ['1', '2'] });
    expect(await cellOf(RegexExtractionColumnType, { ...config, group: 0 })).toEqual({ value: ['a=1', 'b=2'] });
  });

  it('fails on too many matches', async () => {
    const config = { regex_pattern: 'a', source: 'a'.repeat(100_001) };
    expect(await cellOf(RegexExtractionColumnType, config)).toEqual(failing('more than 100000 matches'));
  });

  it('rejects a group that does not exist', () => {
    expect(() => parsed(RegexExtractionColumnType, { source: 'A', pattern: '(a)', group: 2 })).toThrow('no group 2');
  });
});

describe('PARSE_VALUE', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['string', 5, '5'],
    ['string', null, ''],
    ['string', { a: 1 }, '{"a":1}'],
    ['number', ' 1.50 ', 1.5],
    ['number', '-2e3', -2000],
    ['boolean', 'Yes', true],
    ['boolean', 0, false],
    ['boolean', 'FALSE', false],
    ['boolean', true, true],
    ['object', '{"a":[1]}', { a: [1] }],
    ['object', '[1]', [1]],
    ['object', { a: 1 }, { a: 1 }],
  ])('%s of %j', async (type, source, value) => {
    expect(await cellOf(ParseValueColumnType, { type, source })).toEqual({ value });
  });

  it.each<[string, JsonValue, string]>([
    ['number', 'five', 'not a number: "five"'],
    ['number', true, 'not a number'],
    ['number', '', 'it is empty'],
    ['number', '1e999', 'not a number'],
    ['boolean', 'maybe', 'neither true nor false: "maybe"'],
    ['boolean', null, 'it is empty'],
    ['object', '5', 'no JSON object or list'],
    ['object', '{', 'not valid JSON'],
  ])('%s of %j fails', async (type, source, reason) => {
    expect(await cellOf(ParseValueColumnType, { type, source })).toEqual(failing(reason));
  });

  it('knows json as another word, and the earlier key', () => {
    expect(parsed(ParseValueColumnType, { source: 'A', target_type: 'json' })).toMatchObject({ type: 'object' });
  });
});

describe('COALESCE', () => {
  const first = (...sources: JsonValue[]) =>
    cellOf(CoalesceColumnType, { sources }, listed(['Text', true], ['Computed'], ['Last']));

  it('is the first value; an empty text cell has none', async () => {
    expect(await first(null, 0, 1)).toEqual({ value: 0 });
    expect(await first('', '', 1)).toEqual({ value: '' });
    expect(await first('a', 'b', 1)).toEqual({ value: 'a' });
    expect(await first('', null, null)).toEqual({ value: null });
  });
});

describe('COMBINE_COLUMNS', () => {
  const combined = (config: JsonObject, ...titles: string[]) =>
    cellOf(CombineColumnsColumnType, config, listed(...titles.map((title): [string] => [title])));

  it.each<[string, JsonObject, string[], JsonValue]>([
    ['an object by title', { sources: ['a', 1, null] }, ['A', 'B', 'C'], { A: 'a', B: 1, C: null }],
    ['titles that repeat', { sources: [1, 2] }, ['A', 'A'], { A: 1, 'A (2)': 2 }],
    ['joined texts', { sources: ['a', 1, null, { b: 2 }], separator: ', ' }, ['A', 'B', 'C', 'D'], 'a, 1, , {"b":2}'],
    ['a format', { sources: ['a', 1], format: '{B}: {A} {A}!' }, ['A', 'B'], '1: a a!'],
    ['values are not formats', { sources: ['{B}', '$&'], format: '{A}{B}' }, ['A', 'B'], '{B}$&'],
  ])('%s', async (_, config, titles, value) => expect(await combined(config, ...titles)).toEqual({ value }));

  it('keeps titles with a meaning in JavaScript', async () => {
    expect(JSON.stringify(await combined({ sources: [1] }, '__proto__'))).toBe('{"value":{"__proto__":1}}');
  });

  it('fails on a format with an unknown title', async () => {
    expect(await combined({ sources: [1], format: '{B}' }, 'A')).toEqual(failing('"B", which is none of the sources'));
  });
});

describe('APPLY_DIFF', () => {
  const apply = (content_source: JsonValue, diff_source: JsonValue) =>
    cellOf(ApplyDiffColumnType, { content_source, diff_source });
  const header = '--- a\n+++ b\n';

  it.each<[string, string, string, string]>([
    ['one hunk', 'a\nb\nc\n', `${header}@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n`, 'a\nx\nc\n'],
    [
      'several hunks',
      '1\n2\n3\n4\n5\n6\n7\n8\n',
      `${header}@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -7,2 +7,3 @@\n 7\n 8\n+9\n`,
      'one\n2\n3\n4\n5\n6\n7\n8\n9\n',
    ],
    ['an empty diff', 'a', '', 'a'],
    ['an addition to nothing', '', `${header}@@ -0,0 +1,1 @@\n+a\n`, 'a\n'],
  ])('%s', async (_, text, diff, value) => expect(await apply(text, diff)).toEqual({ value }));

  it.each<[string, JsonValue, string, string]>([
    ['lines that are not there', 'x\ny\n', `${header}@@ -1,2 +1,2 @@\n a\n-b\n+c\n`, 'does not fit the text'],
    ['a context that differs', 'a\nb\nz\n', `${header}@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n`, 'does not fit the text'],
    ['a wrong count of lines', 'a\n', `${header}@@ -1,5 +1,1 @@\n a\n`, 'cannot be read'],
    ['no diff at all', 'a\n', 'please change a to b', '"@@" lines'],
    [
      'several files',
      'a\n',
      `${header}@@ -1,1 +1,1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1,1 +1,1 @@\n-a\n+b\n`,
      'several files',
    ],
  ])('fails on %s', async (_, text, diff, reason) => expect(await apply(text, diff)).toEqual(failing(reason)));

  it('takes earlier forms', () => {
    const today = { content_source: 'A', diff_source: 'B' };
    expect(parsed(ApplyDiffColumnType, { original_source: 'A', diff_source: 'B' })).toEqual(today);
    expect(parsed(ApplyDiffColumnType, { sources: ['A', 'B'] })).toEqual(today);
  });
});
