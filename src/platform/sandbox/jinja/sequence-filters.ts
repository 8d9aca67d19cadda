import { characters } from './characters.js';
import { readPath } from './attributes.js';
import type { Engine, FilterFunction } from './filter-arguments.js';
import { attributeReader, fingerprint, foldCase } from './filter-arguments.js';
import { applyBinary, compare, undefinedError } from './operators.js';
import { joinAll } from './string-methods.js';
import { toText } from './text.js';
import {
  Arguments,
  GroupTuple,
  TemplateError,
  Tuple,
  Undefined,
  type Value,
  isDict,
  iterate,
  lengthOf,
  textArgument,
  toInt,
  truthy,
  typeName,
} from './values.js';

/** Filters over lists, dicts and the characters of texts. They return lists where Jinja2 returns generators. */
export const SEQUENCE_FILTERS: Record<string, FilterFunction> = {
  length: (value) => BigInt(lengthOf(value)),
  count: (value) => BigInt(lengthOf(value)),
  list: (value) => [...iterate(value)],
  first: (value) => itemAt(iterate(value), 0),
  last: (value) => itemAt(iterate(value), -1),
  random: (value) => itemAt(iterate(value), Math.floor(Math.random() * lengthOf(value))),
  reverse: (value) =>
    typeof value === 'string' ? characters(value).reverse().join('') : [...iterate(value)].reverse(),
  join: (value, given) => {
    const [separator, attribute] = given.bind('d', 'attribute');
    const read = attributeReader(attribute);
    return joinAll(
      iterate(value).map((item) => toText(read(item))),
      separator === undefined ? '' : toText(separator),
    );
  },
  sort: (value, given) => {
    const [reverse, caseSensitive, attribute] = given.bind('reverse', 'case_sensitive', 'attribute');
    return sortBy(iterate(value), attribute, {
      reverse: truthy(reverse ?? false),
      caseSensitive: truthy(caseSensitive ?? false),
    });
  },
  unique: (value, given) => {
    const [caseSensitive, attribute] = given.bind('case_sensitive', 'attribute');
    return unique(iterate(value), attributeReader(attribute), truthy(caseSensitive ?? false));
  },
  min: (value, given) => extreme(value, given, -1),
  max: (value, given) => extreme(value, given, 1),
  sum: (value, given) => {
    const [attribute, start] = given.bind('attribute', 'start');
    return iterate(value)
      .map(attributeReader(attribute))
      .reduce<Value>((sum, item) => applyBinary('+', sum, item), start ?? 0n);
  },
  batch: (value, given) => {
    const [size, fill] = given.bind('linecount', 'fill_with');
    return batch(iterate(value), toInt(size, 0), fill);
  },
  slice: (value, given) => {
    const [count, fill] = given.bind('slices', 'fill_with');
    return slices(iterate(value), toInt(count, 0), fill);
  },
  map: mapItems,
  select: (value, given, engine) => iterate(value).filter(itemTest(given, engine)),
  reject: (value, given, engine) => rejected(value, itemTest(given, engine)),
  selectattr: (value, given, engine) => iterate(value).filter(attributeTest(given, engine)),
  rejectattr: (value, given, engine) => rejected(value, attributeTest(given, engine)),
  groupby: groupBy,
  items: (value) => {
    if (value instanceof Undefined) return [];
    if (!isDict(value)) throw new TemplateError('Can only get item pairs from a mapping.');
    return [...value].map(([key, item]) => Tuple.make(key, item));
  },
  dictsort: dictSort,
  attr: (value, given) => {
    // Reads attributes only, which are methods: entries of a dict are none.
    const name = textArgument(given.bind('name')[0]);
    return isDict(value) ? new Undefined(`'dict object' has no attribute '${name}'`) : readPath(value, name);
  },
};

function itemAt(items: Value[], index: number): Value {
  const item = items.at(index);
  return item === undefined ? new Undefined('the item of an empty sequence') : item;
}

interface SortOptions {
  reverse: boolean;
  caseSensitive: boolean;
}

function sortBy(items: Value[], attribute: Value | undefined, options: SortOptions): Value[] {
  const paths = typeof attribute === 'string' ? attribute.split(',') : [attribute];
  const keyed = items.map((item) => ({
    item,
    keys: paths.map((path) => foldCase(attributeReader(path)(item), options.caseSensitive)),
  }));
  const direction = options.reverse ? -1 : 1;
  return keyed.sort((left, right) => direction * compare(left.keys, right.keys)).map(({ item }) => item);
}

