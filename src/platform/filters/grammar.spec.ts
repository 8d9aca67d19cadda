import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilterSemanticsError, FilterSyntaxError } from './errors.js';
import type { FilterFields } from './fields.js';
import { parse } from './grammar.js';
import { flatMapValues } from './json-sql.js';
import { OPERATOR_NAMES } from './operators.js';
import { SqlParameters } from './sql-parameters.js';
import { toSql } from './to-sql.js';

const fields: FilterFields = {
  kind: { class: 'string', sql: 'kind' },
  number: { class: 'identifier', sql: 'id' },
  note: { class: 'text', sql: 'note' },
  weight: { class: 'number', sql: 'weight' },
  made: { class: 'datetime', sql: 'made_at' },
  sold: { class: 'boolean', sql: 'sold' },
  parts: { class: 'array', sql: 'parts' },
  traits: { class: 'nested', sql: 'traits', values: flatMapValues('traits') },
  mood: { class: 'unavailable' },
};
const at = ['body', 'filter_group'];
const leaf = { field: 'kind', operator: 'is', value: 'a' };

const read = (input: unknown) => parse(input, { fields, at });

function failure(input: unknown): unknown {
  try {
    read(input);
  } catch (error) {
    return error;
  }
  throw new Error('The filter was accepted.');
}

function issues(input: unknown): [string, string][] {
  const error = failure(input);
  if (!(error instanceof FilterSyntaxError)) throw error;
  return error.details.map(({ loc, type }) => [loc.join('.'), type]);
}

function refusal(filter: object): string {
  const error = failure({ filters: [filter] });
  if (!(error instanceof FilterSemanticsError)) throw error;
  return error.message;
}

const nested = (depth: number): object => ({ filters: depth === 1 ? [leaf] : [nested(depth - 1)] });

