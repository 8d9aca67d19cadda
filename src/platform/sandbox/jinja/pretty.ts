import { assertTextLength, repr } from './text.js';
import { Tuple, type Value, isDict, isList } from './values.js';

const WIDTH = 80;

/** `pprint.pformat(value)`: dicts with their keys in order, and an entry a line where a line would be longer than 80 characters. */
export function prettyRepr(value: Value): string {
  return format(inOrder(value), 0, 0);
}

function inOrder(value: Value): Value {
  if (value instanceof Tuple) return Tuple.make(...value.map(inOrder));
  if (isList(value)) return value.map(inOrder);
  if (!isDict(value)) return value;
  const entries = [...value].map(([key, item]) => [key, repr(key), inOrder(item)] as const);
  entries.sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  return new Map(entries.map(([key, , item]) => [key, item]));
}

/** `indent` characters stand before it on its line, and at least `allowance` behind its last one. */
function format(value: Value, indent: number, allowance: number): string {
  const flat = repr(value);
  if (flat.length <= WIDTH - indent - allowance) return flat;
  if (isDict(value)) {
    const keys = [...value.keys()].map((key) => `${repr(key)}: `);
    const items = [...value.values()];
    return lines(['{', '}'], keys, { items, indent, allowance });
  }
  if (value instanceof Tuple || !isList(value)) return flat;
  return lines(
    ['[', ']'],
    value.map(() => ''),
    { items: value, indent, allowance },
  );
}

function lines(
  [open, close]: [string, string],
  keys: string[],
  { items, indent, allowance }: { items: Value[]; indent: number; allowance: number },
): string {
  const margin = indent + open.length;
  const formatted = items.map((item, index) => {
    const isLast = index === items.length - 1;
    return `${keys[index]}${format(item, margin + keys[index].length, isLast ? allowance + close.length : 1)}`;
  });
  const text = `${open}${formatted.join(`,\n${' '.repeat(margin)}`)}${close}`;
  assertTextLength(text.length);
  return text;
}
