import { describe, expect, it } from 'vitest';
import { FilterSemanticsError, FilterSyntaxError } from '../platform/filters/errors.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { facetsOf } from './facets.js';
import { requestFilter, requestTextFilter } from './request-filters.js';

const at = ['body', 'filter_group'];

function filter(leaf: object): { sql: string; values: unknown[] } {
  const parameters = new SqlParameters();
  return { sql: requestFilter({ filters: [leaf] }, at, parameters), values: parameters.values };
}

function words(q: string | null): unknown {
  const parameters = new SqlParameters();
  const sql = requestTextFilter(q, parameters);
  return parameters.values.length === 0 ? sql : parameters.values[0];
}

describe('the filter of request logs', () => {
  it.each([
    [{ field: 'engine', operator: 'is', value: 'gpt-4o' }],
    [{ field: 'provider_type', operator: 'is', value: 'openai' }],
    [{ field: 'status', operator: 'is', value: 'SUCCESS' }],
    [{ field: 'tags', operator: 'contains', value: 'x'.repeat(500) }],
    [{ field: 'metadata', operator: 'key_equals', nested_key: 'user', value: 7 }],
  ])('asks the facets for %j, by an entry that the writer makes', (leaf) => {
    const { sql, values } = filter(leaf);
    const written = facetsOf({
      model: 'gpt-4o',
      provider: 'openai',
      status: 'SUCCESS',
      tags: ['x'.repeat(500)],
      metadata: { user: '7' },
    });
    expect(sql).toBe('((facets @> ARRAY[$1::text]))');
    expect(written).toContain(values[0]);
  });

  it.each(['is_json', 'is_plain_text', 'output', 'output_keys', 'user_intent', 'agent_intent'])(
    'says that %s is not searchable here',
    (field) => {
      const leaf = { field, operator: 'is', value: 'x' };
      expect(() => filter(leaf)).toThrow(FilterSemanticsError);
      expect(() => filter(leaf)).toThrow(`"${field}" is not searchable here`);
    },
  );

  it('does not know other fields', () => {
    expect(() => filter({ field: 'facets', operator: 'contains', value: 'x' })).toThrow(FilterSyntaxError);
  });

  it('is true when there is no group', () => {
    expect(requestFilter(null, at, new SqlParameters())).toBe('TRUE');
    expect(requestFilter(undefined, at, new SqlParameters())).toBe('TRUE');
  });
});

describe('the free text search', () => {
  it.each([null, '', ' \n '])('finds everything for %j', (q) => {
    expect(words(q)).toBe('TRUE');
  });

  it.each([
    ["Don’t don't", ['\\mDont', '\\mdont']],
    ['a.*b (c)', ['\\ma', '\\mb', '\\mc']],
    ['snake_case 3.14', ['\\msnake_case', '\\m3', '\\m14']],
    ['École हिन्दी', ['\\mÉcole', '\\mहिन्दी']],
    ['$$ 🙂 x²', ['***=$$', '***=🙂', '\\mx']],
  ])('takes %j for %j', (q, patterns) => {
    expect(words(q)).toEqual(patterns);
  });

  it('refuses what would be too much work', () => {
    expect(() => words('x'.repeat(1001))).toThrow(FilterSemanticsError);
    expect(() => words('x '.repeat(51))).toThrow(FilterSemanticsError);
    expect(words('x '.repeat(50))).toHaveLength(50);
  });
});
