import { describe, expect, it } from 'vitest';
import { FilterSyntaxError } from '../../platform/filters/errors.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { facetsOf } from './facets.js';
import { parseRequestFilter, promptNamesIn, requestFilterSql } from './request-filters.js';

const at = ['body', 'filter_group'];
const promptIds = new Map([
  ['greeting', [7]],
  ['greeting v3', [8]],
  ['twice', [9, 10]],
]);

function filter(leaf: object): { sql: string; values: unknown[] } {
  const parameters = new SqlParameters();
  const group = parseRequestFilter({ filters: [leaf] }, at);
  return { sql: requestFilterSql(group, { workspaceId: 42, promptIds }, parameters), values: parameters.values };
}

describe('the filter of request logs', () => {
  const long = 'x'.repeat(500);
  const written = facetsOf(
    {
      workspaceId: 42,
      model: 'gpt-4o',
      provider: 'openai',
      status: 'SUCCESS',
      tags: [long],
      metadata: { user: '7', user_id: 'ann', form: '{"a":{"b":[true,"x"]},"c":1e21,"d":null}', list: '["p"]' },
      toolNames: ['search'],
      environment: 'production',
    },
    { promptId: 7, versionNumber: 2 },
  );

  it.each([
    [{ field: 'engine', operator: 'is', value: 'gpt-4o' }],
    [{ field: 'provider_type', operator: 'is', value: 'openai' }],
    [{ field: 'status', operator: 'is', value: 'SUCCESS' }],
    [{ field: 'environment', operator: 'is', value: 'production' }],
    [{ field: 'tags', operator: 'contains', value: long }],
    [{ field: 'tool_names', operator: 'contains', value: 'search' }],
    [{ field: 'metadata_keys', operator: 'contains', value: 'user' }],
    [{ field: 'metadata_keys', operator: 'contains', value: 'form.a' }],
    [{ field: 'metadata', operator: 'key_equals', nested_key: 'user', value: 7 }],
    [{ field: 'metadata', operator: 'key_equals', nested_key: 'form.a.b', value: true }],
    [{ field: 'metadata', operator: 'key_equals', nested_key: 'form.c', value: '1000000000000000000000' }],
    [{ field: 'metadata', operator: 'key_equals', nested_key: 'list', value: 'p' }],
    [{ field: 'user_id', operator: 'is', value: 'ann' }],
    [{ field: 'prompt_id', operator: 'is', value: '007' }],
    [{ field: 'prompt_id', operator: 'is', value: 'greeting' }],
    [{ field: 'prompt_id', operator: 'is', value: 'greeting v2' }],
    [{ field: 'prompt_name', operator: 'is', value: 'greeting' }],
  ])('asks the facets for %j, by an entry that the writer makes', (leaf) => {
    const { sql, values } = filter(leaf);
    expect(sql).toBe('((facets @> ARRAY[$1::text]))');
    expect(written).toContain(values[0]);
    expect(values[0]).toMatch(/^42:/);
  });

  it('takes a text for all that it can mean as the name of a prompt', () => {
    const meaning = (field: string, value: unknown) => filter({ field, operator: 'is', value }).values[0];
    expect(meaning('prompt_id', 'greeting v3')).toEqual(['42:prompt:8', '42:prompt:7:3']);
    expect(meaning('prompt_id', 'twice')).toEqual(['42:prompt:9', '42:prompt:10']);
    expect(meaning('prompt_id', 'nobody')).toEqual([]);
    expect(meaning('prompt_id', '9223372036854775807')).toEqual([]);
    expect(meaning('prompt_name', 'greeting v3')).toBe('42:prompt:8');
    expect(meaning('prompt_name', '7')).toEqual([]);
  });

  it('returns the names of prompts at any depth', () => {
    const filters = [
      { field: 'prompt_id', operator: 'in', value: ['a', 'b v2', 3] },
      { logic: 'OR', filters: [{ field: 'prompt_name', operator: 'is_not', value: 'c' }] },
      { field: 'engine', operator: 'is', value: 'd' },
    ];
    expect([...new Set(promptNamesIn(parseRequestFilter({ filters }, at)))]).toEqual(['a', 'b v2', 'b', '3', 'c']);
    expect(promptNamesIn(null)).toEqual([]);
  });

  it('takes the booleans of Python for those of JSON where values are compared as text', () => {
    const leaf = { field: 'output', operator: 'key_equals', nested_key: 'done' };
    expect(filter({ ...leaf, value: 'True' }).values.at(-1)).toEqual(['True', 'true']);
    expect(filter({ ...leaf, value: true }).values.at(-1)).toBe('true');
    expect(filter({ ...leaf, operator: 'not_in', value: ['False', 'x'] }).values.at(-1)).toEqual([
      'False',
      'false',
      'x',
    ]);
  });

  it('takes ids of traces and spans in either letter case', () => {
    expect(filter({ field: 'trace_id', operator: 'is', value: 'AB' }).values[0]).toEqual(['AB', 'ab']);
    expect(filter({ field: 'span_id', operator: 'in', value: ['ab', 'cd'] }).values[0]).toEqual(['ab', 'cd']);
  });

  it('compares the default score when no name is given', () => {
    const leaf = { field: 'scores', operator: 'gte', value: '50' };
    expect(filter(leaf).values).toEqual([50, 42, 'default']);
    expect(filter({ ...leaf, nested_key: 'style' }).values).toEqual([50, 42, 'style']);
    expect(filter({ field: 'scores', operator: 'is_empty' }).values).toEqual([42]);
  });

  it('does not know other fields', () => {
    expect(() => filter({ field: 'facets', operator: 'contains', value: 'x' })).toThrow(FilterSyntaxError);
  });

  it('is true when there is no group', () => {
    for (const nothing of [null, undefined]) {
      const group = parseRequestFilter(nothing, at);
      expect(requestFilterSql(group, { workspaceId: 1, promptIds }, new SqlParameters())).toBe('TRUE');
    }
  });
});
