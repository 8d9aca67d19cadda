import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { EnvelopeProblem } from './otlp.errors.js';
import { InvalidEnvelope } from './otlp.errors.js';

/** Limit of reported problems, enough to find what is wrong with a client. */
const MAX_PROBLEMS = 20;

/** A part of the request and the path to it. */
export interface Located<T> {
  value: T;
  loc: (string | number)[];
}

/** Walks the outer structure of a request and gathers everything that is not of the required type. */
export class EnvelopeReader {
  private readonly problems: EnvelopeProblem[] = [];

  /** The body itself; unlike its parts it must not be null. */
  root(value: JsonValue): Located<JsonObject> {
    const loc = ['body'];
    if (isObject(value)) return { value, loc };
    this.report(loc, 'object_type');
    return { value: {}, loc };
  }

  /** The object below a key (camelCase, or the same in snake_case); empty when absent. */
  object(parent: Located<JsonObject>, key: string): JsonObject {
    const { value, loc } = child(parent, key);
    if (value === undefined || value === null) return {};
    if (isObject(value)) return value;
    this.report(loc, 'object_type');
    return {};
  }

  /** The list below a key; empty when absent. */
  list(parent: Located<JsonObject>, key: string): Located<JsonValue[]> {
    const { value, loc } = child(parent, key);
    if (Array.isArray(value)) return { value, loc };
    if (value !== undefined && value !== null) this.report(loc, 'list_type');
    return { value: [], loc };
  }

  /** The objects of the list below a key. */
  objects(parent: Located<JsonObject>, key: string): Located<JsonObject>[] {
    const list = this.list(parent, key);
    const objects: Located<JsonObject>[] = [];
    for (const [index, value] of list.value.entries()) {
      const loc = [...list.loc, index];
      if (isObject(value)) objects.push({ value, loc });
      else this.report(loc, 'object_type');
    }
    return objects;
  }

  /** @throws InvalidEnvelope if anything was found wrong. */
  assertValid(): void {
    if (this.problems.length > 0) throw new InvalidEnvelope(this.problems);
  }

  private report(loc: (string | number)[], type: EnvelopeProblem['type']): void {
    if (this.problems.length === MAX_PROBLEMS) return;
    this.problems.push({ loc, msg: type === 'list_type' ? 'Must be a list.' : 'Must be an object.', type });
  }
}

function child(parent: Located<JsonObject>, key: string): Located<JsonValue | undefined> {
  const name = ownValue(parent.value, key) === undefined ? snakeCase(key) : key;
  const value = ownValue(parent.value, name);
  return { value, loc: [...parent.loc, value === undefined ? key : name] };
}

function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function snakeCase(camelCase: string): string {
  return camelCase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
