import { characters, countCharacters } from './characters.js';

/**
 * The values of a template while it renders. Python's types map to JavaScript's so that none of them can be
 * confused: int is bigint, float is number, dict is Map, list is Array, tuple is Tuple.
 */
export type Value =
  null | boolean | bigint | number | string | Value[] | Dict | Undefined | EmptyNone | Callable | Namespace | LoopState;

export type Dict = Map<Value, Value>;

/** An error in a template or in its execution. Rendering stops. */
export class TemplateError extends Error {}

/** A name or attribute that does not exist. It renders empty, and so does every attribute of it. */
export class Undefined {
  constructor(readonly what: string) {}
}

/** A null that the caller supplied for a variable. Tests treat it as None, but it renders empty. */
export class EmptyNone {
  readonly type = 'NoneType';
}

export class Tuple extends Array<Value> {
  // Results of map and filter on a tuple are lists.
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  static make(...items: Value[]): Tuple {
    const tuple = new this();
    for (const item of items) tuple.push(item);
    return tuple;
  }
}

/** The result of `groupby`: a pair whose items have names. */
export class GroupTuple extends Tuple {
  named(name: string): Value | undefined {
    return name === 'grouper' ? this[0] : name === 'list' ? this[1] : undefined;
  }
}

/** The result of `namespace()`: the only object whose attributes a template may set. */
export class Namespace {
  constructor(readonly entries: Map<string, Value>) {}
}

export class Callable {
  constructor(
    readonly name: string,
    readonly call: (given: Arguments) => Value,
  ) {}
}

/** The `loop` of a for statement: its attributes by name, and its call when the loop is recursive. */
export class LoopState {
  constructor(
    readonly attribute: (name: string) => Value,
    readonly recurse: ((given: Arguments) => Value) | null,
  ) {}
}

/** The arguments of one call of a function, method, filter or test. */
export class Arguments {
  constructor(
    readonly positional: Value[] = [],
    readonly keywords: Map<string, Value> = new Map(),
  ) {}

  /** Values in the order of the parameter names, undefined where the caller gave none. Throws on surplus ones. */
  bind(...names: string[]): (Value | undefined)[] {
    if (this.positional.length > names.length) throw new TemplateError('too many arguments');
    const bound: (Value | undefined)[] = names.map((_, index) => this.positional[index]);
    for (const [name, value] of this.keywords) {
      const index = names.indexOf(name);
      if (index < 0) throw new TemplateError(`unexpected keyword argument '${name}'`);
      if (index < this.positional.length) throw new TemplateError(`multiple values for argument '${name}'`);
      bound[index] = value;
    }
    return bound;
  }
}

export function isNone(value: Value | undefined): value is null | EmptyNone {
  return value === null || value instanceof EmptyNone;
}

export function isList(value: Value | undefined): value is Value[] {
  return Array.isArray(value);
}

export function isDict(value: Value | undefined): value is Dict {
  return value instanceof Map;
}

/** Types that arithmetic accepts: int, float or bool. */
export function isNumeric(value: Value | undefined): value is number | bigint | boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

export function truthy(value: Value): boolean {
  if (typeof value === 'object' && value !== null) {
    if (isList(value)) return value.length > 0;
    if (isDict(value)) return value.size > 0;
    return !(value instanceof Undefined) && !(value instanceof EmptyNone);
  }
  return Boolean(value);
}

/** The items of a for statement: items, keys of a dict, characters of a text, nothing for an undefined. */
export function iterate(value: Value): Value[] {
  if (isList(value)) return value;
  if (isDict(value)) return [...value.keys()];
  if (typeof value === 'string') return characters(value);
  if (value instanceof Undefined || value instanceof EmptyNone) return [];
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

export function lengthOf(value: Value): number {
  if (isNumeric(value) || value === null) throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
  if (typeof value === 'string') return countCharacters(value);
  return isDict(value) ? value.size : iterate(value).length;
}

const PRIMITIVE_TYPES: Record<string, string> = { string: 'str', number: 'float', bigint: 'int', boolean: 'bool' };

/** The name Python would give the type, for messages. */
export function typeName(value: Value): string {
  if (isNone(value)) return 'NoneType';
  if (value instanceof Tuple) return 'tuple';
  if (isList(value)) return 'list';
  if (isDict(value)) return 'dict';
  return PRIMITIVE_TYPES[typeof value] ?? value.constructor.name;
}

/** A value as the key of a dict: 1.0 and 1 are the same key, containers cannot be keys. */
export function toKey(value: Value): Value {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'object' && value !== null) throw new TemplateError(`unhashable type: '${typeName(value)}'`);
  return value;
}

/** JSON from outside as template values, copied, so that no template changes the values of another one. */
export function fromJson(json: unknown): Value {
  if (typeof json === 'number') return Number.isInteger(json) && Math.abs(json) < 1e21 ? BigInt(json) : json;
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json === 'object' && json !== null) {
    return new Map(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
  }
  return json as Value;
}

/** An argument that must be text. */
export function textArgument(value: Value | undefined, fallback?: string): string {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'string') return value;
  throw new TemplateError(`expected str, not ${value === undefined ? 'nothing' : typeName(value)}`);
}

/** An argument that must be a whole number. */
export function toInt(value: Value | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'bigint') throw new TemplateError(`'${typeName(value)}' object cannot be an integer`);
  return Number(value);
}
