import { applyDecorators } from '@nestjs/common';
import { type FieldOptions, ListField, TextField } from '../../../platform/http/fields.js';

/** Where in a config a column is referred to: alone or in a list. */
export interface SourceField {
  key: string;
  shape: 'one' | 'list';
}

const SOURCES = Symbol('sources');

/** A config field that names one column, by title or id. */
export function SourceColumn(options: FieldOptions = {}): PropertyDecorator {
  // null is a place that is not connected yet.
  const described = { description: 'A column: its title or its id.', example: 'Column A', nullable: true, ...options };
  return applyDecorators(source('one'), TextField({ ...described, maxLength: 255 }));
}

/** A config field that lists columns, by title or id. */
export function SourceColumns(
  options: FieldOptions & { minItems?: number; maxItems?: number } = {},
): PropertyDecorator {
  return applyDecorators(source('list'), ListField('string', { description: 'Columns: titles or ids.', ...options }));
}

/** The fields of a config class that refer to columns. */
export function sourceFields(config: object): SourceField[] {
  return (Reflect.getMetadata(SOURCES, config) as SourceField[] | undefined) ?? [];
}

function source(shape: SourceField['shape']): PropertyDecorator {
  return (prototype, key) => {
    const { constructor } = prototype as { constructor: object };
    Reflect.defineMetadata(SOURCES, [...sourceFields(constructor), { key: String(key), shape }], constructor);
  };
}
