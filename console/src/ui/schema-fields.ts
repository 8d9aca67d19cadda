/** The part of JSON Schema that forms support. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  /** Its place among the fields of a form. */
  'x-order'?: number;
  /** Folded, because few people need it. */
  'x-advanced'?: boolean;
  /** The kind of picker for its value. */
  'x-picker'?: string;
  /** A text with columns in braces: the key of the field that maps or lists them. */
  'x-template'?: string;
}

/** The fields of a form in their order: common ones, and advanced ones. */
export function fieldsOf(schema: Schema): Record<'main' | 'advanced', [string, Schema][]> {
  const placeOf = ({ 'x-order': order = 0 }: Schema) => order;
  const all = Object.entries(schema.properties ?? {}).toSorted(([, a], [, b]) => placeOf(a) - placeOf(b));
  const isAdvanced = ([, field]: [string, Schema]) => field['x-advanced'] === true;
  return { main: all.filter((field) => !isAdvanced(field)), advanced: all.filter(isAdvanced) };
}

/** Whether every required field has a value. */
export const isFilledIn = (schema: Schema, filled: Values): boolean =>
  (schema.required ?? []).every((key) => filled[key] !== undefined);

export type Values = Record<string, unknown>;

/** Kinds of inputs. Fields with choices get the texts from the caller that shows the form. */
export type FieldKind =
  | 'choice'
  | 'choices'
  | 'choice-map'
  | 'options'
  | 'fixed'
  | 'boolean'
  | 'number'
  | 'text'
  | 'long-text'
  | 'group'
  | 'json';

/** A text beyond this length gets several lines. */
const LONG_TEXT = 1000;

export function kindOf(given: Schema, hasChoices = false): FieldKind {
  const schema = bare(given);
  const type = typeOf(schema) ?? '';
  if (hasChoices) return CHOICE_KINDS[type] ?? 'choice';
  if ('const' in schema) return 'fixed';
  if (schema.enum) return 'options';
  if (schema.properties && type === 'object') return 'group';
  return (isLong(schema) ? LONG_KINDS[type] : PLAIN_KINDS[type]) ?? 'json';
}

const isLong = ({ maxLength = 0 }: Schema): boolean => maxLength > LONG_TEXT;

const LONG_KINDS: Record<string, FieldKind> = { string: 'long-text' };
const CHOICE_KINDS: Record<string, FieldKind> = { array: 'choices', object: 'choice-map' };
const PLAIN_KINDS: Record<string, FieldKind> = {
  boolean: 'boolean',
  number: 'number',
  integer: 'number',
  string: 'text',
};

/** A schema without its null variant. */
export function bare(schema: Schema): Schema {
  const parts = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  return parts?.length === 1 ? { ...parts[0], description: schema.description ?? parts[0]!.description } : schema;
}

function typeOf({ type }: Schema): string | undefined {
  return Array.isArray(type) ? type.find((each) => each !== 'null') : type;
}

/** `prompt_source` as a label for people. */
export function labelOf(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The filled-in values, without empty texts and empty optional groups. */
export function filledIn(schema: Schema, values: Values): Values {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([key, field]): [string, unknown][] => {
    const inner = bare(field);
    const kind = kindOf(field);
    const isRequired = schema.required?.includes(key) ?? false;
    const given = values[key] ?? (isRequired ? EMPTY[typeOf(inner) ?? ''] : undefined);
    const value = kind === 'group' ? groupOf(inner, given, isRequired) : given;
    return value === undefined || value === '' || value === null ? [] : [[key, value]];
  });
  return Object.fromEntries(fields);
}

/** Fills in the values. Keys that the form does not know stay as they are. */
export function mended(schema: Schema, values: Values): Values {
  const known = schema.properties ?? {};
  const others = Object.entries(values).filter(([key]) => !Object.hasOwn(known, key));
  return { ...Object.fromEntries(others), ...filledIn(schema, values) };
}

/** Empty values of required lists and maps. */
const EMPTY: Record<string, unknown> = { object: {}, array: [] };

/** The values of a group, with keys that the form does not know. Constants alone do not make it filled in. */
function groupOf(schema: Schema, value: unknown, isRequired: boolean): Values | undefined {
  const values = (value ?? {}) as Values;
  const given = mended(schema, values);
  if (!isRequired && Object.keys(given).length === 0) return undefined;
  const fixed = Object.entries(schema.properties ?? {}).filter(([, field]) => 'const' in bare(field));
  return { ...Object.fromEntries(fixed.map(([key, field]) => [key, bare(field).const])), ...given };
}
