import { BooleanField, ListField, TextField } from '../http/fields.js';
import type { FieldClass, FieldClasses } from './fields.js';
import { KEYED } from './grammar.js';
import { operatorsOf } from './operators.js';

/** A field in the API, so that filter forms need no list of their own. */
export interface FieldDescription {
  field: string;
  class: FieldClass;
  operators: string[];
  /** Whether `nested_key` may be given. */
  hasKeys: boolean;
}

/** The fields in the order of their declaration. */
export function describeFilterFields(fields: FieldClasses): FieldDescription[] {
  return Object.entries(fields).map(([field, { class: fieldClass }]) => ({
    field,
    class: fieldClass,
    operators: operatorsOf(fieldClass),
    hasKeys: KEYED.has(fieldClass),
  }));
}

export abstract class FilterFieldBody {
  @TextField({ description: 'The name of the field, as filters give it in `field`.', example: 'status' })
  field: string;

  @TextField({
    description:
      'The kind of its values, such as `string`, `number`, `boolean` or `datetime`. It decides which operators there are.',
    example: 'string',
  })
  class: string;

  @ListField('string', {
    description: 'The operators that filters on this field may use.',
    example: ['is', 'is_not', 'in', 'not_in'],
  })
  operators: string[];

  @BooleanField({ description: 'Whether filters on this field take a `nested_key`.' })
  has_keys: boolean;
}

export function toFilterFieldBody({ field, class: fieldClass, operators, hasKeys }: FieldDescription): FilterFieldBody {
  return { field, class: fieldClass, operators, has_keys: hasKeys };
}
