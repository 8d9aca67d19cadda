/** As much of JSON Schema as forms are made of. */
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
  /** Few forms need it. */
  'x-advanced'?: boolean;
  /** What its value is picked from. */
  'x-picker'?: string;
  /** A text with columns in braces: the key of what maps or lists them. */
  'x-template'?: string;
}

/** The fields of a form in their order: those that most need, and the others. */
export function fieldsOf(schema: Schema): Record<'main' | 'advanced', [string, Schema][]> {
  const placeOf = ({ 'x-order': order = 0 }: Schema) => order;
  const all = Object.entries(schema.properties ?? {}).toSorted(([, a], [, b]) => placeOf(a) - placeOf(b));
  const isAdvanced = ([, field]: [string, Schema]) => field['x-advanced'] === true;
  return { main: all.filter((field) => !isAdvanced(field)), advanced: all.filter(isAdvanced) };
}

/** Whether everything that is required has a value. */
export const isFilledIn = (schema: Schema, filled: Values): boolean =>
  (schema.required ?? []).every((key) => filled[key] !== undefined);

export type Values = Record<string, unknown>;

/** How a field is filled in. Those with choices take their texts from a list that whoever shows the form has. */
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

/** A schema without the possibility to be null. */
export function bare(schema: Schema): Schema {
  const parts = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  return parts?.length === 1 ? { ...parts[0], description: schema.description ?? parts[0]!.description } : schema;
}

function typeOf({ type }: Schema): string | undefined {
  return Array.isArray(type) ? type.find((each) => each !== 'null') : type;
}

/** `prompt_source` as people read it. */
export function labelOf(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What was filled in: without empty texts, and without optional groups in which nothing stands. */
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

/** A list or a map that must be there may be empty. */
const EMPTY: Record<string, unknown> = { object: {}, array: [] };

/** What is fixed in a group says nothing by itself. */
function groupOf(schema: Schema, value: unknown, isRequired: boolean): Values | undefined {
  const given = filledIn(schema, (value ?? {}) as Values);
  if (!isRequired && Object.keys(given).length === 0) return undefined;
  const fixed = Object.entries(schema.properties ?? {}).filter(([, field]) => 'const' in bare(field));
  return { ...Object.fromEntries(fixed.map(([key, field]) => [key, bare(field).const])), ...given };
}
