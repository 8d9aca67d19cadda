import { type Type as Class } from '@nestjs/common';
import { type ApiPropertyOptions } from '@nestjs/swagger';
import * as is from 'class-validator';
import { field, type FieldOptions } from './field.js';

export type { FieldOptions } from './field.js';

/** The largest id: PostgreSQL's integer. */
export const MAX_ID = 2_147_483_647;

/**
 * One decorator declares validation, conversion and documentation of a field. They compose class-validator and @nestjs/swagger, so
 * that the two cannot disagree.
 */
export function TextField(
  options: FieldOptions & { minLength?: number; maxLength?: number; pattern?: RegExp } = {},
): PropertyDecorator {
  const { minLength, maxLength, pattern } = options;
  return field(options, {
    validators: [
      is.IsString(refusal('string_type', 'Input should be a valid string')),
      ...(minLength ? [notBlank(minLength)] : []),
      ...(maxLength ? [atMost(maxLength)] : []),
      ...(pattern ? [is.Matches(pattern, refusal('string_pattern_mismatch', `Input should match ${pattern}`))] : []),
    ],
    schema: { type: 'string', minLength, maxLength, ...(pattern && { pattern: pattern.source }) },
  });
}

export function UuidField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, {
    validators: [is.Matches(UUID, refusal('uuid_parsing', 'Input should be a valid UUID'))],
    schema: { type: 'string', format: 'uuid' },
  });
}

export function IntegerField(
  options: FieldOptions & { min?: number; max?: number; emptyIsAbsent?: boolean } = {},
): PropertyDecorator {
  const { min, max, emptyIsAbsent } = options;
  return field(options, {
    validators: integerRules({ min, max }),
    schema: { type: 'integer', minimum: min, maximum: max },
    convert: emptyIsAbsent ? toIntegerOrNothing : options.query ? toInteger : toPlainNumber,
  });
}

/** An integer, also as a text of digits, because clients differ. */
export function IntegerOrDigitsField(options: FieldOptions & { min?: number; max?: number } = {}): PropertyDecorator {
  const { min, max } = options;
  return field(options, {
    validators: integerRules({ min, max }),
    schema: {
      oneOf: [
        { type: 'integer', minimum: min, maximum: max },
        { type: 'string', pattern: INTEGER.source },
      ],
    },
    convert: toInteger,
  });
}

export function NumberField(options: FieldOptions & Bounds = {}): PropertyDecorator {
  const { min, max } = options;
  return field(options, {
    validators: [is.IsNumber({}, refusal('float_type', 'Input should be a valid number')), ...within({ min, max })],
    schema: { type: 'number', minimum: min, maximum: max },
    convert: options.query ? toNumber : toPlainNumber,
  });
}

/** Queries accept `true`, `True`, `1` and their opposites, because clients differ. */
export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, {
    validators: [is.IsBoolean(refusal('bool_type', 'Input should be a valid boolean'))],
    schema: { type: 'boolean' },
    convert: options.query ? (value) => BOOLEANS.get(String(value).toLowerCase()) ?? value : undefined,
  });
}

export function DateTimeField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, {
    validators: [is.IsISO8601({ strict: true }, refusal('datetime_parsing', 'Input should be a valid datetime'))],
    schema: { type: 'string', format: 'date-time' },
  });
}

export function EnumField(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const list = values.map((value) => `'${value}'`).join(', ');
  return field(options, {
    validators: [is.IsIn(values, refusal('enum', `Input should be one of ${list}`))],
    schema: { type: 'string', enum: [...values] },
  });
}

/** The component of the OpenAPI document for a value that other code validates. */
interface Described {
  like?: string;
}

/** Refers to a component of the document. */
export const componentOf = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Any JSON value, passed on unchanged. */
export function JsonField(options: FieldOptions & Described = {}): PropertyDecorator {
  const { like } = options;
  return field(options, { validators: [is.Allow()], schema: like ? { oneOf: [componentOf(like)] } : ANY_JSON });
}

/** A JSON object with any keys, passed on unchanged. */
export function JsonObjectField(
  options: FieldOptions & Described & { values?: object; anyOf?: readonly string[] } = {},
): PropertyDecorator {
  const { like, anyOf, values = true } = options;
  const free = anyOf
    ? { anyOf: anyOf.map((name) => componentOf(name)) }
    : { type: 'object', additionalProperties: values };
  return field(options, {
    validators: [is.IsObject(refusal('dict_type', 'Input should be a valid dictionary'))],
    schema: (like ? { oneOf: [componentOf(like)] } : free) as ApiPropertyOptions,
  });
}

export type ItemType = 'string' | 'integer' | 'uuid' | 'object';

export interface ListOptions extends FieldOptions, Described {
  minItems?: number;
  maxItems?: number;
  /** Allowed items of a list of strings. */
  values?: readonly string[];
  /** Smallest and largest item of a list of integers. */
  min?: number;
  max?: number;
  /** Items of a query may contain commas, which are not separators. */
  keepsCommas?: boolean;
}

