import { readEntry } from './entries.js';
import { characters, sliceCharacters } from './characters.js';
import { readMethod } from './methods.js';
import {
  GroupTuple,
  LoopState,
  Namespace,
  TemplateError,
  Undefined,
  type Value,
  isDict,
  isList,
  isNone,
  toInt,
  typeName,
} from './values.js';

/**
 * `object.name`: a method of the type first, then an entry of the dict. Nothing else exists: values have no
 * prototype a template could reach.
 */
export function readAttribute(object: Value, name: string): Value {
  if (object instanceof Undefined) return object;
  if (object instanceof LoopState) return object.attribute(name);
  if (object instanceof GroupTuple && object.named(name) !== undefined) return object.named(name) as Value;
  // Not `??` below: an entry may be null.
  const found = readMethod(object, name) ?? readNamed(object, name);
  return found === undefined ? noAttribute(object, name) : found;
}

function readNamed(object: Value, name: string): Value | undefined {
  if (object instanceof Namespace) return object.entries.get(name);
  return isDict(object) ? object.get(name) : undefined;
}

function noAttribute(object: Value, name: string): Undefined {
  return new Undefined(`${typeName(object)} object has no attribute '${name}'`);
}

/** `object[key]`: an entry or item first, then a method. Undefined when there is none. */
export function readItem(object: Value, key: Value): Value {
  if (object instanceof Undefined) return object;
  const found = readEntry(object, key);
  if (found !== undefined) return found;
  return typeof key === 'string' && !isNone(object) ? readAttribute(object, key) : noAttribute(object, String(key));
}

/** The attribute filters take: a dotted path, an index, or both mixed ("author.names.0"). */
export function readPath(object: Value, path: Value): Value {
  if (typeof path !== 'string') return readItem(object, path);
  return path
    .split('.')
    .reduce<Value>((value, part) => readItem(value, /^\d+$/.test(part) ? BigInt(part) : part), object);
}

/** `object[start:stop:step]` of a list, tuple or text. */
export function readSlice(object: Value, bounds: (Value | null)[]): Value {
  if (object instanceof Undefined) return object;
  if (typeof object !== 'string' && !isList(object)) throw new TemplateError(`'${typeName(object)}' cannot be sliced`);
  if (typeof object === 'string' && isPlain(bounds))
    return sliceCharacters(object, toInt(bounds[0] ?? 0n, 0), bounds[1] === null ? undefined : toInt(bounds[1], 0));
  const items: Value[] = typeof object === 'string' ? characters(object) : [...object];
  const picked = sliceIndexes(items.length, bounds).map((index) => items[index]);
  return typeof object === 'string' ? picked.join('') : picked;
}

/** Without a step: slices like those of JavaScript. */
function isPlain([start, stop, step]: (Value | null)[]): boolean {
  return step === null && [start, stop].every((bound) => bound === null || typeof bound === 'bigint');
}

function sliceIndexes(length: number, bounds: (Value | null)[]): number[] {
  const [start, stop, step] = bounds.map((bound) => (isNone(bound) ? null : toInt(bound, 0)));
  const stride = step ?? 1;
  if (stride === 0) throw new TemplateError('slice step cannot be zero');
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: number) => Math.min(Math.max(bound < 0 ? bound + length : bound, low), high);
  const from = start === null ? (stride > 0 ? low : high) : clamp(start);
  const to = stop === null ? (stride > 0 ? high : low) : clamp(stop);
  const indexes: number[] = [];
  for (let index = from; stride > 0 ? index < to : index > to; index += stride) indexes.push(index);
  return indexes;
}
