import { describe, expect, it } from 'vitest';
import type { FilterFields } from './fields.js';
import { parse } from './grammar.js';
import { flatMapValues, jsonValues } from './json-sql.js';
import { SqlParameters } from './sql-parameters.js';
import { toSql } from './to-sql.js';

const fields: FilterFields = {
  kind: { class: 'string', sql: 'kind' },
  colour: { class: 'string', sql: 'colour', facet: (value) => `colour:${value}` },
  number: { class: 'identifier', sql: 'id' },
  note: { class: 'text', sql: 'note' },
  weight: { class: 'number', sql: 'weight' },
  made: { class: 'datetime', sql: 'made_at' },
  sold: { class: 'boolean', sql: '(price IS NOT NULL)' },
  parts: { class: 'array', sql: 'parts' },
  labels: { class: 'array', sql: 'labels', facet: (value) => `label:${value}` },
  traits: { class: 'nested', sql: 'traits', values: flatMapValues('traits') },
  marks: {
    class: 'nested',
    sql: 'marks',
    values: flatMapValues('marks'),
    facet: (key, value) => `m:${key}=${value}`,
  },
  form: { class: 'nested', sql: 'form', values: jsonValues('form') },
};

function compile(filter: object): { sql: string; values: unknown[] } {
  const parameters = new SqlParameters();
  const group = parse('filters' in filter ? filter : { filters: [filter] }, { fields, at: ['body'] });
  return { sql: toSql(group, fields, parameters), values: parameters.values };
}

type Case = [field: string, operator: string, value: unknown, sql: string, values: unknown[]];

const scalarCases: Case[] = [
  ['kind', 'is', 'a', '(kind = $1::text)', ['a']],
  ['kind', 'is', true, '(kind = $1::text)', ['true']],
  ['kind', 'is_not', 7, '((kind = $1::text) IS NOT TRUE)', ['7']],
  ['kind', 'in', ['a', 'b'], '(kind = ANY($1::text[]))', [['a', 'b']]],
  ['kind', 'not_in', [], '((kind = ANY($1::text[])) IS NOT TRUE)', [[]]],
  ['colour', 'is', 'red', '(facets @> ARRAY[$1::text])', ['colour:red']],
  ['colour', 'in', ['red', 'blue'], '(facets && $1::text[])', [['colour:red', 'colour:blue']]],
  ['colour', 'is_not', 'red', '((facets @> ARRAY[$1::text]) IS NOT TRUE)', ['colour:red']],
  ['number', 'is', ' +0042 ', '(id = $1::bigint)', ['42']],
  ['number', 'in', [1, '9223372036854775807'], '(id = ANY($1::bigint[]))', [['1', '9223372036854775807']]],
  ['note', 'contains', '50%_\\', '(comparable_text(note) ILIKE $1::text)', ['%50\\%\\_\\\\%']],
  ['note', 'not_contains', 'x', '((comparable_text(note) ILIKE $1::text) IS NOT TRUE)', ['%x%']],
  ['note', 'starts_with', 'x', '(comparable_text(note) ILIKE $1::text)', ['x%']],
  ['note', 'ends_with', 4.5, '(comparable_text(note) ILIKE $1::text)', ['%4.5']],
  ['weight', 'eq', '0.5', '(weight = $1::float8)', [0.5]],
  ['weight', 'neq', 1e300, '((weight = $1::float8) IS NOT TRUE)', [1e300]],
  ['weight', 'gt', ' -2 ', '(weight > $1::float8)', [-2]],
  ['weight', 'gte', '1e3', '(weight >= $1::float8)', [1000]],
  ['weight', 'lt', '.5', '(weight < $1::float8)', [0.5]],
  ['weight', 'lte', '5.', '(weight <= $1::float8)', [5]],
  ['weight', 'between', ['1', 2], '(weight >= $1::float8 AND weight <= $2::float8)', [1, 2]],
  ['weight', 'is_null', undefined, '((weight IS NOT NULL) IS NOT TRUE)', []],
  ['weight', 'is_not_null', '', '(weight IS NOT NULL)', []],
  ['sold', 'is_true', true, '((price IS NOT NULL) IS TRUE)', []],
  ['sold', 'is_false', null, '((price IS NOT NULL) IS FALSE)', []],
];

