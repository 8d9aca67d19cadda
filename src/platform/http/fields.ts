import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import * as is from 'class-validator';

/**
 * One decorator states a fact about a field once: what it accepts, how it is converted, how it is documented.
 * They compose class-validator, class-transformer and @nestjs/swagger, so that the three can never disagree.
 */
export interface FieldOptions {
  description?: string;
  example?: unknown;
  /** The key may be absent. */
  optional?: boolean;
  /** The value may be null. */
  nullable?: boolean;
  /** The value used when the key is absent, for the document only: handlers apply it themselves. */
  default?: unknown;
  /** The field comes from a query string or path: text is converted before it is checked. */
  query?: boolean;
}

interface Rule {
  validators: PropertyDecorator[];
  schema: ApiPropertyOptions;
  convert?: (value: unknown) => unknown;
}

export function TextField(options: FieldOptions & { minLength?: number; maxLength?: number; pattern?: RegExp } = {}) {
  const { minLength, maxLength, pattern } = options;
  return field(options, {
    validators: [
      is.IsString({ message: 'Input should be a valid string', context: { type: 'string_type' } }),
      ...(minLength ? [notBlank(minLength)] : []),
      ...(maxLength ? [atMost(maxLength)] : []),
      ...(pattern
        ? [
            is.Matches(pattern, {
              message: `Input should match ${pattern}`,
              context: { type: 'string_pattern_mismatch' },
            }),
          ]
        : []),
    ],
    schema: { type: 'string', minLength, maxLength, ...(pattern && { pattern: pattern.source }) },
  });
}

export function UuidField(options: FieldOptions = {}) {
  return field(options, {
    validators: [is.Matches(UUID, { message: 'Input should be a valid UUID', context: { type: 'uuid_parsing' } })],
    schema: { type: 'string', format: 'uuid' },
  });
}

export function IntegerField(options: FieldOptions & { min?: number; max?: number } = {}) {
  const { min, max = Number.MAX_SAFE_INTEGER } = options;
  return field(options, {
    validators: [
      is.IsInt({ message: 'Input should be a valid integer', context: { type: 'int_type' } }),
      ...(min === undefined
        ? []
        : [
            is.Min(min, {
              message: `Input should be greater than or equal to ${min}`,
              context: { type: 'greater_than_equal' },
            }),
          ]),
      is.Max(max, { message: `Input should be less than or equal to ${max}`, context: { type: 'less_than_equal' } }),
    ],
    schema: { type: 'integer', minimum: min, ...(max !== Number.MAX_SAFE_INTEGER && { maximum: max }) },
    convert: options.query
      ? (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value)
      : undefined,
  });
}

export function NumberField(options: FieldOptions = {}) {
  return field(options, {
    validators: [is.IsNumber({}, { message: 'Input should be a valid number', context: { type: 'float_type' } })],
    schema: { type: 'number' },
  });
}

/** In a query string `true`, `True`, `1` and their opposites are accepted: clients differ. */
export function BooleanField(options: FieldOptions = {}) {
  return field(options, {
    validators: [is.IsBoolean({ message: 'Input should be a valid boolean', context: { type: 'bool_type' } })],
    schema: { type: 'boolean' },
    convert: options.query ? (value) => BOOLEANS.get(String(value).toLowerCase()) ?? value : undefined,
  });
}

export function DateTimeField(options: FieldOptions = {}) {
  return field(options, {
    validators: [
      is.IsISO8601(
        { strict: true },
        { message: 'Input should be a valid datetime', context: { type: 'datetime_parsing' } },
      ),
    ],
    schema: { type: 'string', format: 'date-time' },
  });
}

export function EnumField<T extends string>(values: readonly T[], options: FieldOptions = {}) {
  const list = values.map((value) => `'${value}'`).join(', ');
  return field(options, {
    validators: [is.IsIn(values, { message: `Input should be one of ${list}`, context: { type: 'enum' } })],
    schema: { type: 'string', enum: [...values] },
  });
}

/** Any JSON value, handed on untouched. */
export function JsonField(options: FieldOptions = {}) {
  return field(options, { validators: [is.Allow()], schema: { ...ANY_JSON }, convert: KEEP });
}

/** A JSON object with free keys, handed on untouched. */
export function JsonObjectField(options: FieldOptions & { values?: ApiPropertyOptions } = {}) {
  const additionalProperties = (options.values ?? true) as boolean;
  return field(options, {
    validators: [is.IsObject({ message: 'Input should be a valid dictionary', context: { type: 'dict_type' } })],
    schema: { type: 'object', additionalProperties },
    convert: KEEP,
  });
}

