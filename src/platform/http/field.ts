import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { readJson } from '../read-json.js';
import type { JsonObject } from '../json.js';

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
  /** Place among the fields of a form, ascending; default: as declared. */
  order?: number;
  /** Forms show it only on request. */
  advanced?: boolean;
  /** A form offers these to pick its value from. */
  picker?: FieldPicker;
  /** The text names columns as `{name}`: the key of the map or list that says which they are. */
  template?: string;
}

export const FIELD_PICKERS = ['columns', 'prompts', 'models', 'tools', 'labels', 'workflows'] as const;
export type FieldPicker = (typeof FIELD_PICKERS)[number];

/** The validation, documentation and conversion of a field. */
export interface FieldRule {
  /** Ordered by importance: the first broken one is reported. */
  validators: PropertyDecorator[];
  schema: ApiPropertyOptions;
  convert?: (value: unknown) => unknown;
  /** The class of the value, or of each item when the value is a list. */
  nested?: () => Class<object>;
  /** The most items that a list of nested values may have. */
  maxItems?: number;
}

/** The stored metadata of a field. */
interface KnownField extends FieldRule {
  options: FieldOptions;
}

const FIELDS = Symbol('fields');

/** Makes a property a field: registers its checks, its documentation and its conversion in one step. */
export function field(options: FieldOptions, rule: FieldRule): PropertyDecorator {
  const { description, example, optional = false, nullable = false } = options;
  const documentation = { description, example, nullable: nullable || undefined, default: options.default };
  return applyDecorators(
    ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null)),
    ...rule.validators,
    ApiProperty({ ...rule.schema, ...documentation, required: !optional } as ApiPropertyOptions),
    remember({ ...rule, options }),
  );
}

function remember(known: KnownField): PropertyDecorator {
  return (prototype, key) => Reflect.defineMetadata(FIELDS, { ...fieldsOf(prototype), [key]: known }, prototype);
}

/** Includes the fields of parent classes. */
function fieldsOf(prototype: object): Record<string, KnownField> {
  return (Reflect.getMetadata(FIELDS, prototype) as Record<string, KnownField> | undefined) ?? {};
}

/** The names of the fields of a class. */
export function fieldNames(type: Class<object>): string[] {
  return Object.keys(fieldsOf(type.prototype as object));
}

/** The JSON Schema of a class of fields without nested classes. */
export function jsonSchemaOf(type: Class<object>): JsonObject {
  const fields = Object.entries(fieldsOf(type.prototype as object));
  const properties = fields.map(([key, { schema, options }], index) => {
    const { description, example, nullable, order = index + 1, advanced, picker, template } = options;
    const types = nullable && 'type' in schema ? { type: [schema.type, 'null'] } : {};
    return [
      key,
      {
        ...schema,
        ...types,
        description,
        default: options.default,
        examples: example === undefined ? undefined : [example],
        'x-order': order,
        'x-advanced': advanced || undefined,
        'x-picker': picker,
        'x-template': template,
      },
    ];
  });
  const required = fields.filter(([, { options }]) => !options.optional).map(([key]) => key);
  // Through JSON, which drops undefined values.
  return readJson(
    JSON.stringify({ type: 'object', properties: Object.fromEntries(properties), required }),
  ) as JsonObject;
}

/**
 * An instance of a class of fields, with the fields of the input. Values are converted and nested classes become instances; free
 * JSON stays untouched, with any keys. Other keys are left out.
 */
export function toInstance<T extends object>(type: Class<T>, input: object): T {
  const instance = new type();
  for (const [key, known] of Object.entries(fieldsOf(type.prototype as object))) {
    if (!Object.hasOwn(input, key)) continue;
    const value = convertValue(known, (input as Record<string, unknown>)[key]);
    if (value !== undefined) (instance as Record<string, unknown>)[key] = value;
  }
  return instance;
}

function convertValue({ convert, nested, maxItems = Infinity }: FieldRule, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (!nested) return convert ? convert(value) : value;
  const toItem = (item: unknown) => (isPlainObject(item) ? toInstance(nested(), item) : item);
  // One item too many is enough to refuse the list. Checking all items would block the server for minutes.
  return Array.isArray(value) ? value.slice(0, maxItems + 1).map(toItem) : toItem(value);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