const listCases: Case[] = [
  ['parts', 'contains', 'x', '(parts @> ARRAY[$1::text])', ['x']],
  ['parts', 'not_contains', 'x', '((parts @> ARRAY[$1::text]) IS NOT TRUE)', ['x']],
  ['parts', 'in', ['x', 1], '(parts && $1::text[])', [['x', '1']]],
  ['parts', 'is_empty', null, '((cardinality(parts) > 0) IS NOT TRUE)', []],
  ['parts', 'is_not_empty', null, '(cardinality(parts) > 0)', []],
  ['labels', 'contains', 'x', '(facets @> ARRAY[$1::text])', ['label:x']],
  ['labels', 'not_in', ['x', 'y'], '((facets && $1::text[]) IS NOT TRUE)', [['label:x', 'label:y']]],
];

const nestedCases: Case[] = [
  ['traits', 'key_equals', false, '(ARRAY[traits ->> $1::text] @> ARRAY[$2::text])', ['k.x', 'false']],
  ['traits', 'key_equals', 5e-7, '(ARRAY[traits ->> $1::text] && $2::text[])', ['k.x', ['0.0000005', '5e-7']]],
  [
    'traits',
    'in',
    [1e21, 2],
    '(ARRAY[traits ->> $1::text] && $2::text[])',
    ['k.x', ['1000000000000000000000', '1e+21', '2']],
  ],
  ['traits', 'in', ['a', 'b'], '(ARRAY[traits ->> $1::text] && $2::text[])', ['k.x', ['a', 'b']]],
  [
    'traits',
    'key_contains',
    'a_',
    '(EXISTS (SELECT FROM unnest(ARRAY[traits ->> $1::text]) AS item(content) WHERE comparable_text(item.content) ILIKE $2::text))',
    ['k.x', '%a\\_%'],
  ],
  [
    'traits',
    'is_empty',
    null,
    '((EXISTS (SELECT FROM unnest(ARRAY[traits ->> $1::text]) AS item(content) ' +
      `WHERE item.content NOT IN ('', '{}', '[]'))) IS NOT TRUE)`,
    ['k.x'],
  ],
  ['marks', 'key_equals', 42, '(facets @> ARRAY[$1::text])', ['m:k.x=42']],
  ['marks', 'key_not_equals', 'v', '((facets @> ARRAY[$1::text]) IS NOT TRUE)', ['m:k.x=v']],
  ['marks', 'not_in', ['v', 'w'], '((facets && $1::text[]) IS NOT TRUE)', [['m:k.x=v', 'm:k.x=w']]],
];

describe('the SQL of one filter', () => {
  it.each([...scalarCases, ...listCases])('compares a %s field with "%s" %j', (field, operator, value, sql, values) => {
    expect(compile({ field, operator, value })).toEqual({ sql: `(${sql})`, values });
  });

  it.each(nestedCases)('compares a key of a %s field with "%s" %j', (field, operator, value, sql, values) => {
    expect(compile({ field, operator, value, nested_key: 'k.x' })).toEqual({ sql: `(${sql})`, values });
  });

  it('tests a whole nested field for emptiness when no key is given', () => {
    expect(compile({ field: 'form', operator: 'is_empty' }).sql).toBe(
      "(((jsonb_path_exists(form, '$.*')) IS NOT TRUE))",
    );
  });

  it('reads a dotted key of a document as one name and as a path, without letting it out of its quotes', () => {
    const { values } = compile({ field: 'form', operator: 'key_equals', nested_key: 'a.b"', value: 'x' });
    const readings = ['lax $."a.b\\""[*][*][*]', 'lax $."a"[*][*]."b\\""[*][*][*]'];
    expect(values).toEqual([readings, 'a.b"', 'x']);
  });
});