export function NestedField(type: () => Class, options: FieldOptions = {}) {
  return applyDecorators(
    Type(type),
    field(options, {
      validators: [
        is.IsObject({ message: 'Input should be a valid dictionary', context: { type: 'dict_type' } }),
        is.ValidateNested(),
      ],
      schema: { type, ...(options.nullable && { oneOf: undefined }) } as ApiPropertyOptions,
    }),
  );
}

type ItemType = 'string' | 'integer' | 'uuid' | 'object';

/** A list of DTOs (pass a function), or of plain strings, integers, UUIDs or free objects (pass a name). */
export function ListField(
  item: (() => Class) | ItemType,
  options: FieldOptions & { minItems?: number; maxItems?: number } = {},
) {
  const { minItems, maxItems } = options;
  const list = [
    is.IsArray({ message: 'Input should be a valid list', context: { type: 'list_type' } }),
    ...(minItems === undefined
      ? []
      : [
          is.ArrayMinSize(minItems, {
            message: `List should have at least ${minItems} item(s)`,
            context: { type: 'too_short' },
          }),
        ]),
    ...(maxItems === undefined
      ? []
      : [
          is.ArrayMaxSize(maxItems, {
            message: `List should have at most ${maxItems} items`,
            context: { type: 'too_long' },
          }),
        ]),
  ];
  if (typeof item === 'function') {
    const nested = is.ValidateNested({
      each: true,
      message: 'Input should be a valid dictionary',
      context: { type: 'dict_type' },
    });
    const schema = { type: item, isArray: true, minItems, maxItems } as ApiPropertyOptions;
    return applyDecorators(Type(item), field(options, { validators: [...list, nested], schema }));
  }
  const { check, schema } = ITEMS[item];
  return field(options, {
    validators: [...list, check],
    schema: { type: 'array', items: schema, minItems, maxItems } as ApiPropertyOptions,
    convert: item === 'object' ? KEEP : undefined,
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
const ANY_JSON = {
  oneOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
  ],
};

/** class-transformer would rebuild free JSON and drop keys such as "constructor". */
const KEEP = Symbol('keep') as unknown as (value: unknown) => unknown;

const ITEMS = {
  string: {
    check: is.IsString({ each: true, message: 'Input should be a valid string', context: { type: 'string_type' } }),
    schema: { type: 'string' },
  },
  integer: {
    check: is.IsInt({ each: true, message: 'Input should be a valid integer', context: { type: 'int_type' } }),
    schema: { type: 'integer' },
  },
  uuid: {
    check: is.Matches(UUID, { each: true, message: 'Input should be a valid UUID', context: { type: 'uuid_parsing' } }),
    schema: { type: 'string', format: 'uuid' },
  },
  object: {
    check: is.IsObject({ each: true, message: 'Input should be a valid dictionary', context: { type: 'dict_type' } }),
    schema: { type: 'object', additionalProperties: true },
  },
};

function notBlank(minLength: number): PropertyDecorator {
  const message = `String should have at least ${minLength} character(s) that are not blank`;
  return is.ValidateBy(
    {
      name: 'notBlank',
      validator: { validate: (value) => typeof value !== 'string' || value.trim().length >= minLength },
    },
    { message, context: { type: 'string_too_short' } },
  );
}

function atMost(maxLength: number): PropertyDecorator {
  const message = `String should have at most ${maxLength} characters`;
  return is.ValidateBy(
    {
      name: 'atMost',
      // Code points, as PostgreSQL and people count.
      validator: {
        validate: (value) => typeof value !== 'string' || value.length <= maxLength || [...value].length <= maxLength,
      },
    },
    { message, context: { type: 'string_too_long' } },
  );
}

function field(options: FieldOptions, rule: Rule): PropertyDecorator {
  const { description, example, optional = false, nullable = false } = options;
  const documentation = { description, example, nullable: nullable || undefined, default: options.default };
  const decorators: PropertyDecorator[] = [
    is.ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null)),
    ...rule.validators,
    ApiProperty({ ...rule.schema, ...documentation, required: !optional } as ApiPropertyOptions),
  ];
  const { convert } = rule;
  if (convert === KEEP) decorators.push(Transform(({ obj, key }) => (obj as Record<string, unknown>)[key]));
  else if (convert)
    decorators.push(Transform(({ value }) => (value === undefined || value === null ? value : convert(value))));
  return applyDecorators(...decorators);
}
