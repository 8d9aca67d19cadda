import { characterAt } from './characters.js';
import { type Value, isDict, isList, toKey } from './values.js';

/** The entry of a dict or the item of a list or text; undefined when there is none. */
export function readEntry(object: Value, key: Value): Value | undefined {
  if (isDict(object)) return typeof key === 'object' && key !== null ? undefined : object.get(toKey(key));
  if (typeof key !== 'bigint' && typeof key !== 'boolean') return undefined;
  if (isList(object)) return object.at(Number(key));
  return typeof object === 'string' ? characterAt(object, Number(key)) : undefined;
}