describe('times', () => {
  const made = (operator: string, value: unknown) => compile({ field: 'made', operator, value });

  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000'],
    ['2026-03-01T10:00', '2026-03-01T10:00:00.000'],
    ['2026-03-01T23:30:00.5-01', '2026-03-02T00:30:00.500'],
    ['2026-03-01t10:00:00.123z', '2026-03-01T10:00:00.123'],
    [1_772_359_200, '2026-03-01T10:00:00.000'],
    ['1772359200.123', '2026-03-01T10:00:00.123'],
    [1_772_359_200_123, '2026-03-01T10:00:00.123'],
  ])('takes %j, which has no microseconds, as its whole millisecond', (given, millisecond) => {
    const [first, last] = [`${millisecond}000Z`, `${millisecond}999Z`];
    expect(made('before', given)).toEqual({ sql: '((made_at < $1::timestamptz))', values: [first] });
    expect(made('after', given)).toEqual({ sql: '((made_at > $1::timestamptz))', values: [last] });
    expect(made('is', given).values).toEqual([first, last]);
    expect(made('between', [given, given]).values).toEqual([first, last]);
  });

  it.each([
    ['2026-03-01 10:00:00.123456789+02:30', '2026-03-01T07:30:00.123457Z'],
    ['2026-03-01T10:00:00.000000Z', '2026-03-01T10:00:00.000000Z'],
    ['2026-03-01T10:00:00.000001Z', '2026-03-01T10:00:00.000001Z'],
    [1_772_359_200_123_456, '2026-03-01T10:00:00.123456Z'],
    ['1772359200123456789', '2026-03-01T10:00:00.123457Z'],
    [1_772_359_200_123.5, '2026-03-01T10:00:00.123500Z'],
  ])('takes %j as the microsecond it is stored as', (given, moment) => {
    expect(made('is', given).values).toEqual([moment, moment]);
    expect(made('between', [given, given]).values).toEqual([moment, moment]);
  });

  it('takes a date as the whole UTC day, so that a time is before, in or after it', () => {
    const [first, last] = ['2026-03-01T00:00:00.000000Z', '2026-03-01T23:59:59.999999Z'];
    expect(made('is', '2026-03-01')).toEqual({
      sql: '((made_at >= $1::timestamptz AND made_at <= $2::timestamptz))',
      values: [first, last],
    });
    expect(made('before', '2026-03-01').values).toEqual([first]);
    expect(made('after', '2026-03-01').values).toEqual([last]);
    expect(made('between', ['2026-03-01', '2026-03-01']).values).toEqual([first, last]);
  });

  it('supports the last day with a four-digit year', () => {
    expect(made('is', '9999-12-31').values[1]).toBe('9999-12-31T23:59:59.999999Z');
  });
});

describe('groups', () => {
  const leaf = { field: 'kind', operator: 'is', value: 'a' };

  it('joins filters by the logic of their group, AND when there is none', () => {
    const filter = { filters: [leaf, { logic: 'OR', filters: [leaf, leaf] }] };
    expect(compile(filter).sql).toBe('((kind = $1::text) AND ((kind = $2::text) OR (kind = $3::text)))');
  });

  it('takes a group without filters as true, in either logic and inside others', () => {
    expect(compile({ logic: 'OR', filters: [] }).sql).toBe('TRUE');
    expect(compile({ logic: 'OR', filters: [leaf, { filters: [] }] }).sql).toBe('((kind = $1::text) OR TRUE)');
  });

  it('continues the parameter numbers of the rest of the statement', () => {
    const parameters = new SqlParameters();
    parameters.add(17);
    expect(toSql(parse({ filters: [leaf] }, { fields, at: [] }), fields, parameters)).toBe('((kind = $2::text))');
  });
});
