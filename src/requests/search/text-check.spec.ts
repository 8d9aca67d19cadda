import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { parseTextQuery } from '../../words/index.js';
import { parseRequestFilter } from '../shared/request-filters.js';
import { matchesText } from './text-check.js';
import { textsRequiredBy } from './text-filters.js';

const base = { input_variables: [], template_format: 'f-string' as const };
const completion = (text: string): Prompt => ({ ...base, type: 'completion', content: [{ type: 'text', text }] });
const call = (input: string, output = '') => ({ input: completion(input), output: completion(output) });

describe('a text query', () => {
  it.each([
    ['hel wor', true],
    ['world hello', true],
    ['ello', false],
    ['"hello, world"', true],
    ['"hello world"', false],
    ['"lo, world"', false],
    ['"lo, world" lo', false],
    ['", wor"', true],
    ['"声 there"', false],
    ['hello there', true],
    ['hello nobody', false],
    ['!', true],
    ['?', false],
  ])('%j matches by words and phrases: %s', (q, expected) => {
    expect(matchesText(parseTextQuery(q)!, call('Hello, World!', 'there'))).toBe(expected);
  });

  it('finds words beyond those an index entry can hold', () => {
    const many = Array.from({ length: 25_000 }, (_, index) => `w${index}`).join(' ');
    expect(matchesText(parseTextQuery('w24999 the')!, call(many, 'the end'))).toBe(true);
    expect(matchesText(parseTextQuery('w25001')!, call(many, 'the end'))).toBe(false);
  });
});

describe('the texts of a filter', () => {
  it('are looked for only where a condition must be fulfilled', () => {
    const leaf = { field: 'input_text', operator: 'contains', value: 'some 100% sure' };
    const owl = { ...leaf, operator: 'ends_with', value: ' owl' };
    const other = { ...leaf, field: 'thinking_text' };
    const either = (...filters: object[]) => ({ logic: 'OR', filters });
    const textsOf = (group: object) => textsRequiredBy(parseRequestFilter(group, [])!);
    expect(textsOf({ filters: [leaf, other] })).toEqual(['some 100% sure']);
    expect(textsOf({ filters: [{ ...leaf, operator: 'not_contains' }] })).toEqual([]);
    expect(textsOf(either(leaf, owl))).toEqual(['some 100% sure', ' owl']);
    expect(textsOf(either(leaf, other))).toEqual([]);
  });
});