describe('the shape of a filter group', () => {
  it.each([null, undefined, 'x', 7, true, [], [leaf]])('refuses %j, which is no object', (input) => {
    expect(issues(input)).toEqual([['body.filter_group', 'object_type']]);
  });

  it('refuses a group without filters and filters that are no list', () => {
    expect(issues({})).toEqual([['body.filter_group.filters', 'missing']]);
    expect(issues({ filters: null })).toEqual([['body.filter_group.filters', 'list_type']]);
    expect(issues({ filters: [{ filters: { 0: leaf } }] })).toEqual([
      ['body.filter_group.filters.0.filters', 'list_type'],
    ]);
  });

  it('locates every error', () => {
    const filters = [leaf, { operator: 'is' }, { logic: 'XOR', filters: [{ field: 'nose', operator: 'likes' }, 3] }];
    expect(issues({ filters })).toEqual([
      ['body.filter_group.filters.1', 'missing'],
      ['body.filter_group.filters.2.logic', 'enum'],
      ['body.filter_group.filters.2.filters.0.field', 'enum'],
      ['body.filter_group.filters.2.filters.0.operator', 'enum'],
      ['body.filter_group.filters.2.filters.1', 'missing'],
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('refuses %s as a name', (name) => {
    expect(issues({ filters: [{ field: name, operator: name }] }).map(([, type]) => type)).toEqual(['enum', 'enum']);
  });

  it('refuses names and keys that are no text', () => {
    expect(issues({ filters: [{ field: 1, operator: null, nested_key: ['k'] }] })).toEqual([
      ['body.filter_group.filters.0.field', 'string_type'],
      ['body.filter_group.filters.0.operator', 'missing'],
      ['body.filter_group.filters.0.nested_key', 'string_type'],
    ]);
  });

  it.each(['key_equals', 'key_not_equals', 'key_contains', 'in', 'not_in'])('demands the key for "%s"', (operator) => {
    const filter = { field: 'traits', operator, value: 'a', nested_key: '' };
    expect(issues({ filters: [filter] })).toEqual([['body.filter_group.filters.0.nested_key', 'missing']]);
  });

  it('takes null for logic, value and key as if they were left out', () => {
    const filter = { field: 'weight', operator: 'is_null', value: null, nested_key: null };
    expect(read({ logic: null, filters: [filter] })).toEqual({
      logic: 'AND',
      filters: [{ field: 'weight', nestedKey: null, negated: true, condition: { kind: 'filled' } }],
    });
  });
});

describe('the limits of a filter', () => {
  it('are ten levels', () => {
    expect(() => read(nested(10))).not.toThrow();
    expect(issues(nested(11)).map(([, type]) => type)).toEqual(['too_deep']);
  });

  it('are a hundred conditions, however they are grouped', () => {
    const half = { logic: 'OR', filters: Array(50).fill(leaf) };
    expect(() => read({ filters: [half, half, { filters: [] }] })).not.toThrow();
    expect(issues({ filters: [half, half, leaf, half] })).toEqual([['body.filter_group.filters.2', 'too_long']]);
  });

  it('are a thousand groups, empty or not', () => {
    const empty = (count: number) => ({ filters: Array(count).fill({ filters: [] }) });
    expect(() => read(empty(1000))).not.toThrow();
    expect(issues(empty(1_000_000))).toEqual([['body.filter_group.filters.1000', 'too_long']]);
  });

  it('hold against input that is far too deep or too long', () => {
    let list: unknown = 'core';
    let group: object = leaf;
    for (let depth = 0; depth < 10_000; depth += 1) {
      list = [list];
      group = { filters: [group] };
    }
    expect(issues(group)).toHaveLength(1);
    expect(issues(list)).toHaveLength(1);
    expect(issues({ filters: Array(1_000_000).fill(list) })).toHaveLength(100);
    expect(refusal({ field: 'kind', operator: 'in', value: list })).toContain('a list of texts');
    expect(refusal({ field: 'weight', operator: 'eq', value: '1'.repeat(1_000_000) })).toContain('a number');
  });
});

describe('the meaning of a filter', () => {
  it('names the field, the operator and what is allowed', () => {
    expect(refusal({ field: 'weight', operator: 'contains', value: '1' })).toBe(
      'The field "weight" (number) does not take the operator "contains". ' +
        'It takes: eq, neq, gt, gte, lt, lte, between, is_null, is_not_null.',
    );
    expect(refusal({ field: 'weight', operator: 'between', value: [1] })).toBe(
      'The operator "between" of the field "weight" takes [low, high], two numbers.',
    );
  });

  it('is refused for a field that this domain cannot search', () => {
    expect(refusal({ field: 'mood', operator: 'is', value: 'sad' })).toBe('The field "mood" is not searchable here.');
  });

  it('is refused when a field without keys is given one', () => {
    expect(refusal({ ...leaf, nested_key: 'k' })).toContain('leave nested_key out');
  });

  it.each([
    ['kind', 'is', null],
    ['kind', 'is', ['a']],
    ['kind', 'is', { a: 1 }],
    ['kind', 'in', 'a'],
    ['kind', 'in', ['a', null]],
    ['kind', 'in', Object.assign([], { length: 2 })],
    ['number', 'is', 1.5],
    ['number', 'is', 2 ** 53],
    ['number', 'is', '9223372036854775808'],
    ['number', 'is', true],
    ['number', 'in', ['1', 'x']],
    ['note', 'contains', undefined],
    ['note', 'contains', ['a']],
    ['weight', 'eq', 'NaN'],
    ['weight', 'eq', Number.NaN],
    ['weight', 'eq', Infinity],
    ['weight', 'eq', '1e999'],
    ['weight', 'eq', '0x10'],
    ['weight', 'eq', ''],
    ['weight', 'eq', true],
    ['weight', 'between', [1, 2, 3]],
    ['weight', 'between', '1,2'],
    ['weight', 'is_null', 'yes'],
    ['weight', 'is_null', true],
    ['weight', 'is_not_null', false],
    ['parts', 'is_empty', 'true'],
    ['sold', 'is_false', true],
    ['made', 'is', 1e300],
    ['made', 'is', true],
    ['made', 'is', '2026-02-29'],
    ['made', 'is', '2026-03-01T24:01:00Z'],
    ['made', 'is', '2026-03-01T10:00:00+25:00'],
    ['made', 'is', '0000-01-01'],
    ['made', 'is', '0001-01-01T00:00:00+01:00'],
    ['made', 'is', 'yesterday'],
    ['made', 'between', ['2026-03-01']],
    ['sold', 'is_true', false],
    ['sold', 'is_true', 'False'],
    ['sold', 'is_false', 'no'],
    ['parts', 'contains', ['a']],
    ['parts', 'in', 'a'],
  ])('is refused for %s %s %j', (field, operator, value) => {
    expect(refusal({ field, operator, value })).toContain(`The operator "${operator}" of the field "${field}" takes`);
  });

  it.each([
    ['is_true', true, ['true', 'True']],
    ['is_false', false, ['false', 'False']],
  ])('is %s also when the value says it once more', (operator, expected, spellings) => {
    for (const value of [undefined, null, '', expected, ...spellings]) {
      expect(read({ filters: [{ field: 'sold', operator, value }] }).filters).toMatchObject([
        { negated: false, condition: { kind: 'truth', expected } },
      ]);
    }
  });

  it('compares with texts as they are stored, where nothing is NUL or half a character', () => {
    const unsafe = { field: 'traits', operator: 'in', nested_key: 'k\0', value: ['a\0', '\ud800'] };
    expect(read({ filters: [unsafe] }).filters).toEqual([
      {
        field: 'traits',
        nestedKey: 'k\ufffd',
        negated: false,
        condition: { kind: 'one_of', values: ['a\ufffd', '\ufffd'] },
      },
    ]);
  });
});

describe('any filter', () => {
  const junk = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true });
  const name = (names: Iterable<string>) => fc.oneof(fc.constantFrom(...names), junk);
  const almostLeaf = fc.record(
    { field: name(Object.keys(fields)), operator: name(OPERATOR_NAMES), value: junk, nested_key: junk },
    { requiredKeys: [] },
  );
  const almostGroup = fc.letrec((tie) => ({
    group: fc.record(
      { logic: name(['AND', 'OR']), filters: fc.oneof(fc.array(tie('item'), { maxLength: 4 }), junk) },
      { requiredKeys: ['filters'] },
    ),
    item: fc.oneof({ maxDepth: 4 }, almostLeaf, tie('group'), junk),
  })).group;

  it('is either read or refused with one of the two errors', () => {
    fc.assert(
      fc.property(fc.oneof(junk, almostGroup), (input) => {
        try {
          read(input);
        } catch (error) {
          expect(error instanceof FilterSyntaxError || error instanceof FilterSemanticsError).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  const text = fc.oneof(fc.string(), fc.constantFrom("'); --", '$1', '%_\\', '"', '\ud800', '\0'));
  const scalar = fc.oneof(text, fc.integer(), fc.boolean());
  const filter = (field: string, operators: string[], value: fc.Arbitrary<unknown>) =>
    fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value });
  const validLeaf = fc.oneof(
    filter('kind', ['is', 'is_not'], scalar),
    filter('kind', ['in', 'not_in'], fc.array(scalar)),
    filter('number', ['is', 'is_not'], fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)),
    filter('note', ['contains', 'not_contains', 'starts_with', 'ends_with'], scalar),
    filter('weight', ['eq', 'neq', 'gt', 'lte'], fc.double({ noNaN: true, noDefaultInfinity: true })),
    filter('weight', ['between'], fc.tuple(fc.integer(), fc.integer().map(String))),
    filter('weight', ['is_null', 'is_not_null'], fc.constant(null)),
    filter('made', ['is', 'before', 'after'], fc.date({ min: new Date(0), noInvalidDate: true }).map(isoText)),
    filter('sold', ['is_true', 'is_false'], fc.constant(undefined)),
    filter('parts', ['in', 'not_in'], fc.array(scalar)),
    filter('traits', ['key_equals', 'key_not_equals', 'key_contains'], scalar).chain((item) =>
      text.filter((key) => key !== '').map((key) => ({ ...item, nested_key: key })),
    ),
  );
  const validGroup = fc.letrec((tie) => ({
    group: fc.record({
      logic: fc.constantFrom('AND', 'OR'),
      filters: fc.array(fc.oneof({ maxDepth: 3 }, validLeaf, tie('group')), { maxLength: 3 }),
    }),
  })).group;

  it('becomes SQL with balanced parentheses, no text of its own and a placeholder for each parameter', () => {
    fc.assert(
      fc.property(validGroup, (input) => {
        const parameters = new SqlParameters();
        const sql = toSql(read(input), fields, parameters);
        const placeholders = sql.match(/\$\d+/g) ?? [];
        expect(placeholders).toEqual(parameters.values.map((_, index) => `$${index + 1}`));
        expect(depths(sql).at(-1) ?? 0).toBe(0);
        expect(Math.min(0, ...depths(sql))).toBe(0);
        expect(sql).toMatch(/^[A-Za-z0-9_$ ():,.<>=&@[\]'-]*$/);
        expect(sql).not.toContain('--');
      }),
      { numRuns: 1000 },
    );
  });
});

function depths(sql: string): number[] {
  let depth = 0;
  return [...sql].map((character) => (depth += Number(character === '(') - Number(character === ')')));
}

function isoText(date: Date): string {
  return date.getUTCFullYear() > 9999 ? '9999-12-31' : date.toISOString();
}
