// Saved here, because the code of a user may replace them.
const { stringify } = JSON;
const tagOf = Function.prototype.call.bind(Object.prototype.toString) as (value: unknown) => string;

/** Values that JSON can represent. Others would be left out or become an empty object. */
const PLAIN = new Set(['[object Object]', '[object Array]', '[object Boolean]', '[object Number]', '[object String]']);
const isPlain = Set.prototype.has.bind(PLAIN);

/** The value as JSON; null for undefined. Throws a TypeError when a part of it is no JSON. */
export function toJson(value: unknown): string {
  return value === undefined ? 'null' : stringify(value, asItIs);
}

function asItIs(_: string, value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      if (value !== value || value === Infinity || value === -Infinity) throw notJson(`${value}`);
      return value;
    case 'object':
      if (value !== null && !isPlain(tagOf(value))) throw notJson(tagOf(value).slice(8, -1));
      return value;
    case 'function':
    case 'symbol':
    case 'bigint':
      throw notJson(`a ${typeof value}`);
    default:
      return value;
  }
}

function notJson(what: string): TypeError {
  return new TypeError(`The result holds ${what}, which is not JSON`);
}