function unique(items: Value[], read: (item: Value) => Value, caseSensitive: boolean): Value[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const mark = fingerprint(foldCase(read(item), caseSensitive));
    return !seen.has(mark) && seen.add(mark);
  });
}

function extreme(value: Value, given: Arguments, sign: 1 | -1): Value {
  const [caseSensitive, attribute] = given.bind('case_sensitive', 'attribute');
  const read = attributeReader(attribute);
  const key = (item: Value) => foldCase(read(item), truthy(caseSensitive ?? false));
  const items = iterate(value);
  if (items.length === 0) return new Undefined('No aggregated item, sequence was empty.');
  return items.reduce((best, item) => (sign * compare(key(item), key(best)) > 0 ? item : best));
}

function batch(items: Value[], size: number, fill: Value | undefined): Value[] {
  if (size < 1) throw new TemplateError('batch needs a positive size');
  const batches: Value[][] = [];
  for (let at = 0; at < items.length; at += size) batches.push(items.slice(at, at + size));
  const last = batches.at(-1);
  // A fill may be long, but not longer than one batch of what there is to print.
  while (last && fill !== undefined && fill !== null && last.length < Math.min(size, 1_000_000)) last.push(fill);
  return batches;
}

function slices(items: Value[], count: number, fill: Value | undefined): Value[] {
  if (count < 1 || count > 1_000_000) throw new TemplateError('slice needs a positive number');
  const size = Math.floor(items.length / count);
  const longer = items.length % count;
  return Array.from({ length: count }, (_, index) => {
    const start = index * size + Math.min(index, longer);
    const slice = items.slice(start, start + size + (index < longer ? 1 : 0));
    return fill !== undefined && fill !== null && index >= longer ? [...slice, fill] : slice;
  });
}

function mapItems(value: Value, given: Arguments, engine: Engine): Value {
  const items = iterate(value);
  if (given.positional.length === 0 && given.keywords.has('attribute')) {
    const [attribute, fallback] = given.bind('attribute', 'default');
    return items.map(attributeReader(attribute, fallback));
  }
  const [name, ...rest] = given.positional;
  const passed = new Arguments(rest, given.keywords);
  return items.map((item) => engine.filter(textArgument(name), item, passed));
}

function itemTest(given: Arguments, engine: Engine): (item: Value) => boolean {
  const [name, ...rest] = given.positional;
  if (name === undefined) return truthy;
  const passed = new Arguments(rest, given.keywords);
  return (item) => engine.test(textArgument(name), item, passed);
}

function attributeTest(given: Arguments, engine: Engine): (item: Value) => boolean {
  const [attribute, ...rest] = given.positional;
  if (attribute === undefined) throw new TemplateError('Missing parameter for attribute name');
  const test = itemTest(new Arguments(rest, given.keywords), engine);
  return (item) => test(readPath(item, attribute));
}

function rejected(value: Value, test: (item: Value) => boolean): Value[] {
  return iterate(value).filter((item) => !test(item));
}

/** Groups are pairs that also answer to `grouper` and `list`, in the order of their keys. */
function groupBy(value: Value, given: Arguments): Value {
  const [attribute, fallback, caseSensitive] = given.bind('attribute', 'default', 'case_sensitive');
  const read = attributeReader(attribute, fallback);
  const key = (item: Value) => foldCase(read(item), truthy(caseSensitive ?? false));
  const sorted = [...iterate(value)].sort((left, right) => compare(key(left), key(right)));
  const groups: Value[][] = [];
  for (const item of sorted) {
    const last = groups.at(-1);
    if (last && compare(key(item), key(last[0])) === 0) last.push(item);
    else groups.push([item]);
  }
  return groups.map((items) => GroupTuple.make(read(items[0]), items));
}

function dictSort(value: Value, given: Arguments): Value {
  const [caseSensitive, by, reverse] = given.bind('case_sensitive', 'by', 'reverse');
  if (value instanceof Undefined) throw undefinedError(value);
  if (!isDict(value)) throw new TemplateError(`'${typeName(value)}' object has no items`);
  if (by !== undefined && by !== 'key' && by !== 'value')
    throw new TemplateError("You can only sort by 'key' or 'value'");
  const pairs = [...value].map(([key, item]) => Tuple.make(key, item));
  return sortBy(pairs, by === 'value' ? 1n : 0n, {
    reverse: truthy(reverse ?? false),
    caseSensitive: truthy(caseSensitive ?? false),
  });
}
