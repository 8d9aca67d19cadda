import { STRING_METHODS } from './string-methods.js';
import { compare, equals } from './operators.js';
import {
  Arguments,
  Callable,
  type Dict,
  TemplateError,
  Tuple,
  type Value,
  isDict,
  isList,
  iterate,
  toInt,
  toKey,
} from './values.js';

/** The method of a value's type as a callable, or undefined. */
export function readMethod(value: Value, name: string): Callable | undefined {
  const method = findMethod(value, name);
  return method && new Callable(name, method);
}

function findMethod(value: Value, name: string): ((given: Arguments) => Value) | undefined {
  if (typeof value === 'string') return bound(STRING_METHODS, value, name);
  if (isDict(value)) return bound(DICT_METHODS, value, name);
  if (value instanceof Tuple) return bound(TUPLE_METHODS, value, name);
  if (isList(value)) return bound(LIST_METHODS, value, name);
  return undefined;
}

type Methods<T> = Record<string, (self: T, given: Arguments) => Value>;

function bound<T>(methods: Methods<T>, self: T, name: string): ((given: Arguments) => Value) | undefined {
  return Object.hasOwn(methods, name) ? (given) => methods[name](self, given) : undefined;
}

/** A method that only changes the object returns None. */
function changes<T>(change: (self: T, given: Arguments) => unknown): (self: T, given: Arguments) => null {
  return (self, given) => {
    change(self, given);
    return null;
  };
}

const TUPLE_METHODS: Methods<Value[]> = {
  count: (self, given) => BigInt(self.filter((item) => equals(item, required(given))).length),
  index: (self, given) => {
    const index = self.findIndex((item) => equals(item, required(given)));
    if (index < 0) throw new TemplateError('value is not in list');
    return BigInt(index);
  },
};

const LIST_METHODS: Methods<Value[]> = {
  ...TUPLE_METHODS,
  append: changes((self, given) => self.push(required(given))),
  // Copies the items, because a list can be extended by itself.
  extend: changes((self, given) =>
    iterate(required(given))
      .slice()
      .forEach((item) => self.push(item)),
  ),
  insert: changes((self, given) => self.splice(toInt(given.positional[0], 0), 0, required(given, 1))),
  pop: (self, given) => {
    const index = toInt(given.positional[0], -1);
    const [item] = self.splice(index, 1);
    if (item === undefined || index < -self.length - 1) throw new TemplateError('pop index out of range');
    return item;
  },
  remove: changes((self, given) => self.splice(Number(TUPLE_METHODS.index(self, given)), 1)),
  reverse: changes((self) => self.reverse()),
  sort: changes((self, given) => {
    const [, reverse] = given.bind('key', 'reverse');
    self.sort((left, right) => (reverse ? compare(right, left) : compare(left, right)));
  }),
  copy: (self) => [...self],
  clear: changes((self) => self.splice(0)),
};

const DICT_METHODS: Methods<Dict> = {
  get: (self, given) => entryOr(self, given, null) as Value,
  items: (self) => [...self].map(([key, value]) => Tuple.make(key, value)),
  keys: (self) => [...self.keys()],
  values: (self) => [...self.values()],
  copy: (self) => new Map(self),
  clear: changes((self) => self.clear()),
  update: changes((self, given) => {
    for (const [key, value] of dictEntries(given)) self.set(key, value);
  }),
  setdefault: (self, given) => {
    const key = toKey(required(given));
    if (!self.has(key)) self.set(key, given.positional[1] ?? null);
    return self.get(key) as Value;
  },
  pop: (self, given) => {
    const key = toKey(required(given));
    const value = entryOr(self, given, undefined);
    if (value === undefined) throw new TemplateError('key is not in the dict');
    self.delete(key);
    return value;
  },
};

/** Entries of `dict(...)`: another dict or pairs, then keywords. */
export function dictEntries(given: Arguments): [Value, Value][] {
  const [source] = given.positional;
  const entries: [Value, Value][] = isDict(source)
    ? [...source]
    : source === undefined
      ? []
      : iterate(source).map(toPair);
  return [...entries, ...given.keywords];
}

function toPair(item: Value): [Value, Value] {
  const pair = iterate(item);
  if (pair.length !== 2) throw new TemplateError('a dict is made of pairs');
  return [toKey(pair[0]), pair[1]];
}

/** The entry of the first argument, else the second argument, else the fallback. An entry may be null. */
function entryOr(self: Dict, given: Arguments, fallback: null | undefined): Value | undefined {
  const value = self.get(toKey(required(given)));
  if (value !== undefined) return value;
  return given.positional[1] === undefined ? fallback : given.positional[1];
}

function required(given: Arguments, index = 0): Value {
  const value = given.positional[index];
  if (value === undefined) throw new TemplateError('an argument is missing');
  return value;
}
