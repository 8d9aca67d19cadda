import { describe, expect, it } from 'vitest';
import { asksForIds, requirementsOf, testsColumns } from './requirements.js';
import { readTraceQuery } from './trace-conditions.js';

const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const both = (...filters: object[]) => ({ logic: 'AND', filters });
const either = (...filters: object[]) => ({ logic: 'OR', filters });
const ofSpan = (...filters: object[]) => ({ logic: 'SPAN_AND', filters });
const groupOf = (filterGroup: object) => readTraceQuery({ filterGroup }).group!;

const trace = leaf('trace_id', 'is', 'a');
const span = leaf('span_id', 'in', ['a', 'b']);
const tool = leaf('span_tool_name', 'is', 'a');
const slow = leaf('span_duration_ms', 'gt', 5);
const long = leaf('trace_duration_ms', 'gt', 5);

describe('a group', () => {
  it.each([
    [true, both(trace, long)],
    [true, both(long, either(trace, span))],
    [true, ofSpan(tool, span)],
    [false, either(trace, long)],
    [false, both(leaf('trace_id', 'is_not', 'a'))],
    [false, both(leaf('span_id', 'not_in', ['a']))],
    [false, both(tool, ofSpan(tool, slow))],
    [false, both()],
    [false, either()],
  ])('asks for ids: %s', (asks, group) => {
    expect(asksForIds(groupOf(group))).toBe(asks);
  });

  it.each([
    [true, both(ofSpan(tool, slow), long)],
    [true, both(ofSpan(tool, slow), either(leaf('trace_start', 'after', '2026-01-01T00:00:00Z'), tool))],
    [true, both(leaf('trace_name', 'contains', 'a'))],
    [false, both(ofSpan(tool, slow), leaf('trace_status', 'is', 'ERROR'))],
    [false, ofSpan(tool, leaf('span_start', 'after', '2026-01-01T00:00:00Z'))],
  ])('tests columns of traces: %s', (tests, group) => {
    expect(testsColumns({ workspaceId: 1, wordsWith: new Map() }, groupOf(group))).toBe(tests);
  });
});

describe('what the indexes must tell of a trace', () => {
  const input = (value: string) => leaf('span_input', 'contains', value);
  const required = (group: object) => requirementsOf({ workspaceId: 1, wordsWith: new Map() }, groupOf(group));
  const facetsOfTool = { facets: ['1:tool:a'] };
  const wordsOf = (...words: string[]) => ({ words: words.map((word) => ({ word, prefix: true })), runs: [] });

  it.each([
    [both(tool, input(' owl')), [wordsOf('owl'), facetsOfTool]],
    [either(tool, leaf('span_tool_name', 'is', 'b')), [{ facets: ['1:tool:a', '1:tool:b'] }]],
    [either(input(' owl'), input(' jay')), [{ alternatives: [wordsOf('owl'), wordsOf('jay')] }]],
    [either(input(' owl'), tool), [{ alternatives: [wordsOf('owl'), facetsOfTool] }]],
    [{ logic: 'SPAN_OR', filters: [tool, both(input(' owl'), tool)] }, [{ facets: ['1:tool:a', '1:tool:a'] }]],
    [
      both(tool, either(input(' owl'), either(input(' jay'), tool))),
      [{ alternatives: [wordsOf('owl'), { alternatives: [wordsOf('jay'), facetsOfTool] }] }, facetsOfTool],
    ],
    [either(input(' owl'), long), []],
    [either(input(' owl'), leaf('span_input', 'not_contains', ' jay')), []],
    [either(input(' owl'), both()), []],
    [either(), []],
  ])('%j', (group, requirements) => {
    expect(required(group)).toEqual(requirements);
  });

  it('is an attribute of a resource where nothing but attributes can be meant', () => {
    const ofShop = { ...leaf('span_resource', 'key_equals', 'shop'), nested_key: 'service.name' };
    const known = { workspaceId: 1, wordsWith: new Map(), plainResourceKeys: new Set(['service.name']) };
    expect(requirementsOf(known, groupOf(both(ofShop)))).toEqual([{ facets: ['1:r:service.name=shop'] }]);
    expect(required(both(ofShop))).toEqual([]);
    expect(requirementsOf(known, groupOf(both({ ...ofShop, nested_key: 'service.zone' })))).toEqual([]);
  });
});
