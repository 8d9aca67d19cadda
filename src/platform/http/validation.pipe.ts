import { type ArgumentMetadata, Injectable, type PipeTransform, SetMetadata, type Type } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import { type Detail, ValidationProblem } from '../errors/problem.js';
import { safeJson } from '../safe-text.js';
import { fieldNames, toInstance } from './field.js';
import { rememberMetadata } from './remembered-metadata.js';
import { RefusedValue } from './schema-field.js';
import { unknownKeys } from './unknown-keys.js';

rememberMetadata();

const CLOSED = 'body:closed';
const NULLABLE = 'body:nullable';
const PLACES: Record<string, string> = { body: 'body', query: 'query', param: 'path' };

/** The names of the classes of bodies that refuse unknown keys, for the OpenAPI document. */
export const closedBodies = new Set<string>();

/**
 * For bodies and queries that refuse unknown keys: those that select data, because a misspelled condition would select everything.
 * All others ignore unknown keys, which clients do send. So do the lists under `/tables`, as their contract demands; their answers
 * list the ignored keys (`UnknownQueryInterceptor`).
 */
export function Closed(): ClassDecorator {
  return (target) => {
    closedBodies.add(target.name);
    Reflect.defineMetadata(CLOSED, true, target);
  };
}

/** Whether a class of a body or a query refuses unknown keys. */
export const isClosed = (dtoClass: object): boolean => Reflect.getMetadata(CLOSED, dtoClass) === true;

/** For bodies that may be `null`, which counts as an empty object. */
export const NullableBody = (): ClassDecorator => SetMetadata(NULLABLE, true);

/** Validates bodies, queries and paths by their DTO classes; errors include the location of the value. */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    const place = PLACES[type];
    if (!place || !metatype || isPlain(metatype)) return value;
    const dtoClass = metatype as Type<object>;
    const input = place === 'body' ? requireObject(value, dtoClass) : safeJson({ ...(value as object) });
    const dto = toInstance(dtoClass, input);
    const details = [...unknownFields(dtoClass, input, place), ...toDetails(validate(dto), [place])];
    if (details.length > 0) throw new ValidationProblem(details);
    return dto;
  }
}

/** Errors of an instance of a class of fields. */
export function validate(dto: object): ValidationError[] {
  return validateSync(dto, { forbidUnknownValues: false });
}

function isPlain(metatype: unknown): boolean {
  return [String, Boolean, Number, Array, Object, Buffer].includes(metatype as never);
}

/** An absent body counts as an empty object: required fields then report themselves. */
function requireObject(body: unknown, dtoClass: Type<object>): object {
  if (body === undefined || (body === null && Reflect.getMetadata(NULLABLE, dtoClass) === true)) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  const msg = 'Input should be a valid dictionary or object to extract fields from';
  throw new ValidationProblem([{ loc: ['body'], msg, type: 'model_attributes_type' }]);
}

function unknownFields(dtoClass: Type<object>, input: object, place: string): Detail[] {
  if (!isClosed(dtoClass)) return [];
  return unknownKeys(Object.keys(input), fieldNames(dtoClass), [place]);
}

function toDetails(errors: ValidationError[], parent: (string | number)[]): Detail[] {
  return errors.flatMap((error) => {
    const loc = [...parent, /^\d+$/.test(error.property) ? Number(error.property) : error.property];
    // A value that is no list has no items to report.
    const children = error.constraints?.isArray ? [] : (error.children ?? []);
    return [...ownDetails(error, loc), ...toDetails(children, loc)];
  });
}

/** Reports only the most important broken rule of a field: "not a string" makes "too short" redundant. */
function ownDetails(error: ValidationError, loc: (string | number)[]): Detail[] {
  const rules = Object.entries(error.constraints ?? {});
  if (rules.length === 0) return [];
  if (error.value instanceof RefusedValue) {
    return error.value.details.map((detail) => ({ ...detail, loc: [...loc, ...detail.loc] }));
  }
  if (error.value === undefined) return [{ loc, msg: 'Field required', type: 'missing' }];
  // class-validator reports them in the order in which they are listed.
  const [rule, msg] = rules[0];
  const context = error.contexts?.[rule] as { type?: string } | undefined;
  return [{ loc, msg, type: context?.type ?? rule }];
}
