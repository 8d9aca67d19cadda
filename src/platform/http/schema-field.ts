import type { ApiPropertyOptions } from '@nestjs/swagger';
import * as is from 'class-validator';
import { z } from 'zod';
import { readJson } from '../read-json.js';
import { type Detail, MOST_DETAILS } from '../errors/problem.js';
import { field, type FieldOptions } from './field.js';
import { MOST_UNKNOWN_KEYS, unknownKeyMessage } from './unknown-keys.js';

/**
 * A field whose value is described by a schema, for unions, recursion and defaults, which classes cannot express. The handler gets
 * the parsed value. A schema with an id (`.meta({ id })`) is a named component of the OpenAPI document.
 */
export function SchemaField(schema: z.ZodType, options: FieldOptions = {}): PropertyDecorator {
  const validate = (value: unknown) => value !== undefined && value !== null && !(value instanceof RefusedValue);
  const refusal = { message: 'Input should not be null', context: { type: 'none_not_allowed' } };
  return field(options, {
    validators: [is.ValidateBy({ name: 'schema', validator: { validate } }, refusal)],
    schema: documentationOf(schema),
    convert: (value) => parseOrRefuse(schema, value),
  });
}

/** Stands in for a value that does not fit its schema until the validation pipe reports it. */
export class RefusedValue {
  constructor(readonly details: Detail[]) {}
}

const COMPONENTS = '#/components/schemas/';

/** Errors of a value as entries of a 422 answer below `at`, as many as an answer lists. */
export function toDetails(error: z.ZodError, at: (string | number)[] = []): Detail[] {
  return error.issues.slice(0, MOST_DETAILS).flatMap((issue) => issueDetails(issue, at));
}

/** Ends lists and objects at the first fault in them. */
const UNTIL_FIRST_FAULT: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/** Parts up to which all faults of a value are searched. */
const MOST_SEARCHED = 10_000;

/**
 * Parses a value of a client. Of a large one only the first faults are found: a body of a few megabytes can have millions, which would
 * take a minute and gigabytes.
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const parsed = schema.safeParse(value, UNTIL_FIRST_FAULT);
  return parsed.success || isLarge(value) ? parsed : schema.safeParse(value);
}

function isLarge(value: unknown): boolean {
  const open = [value];
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > MOST_SEARCHED) return true;
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const parts = Array.isArray(next) ? next : Object.values(next);
    if (parts.length > MOST_SEARCHED) return true;
    open.push(...(parts as unknown[]));
  }
  return false;
}

/** The schemas with an id, as components of the OpenAPI document. */
export function namedSchemas(): Record<string, object> {
  const uri = (id: string) => COMPONENTS + id;
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, io: 'input', unrepresentable: 'any' });
  const plain = Object.entries(schemas).map(([id, schema]) => {
    const { $schema: _, $id: __, ...rest } = schema as Record<string, unknown>;
    return [id, rest];
  });
  return Object.fromEntries(plain) as Record<string, object>;
}

function parseOrRefuse(schema: z.ZodType, value: unknown): unknown {
  const parsed = parseWith(schema, value);
  return parsed.success ? parsed.data : new RefusedValue(toDetails(parsed.error));
}

function documentationOf(schema: z.ZodType): ApiPropertyOptions {
  const id = schema.meta()?.id;
  if (id) return { oneOf: [{ $ref: COMPONENTS + id }] };
  const { $schema: _, $defs: __, ...inline } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // Schemas with a definition of their own are named components.
  return readJson(JSON.stringify(inline).replaceAll('"#/$defs/', `"${COMPONENTS}`)) as ApiPropertyOptions;
}

const EXTRA = 'Extra inputs are not permitted';

/** An object that refuses unknown keys and suggests the probable key, in a line of the message for each. */
export function closedObject<T extends z.core.$ZodLooseShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? reported(issue.keys)
            .map((key) => unknownKeyMessage(key, known))
            .join('\n')
        : undefined,
  });
}

const reported = (keys: readonly string[]): string[] => keys.slice(0, MOST_UNKNOWN_KEYS);

const TYPES: Record<string, string> = {
  invalid_type: 'type_error',
  unrecognized_keys: 'extra_forbidden',
  invalid_union: 'union_tag_invalid',
  invalid_value: 'enum',
};

function issueDetails(issue: z.core.$ZodIssue, at: (string | number)[]): Detail[] {
  const loc = [...at, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return reported(issue.keys).map((key, index) => ({
      loc: [...loc, key],
      msg: messages[index] ?? EXTRA,
      type: 'extra_forbidden',
    }));
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') return [sizeDetail(issue, loc)];
  const missing = issue.code === 'invalid_type' && issue.input === undefined && issue.message.endsWith(' undefined');
  if (missing) return [{ loc, msg: 'Field required', type: 'missing' }];
  return [{ loc, msg: issue.message, type: TYPES[issue.code] ?? issue.code }];
}

function sizeDetail(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, loc: Detail['loc']): Detail {
  const isSmall = issue.code === 'too_small';
  if (issue.origin === 'number' || issue.origin === 'int') {
    const than = isSmall ? 'greater_than' : 'less_than';
    return { loc, msg: issue.message, type: issue.inclusive === false ? than : `${than}_equal` };
  }
  const type = isSmall ? 'too_short' : 'too_long';
  return { loc, msg: issue.message, type: issue.origin === 'string' ? `string_${type}` : type };
}

/** A text of `min` to `max` characters (code points, as PostgreSQL and people count), not only blanks. */
export function boundedText(min: number, max: number): z.ZodString {
  const tooLong = (text: string) => text.length > max && [...text].length > max;
  return z
    .string()
    .refine((text) => text.trim().length >= min, `String should have at least ${min} character(s) that are not blank`)
    .refine((text) => !tooLong(text), `String should have at most ${max} characters`)
    .meta({ minLength: min, maxLength: max });
}