/** A list of DTOs (pass a function), or of plain strings, integers, UUIDs or free objects (pass a name). */
export function ListField(item: (() => Class<object>) | ItemType, options: ListOptions = {}): PropertyDecorator {
  const { minItems, maxItems } = options;
  const list = [
    is.IsArray(refusal('list_type', 'Input should be a valid list')),
    ...(minItems
      ? [is.ArrayMinSize(minItems, refusal('too_short', `List should have at least ${minItems} item(s)`))]
      : []),
    ...(maxItems ? [is.ArrayMaxSize(maxItems, refusal('too_long', `List should have at most ${maxItems} items`))] : []),
  ];
  const size = { minItems, maxItems };
  if (typeof item === 'function') {
    const dictionary = refusal('dict_type', 'Input should be a valid dictionary');
    // Nested validation would accept a list inside the list.
    const isFlat = (value: unknown) => !Array.isArray(value) || !value.some(Array.isArray);
    const flat = is.ValidateBy({ name: 'flat', validator: { validate: isFlat } }, dictionary);
    const nested = [flat, is.ValidateNested({ each: true, ...dictionary })];
    // A lazy type in brackets: with isArray and nullable together the reference would be empty.
    const schema = { type: () => [item()], ...size } as ApiPropertyOptions;
    return field(options, { validators: [...list, ...nested], schema, nested: item, maxItems });
  }
  const { checks, schema } = itemRule(item, options);
  return field(options, {
    validators: [...list, ...checks],
    schema: { type: 'array', items: schema, ...size } as ApiPropertyOptions,
    convert: conversionOfList(item, options),
  });
}

function conversionOfList(item: ItemType, { query, keepsCommas }: ListOptions) {
  if (query) return keepsCommas ? toItems : toList;
  return item === 'integer' ? toPlainNumbers : undefined;
}

const INTEGER = /^-?\d+$/;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const ANY_JSON: ApiPropertyOptions = {
  oneOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
  ],
};

function refusal(type: string, message: string): is.ValidationOptions {
  return { message, context: { type } };
}

interface Bounds {
  min?: number;
  max?: number;
}

function integerRules({ min, max = Number.MAX_SAFE_INTEGER, each }: Bounds & { each?: boolean }) {
  const integer = { each, ...refusal('int_type', 'Input should be a valid integer') };
  return [is.IsInt(integer), ...within({ min, max, each })];
}

function within({ min, max, each }: Bounds & { each?: boolean }): PropertyDecorator[] {
  const rule = (type: string, message: string) => ({ each, ...refusal(type, message) });
  return [
    ...(min === undefined
      ? []
      : [is.Min(min, rule('greater_than_equal', `Input should be greater than or equal to ${min}`))]),
    ...(max === undefined
      ? []
      : [is.Max(max, rule('less_than_equal', `Input should be less than or equal to ${max}`))]),
  ];
}

function itemRule(
  item: ItemType,
  { values, min, max, like }: ListOptions,
): { checks: PropertyDecorator[]; schema: object } {
  const each = true;
  switch (item) {
    case 'string':
      if (values) return nameRule(values);
      return {
        checks: [is.IsString({ each, ...refusal('string_type', 'Input should be a valid string') })],
        schema: { type: 'string' },
      };
    case 'integer':
      return { checks: integerRules({ min, max, each }), schema: { type: 'integer', minimum: min, maximum: max } };
    case 'uuid':
      return {
        checks: [is.Matches(UUID, { each, ...refusal('uuid_parsing', 'Input should be a valid UUID') })],
        schema: { type: 'string', format: 'uuid' },
      };
    case 'object':
      return {
        checks: [is.IsObject({ each, ...refusal('dict_type', 'Input should be a valid dictionary') })],
        schema: like ? componentOf(like) : { type: 'object', additionalProperties: true },
      };
  }
}

function nameRule(values: readonly string[]): { checks: PropertyDecorator[]; schema: object } {
  const message = `Input should be one of ${values.map((value) => `'${value}'`).join(', ')}`;
  return {
    checks: [is.IsIn(values, { each: true, ...refusal('enum', message) })],
    schema: { type: 'string', enum: [...values] },
  };
}

/** A query repeats a parameter or joins its values with commas, because clients differ. */
function toList(value: unknown): unknown {
  return toItems(value).flatMap((text) =>
    typeof text === 'string' ? text.split(',').filter((part) => part !== '') : [text],
  );
}

/** Accepts only a repeated parameter. */
const toItems = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function toInteger(value: unknown): unknown {
  return typeof value === 'string' && INTEGER.test(value) ? Number(value) : toPlainNumber(value);
}

/** Some clients send a parameter without a value as an empty text. */
const toIntegerOrNothing = (value: unknown): unknown => (value === '' ? undefined : toInteger(value));

/** Integers of any size are read from bodies; a field that is a number for the server needs no digits beyond its limits. */
function toPlainNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function toPlainNumbers(value: unknown): unknown {
  return Array.isArray(value) ? value.map(toPlainNumber) : value;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

function notBlank(minLength: number): PropertyDecorator {
  const message = `String should have at least ${minLength} character(s) that are not blank`;
  const validate = (value: unknown) => typeof value !== 'string' || value.trim().length >= minLength;
  return is.ValidateBy({ name: 'notBlank', validator: { validate } }, refusal('string_too_short', message));
}

function atMost(maxLength: number): PropertyDecorator {
  const message = `String should have at most ${maxLength} characters`;
  // Code points, as PostgreSQL and people count.
  const fits = (text: string) => text.length <= maxLength || [...text].length <= maxLength;
  const validate = (value: unknown) => typeof value !== 'string' || fits(value);
  return is.ValidateBy({ name: 'atMost', validator: { validate } }, refusal('string_too_long', message));
}
