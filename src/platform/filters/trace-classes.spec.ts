import { describe, expect, it } from 'vitest';
import { FilterSyntaxError } from './errors.js';
import type { FilterFields } from './fields.js';
import { parse } from './grammar.js';
import { LOGICS } from './shape.js';
import { SqlParameters } from './sql-parameters.js';
import { toSql } from './to-sql.js';

const fields: FilterFields = {
  title: { class: 'name', sql: 'title' },
  version: { class: 'ordinal', sql: 'version' },
  versions: { class: 'pair', sql: 'versions' },
  output: { class: 'loose', sql: 'output', values: (key, parameters) => `texts(${parameters.add(key)})` },
};
const at = ['body'];

function sqlOf(filter: object): [string, unknown[]] {
  const parameters = new SqlParameters();
  return [toSql(parse({ filters: [filter] }, { fields, at }), fields, parameters), parameters.values];
}

describe('the classes of fields that only traces have', () => {
  it.each<[object, string, unknown[]]>([
    [{ field: 'title', operator: 'is', value: 'a' }, '((title = $1::text))', ['a']],
    [{ field: 'title', operator: 'ends_with', value: '%' }, '((comparable_text(title) ILIKE $1::text))', ['%\\%']],
    [{ field: 'version', operator: 'in', value: [1, '2'] }, '((version = ANY($1::bigint[])))', [['1', '2']]],
    [{ field: 'version', operator: 'gte', value: '1.5' }, '((version >= $1::float8))', [1.5]],
    [{ field: 'versions', operator: 'contains', value: '10:2' }, '((versions @> ARRAY[$1::text]))', ['10:2']],
    [
      { field: 'versions', operator: 'in', value: [{ prompt_id: 10, version: 2 }, '7:1'] },
      '((versions && $1::text[]))',
      [['10:2', '7:1']],
    ],
    [
      { field: 'versions', operator: 'key_equals', nested_key: '10', value: 2 },
      '((versions @> ARRAY[$1::text]))',
      ['10:2'],
    ],
    [
      { field: 'versions', operator: 'key_contains', nested_key: '1_', value: 'B%' },
      '((EXISTS (SELECT FROM unnest(versions) AS item(content)' +
        ' WHERE comparable_text(item.content) LIKE $1::text AND comparable_text(item.content) ILIKE $2::text)))',
      ['1\\_:%', '1\\_:%B\\%%'],
    ],
    [
      { field: 'versions', operator: 'is_not_empty', nested_key: '1_' },
      '((EXISTS (SELECT FROM unnest(versions) AS item(content) WHERE item.content LIKE $1::text)))',
      ['1\\_:%'],
    ],
    [{ field: 'versions', operator: 'is_empty' }, '(((cardinality(versions) > 0) IS NOT TRUE))', []],
    [{ field: 'output', operator: 'key_equals', value: 'x' }, '((texts($1) @> ARRAY[$2::text]))', ['', 'x']],
    [
      { field: 'output', operator: 'key_equals', nested_key: 'a.b', value: 'x' },
      '((texts($1) @> ARRAY[$2::text]))',
      ['a.b', 'x'],
    ],
  ])('%j', (filter, sql, values) => {
    expect(sqlOf(filter)).toEqual([sql, values]);
  });

  it.each([{ prompt_id: 1 }, { version: 1 }, { a: 1, b: 2, version: 3 }, [1], null, { prompt_id: {}, version: 1 }])(
    'refuse a pair like %j',
    (value) => {
      expect(() => sqlOf({ field: 'versions', operator: 'contains', value })).toThrow(/takes "a:b"/);
    },
  );

  it('need a key where only a part of a pair is given', () => {
    expect(() => sqlOf({ field: 'versions', operator: 'key_equals', value: 2 })).toThrow(FilterSyntaxError);
  });
});

describe('groups about one span', () => {
  it('are known where they are allowed, and nowhere else', () => {
    for (const logic of ['SPAN_AND', 'SPAN_OR']) {
      const group = { logic, filters: [] };
      expect(parse(group, { fields, at, logics: LOGICS })).toEqual(group);
      expect(() => parse(group, { fields, at })).toThrow(FilterSyntaxError);
    }
  });
});
