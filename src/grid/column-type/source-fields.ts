import type { SourceField } from './source-field.js';
import { applyDecorators } from '@nestjs/common';
import { IsObject, ValidateBy, type ValidationArguments } from 'class-validator';
import { field } from '../../platform/http/field.js';
import { type FieldOptions, ListField, TextField } from '../../platform/http/fields.js';
import { MAX_SOURCES } from './source-places.js';

const SOURCES = Symbol('sources');

const PICKED = { picker: 'columns' } as const;

/** Maximum length of a column's title. */
const MAX_REFERENCE = 255;

/** A config field that names one column, by title or id. */
export function SourceColumn(options: FieldOptions = {}): PropertyDecorator {
  // null is a place without a column yet.
  const described = {
    ...PICKED,
    description: 'A column: its title or its id.',
    example: 'Column A',
    nullable: true,
    ...options,
  };
  return applyDecorators(source({ shape: 'one' }), TextField({ ...described, maxLength: MAX_REFERENCE }));
}

/** A config field that lists columns, by title or id. */
export function SourceColumns(
  options: FieldOptions & { minItems?: number; maxItems?: number } = {},
): PropertyDecorator {
  const described = { ...PICKED, description: 'Columns: titles or ids.', ...options };
  return applyDecorators(source({ shape: 'list' }), ListField('string', described));
}

/**
 * A config field that maps variables to columns, by title or id; null or '' leaves a variable unmapped. Variables may have
 * any name. In the config that `compute` gets, the field is an object that inherits nothing, so that looking up a variable
 * finds a mapping or nothing.
 */
export function SourceMap(options: FieldOptions & { specialNames?: readonly string[] } = {}): PropertyDecorator {
  const { specialNames = [], ...described } = options;
  const reference = { type: ['string', 'null'], maxLength: MAX_REFERENCE };
  return applyDecorators(
    source({ shape: 'map', specialNames }),
    field(
      { ...PICKED, description: 'A column (its title or its id) for each variable; null for none.', ...described },
      {
        validators: [IsObject({ message: 'Input should be a valid dictionary' }), hasFewEntries, holdsReferences],
        schema: { type: 'object', additionalProperties: reference as object, maxProperties: MAX_SOURCES },
      },
    ),
  );
}

/** The fields of a config class that refer to columns. */
export function sourceFields(config: object): SourceField[] {
  return (Reflect.getMetadata(SOURCES, config) as SourceField[] | undefined) ?? [];
}

function source(rest: Omit<SourceField, 'key'>): PropertyDecorator {
  return (prototype, key) => {
    const { constructor } = prototype as { constructor: object };
    Reflect.defineMetadata(SOURCES, [...sourceFields(constructor), { key: String(key), ...rest }], constructor);
  };
}

const hasFewEntries = ValidateBy(
  { name: 'fewEntries', validator: { validate: (map: unknown) => entriesOf(map).length <= MAX_SOURCES } },
  { message: `Dictionary should have at most ${MAX_SOURCES} items` },
);

const holdsReferences = ValidateBy(
  { name: 'references', validator: { validate: (map: unknown) => wrongEntry(map) === undefined } },
  {
    message: ({ value }: ValidationArguments) =>
      `The column of ${JSON.stringify(wrongEntry(value)![0].slice(0, 100))} should be a title or an id of at most ` +
      `${MAX_REFERENCE} characters, or null`,
  },
);

function wrongEntry(map: unknown): [string, unknown] | undefined {
  return entriesOf(map).find(([, value]) => value !== null && !isReference(value));
}

function isReference(value: unknown): boolean {
  // Counts code points, like people.
  return typeof value === 'string' && (value.length <= MAX_REFERENCE || [...value].length <= MAX_REFERENCE);
}

/** Another rule rejects values that are not objects. */
function entriesOf(map: unknown): [string, unknown][] {
  return typeof map === 'object' && map !== null ? Object.entries(map) : [];
}
