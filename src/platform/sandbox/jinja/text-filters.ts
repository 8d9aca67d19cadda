import { countCharacters, sliceCharacters } from './characters.js';
import type { FilterFunction } from './filter-arguments.js';
import { formatPercent } from './percent-format.js';
import { capitalize, padText, replaceText, splitLines, stripText } from './string-methods.js';
import { prettyRepr } from './pretty.js';
import { assertTextLength, repr, toText } from './text.js';
import {
  type Arguments,
  EmptyNone,
  TemplateError,
  Tuple,
  type Value,
  isDict,
  isList,
  iterate,
  textArgument,
  toInt,
  truthy,
} from './values.js';
import { wrapText } from './wrap.js';

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

/** Filters that make text. Nothing is ever escaped unless the template asks for it. */
export const TEXT_FILTERS: Record<string, FilterFunction> = {
  string: (value) => toText(value),
  safe: (value) => value,
  upper: (value) => toText(value).toUpperCase(),
  lower: (value) => toText(value).toLowerCase(),
  capitalize: (value) => capitalize(toText(value)),
  title: (value) =>
    toText(value)
      .split(/([-\s({[<]+)/)
      .map(capitalize)
      .join(''),
  trim: (value, given) => stripText(toText(value), given.bind('chars')[0], 'both'),
  replace: (value, given) => {
    const [from, to, count] = given.bind('old', 'new', 'count');
    if (from === undefined || to === undefined) throw new TemplateError('replace needs two arguments');
    return replaceText(toText(value), toText(from), toText(to), count === null ? -1 : toInt(count, -1));
  },
  center: (value, given) => padText(toText(value), toInt(given.bind('width')[0], 80), ' ', 'both'),
  wordcount: (value) => BigInt(toText(value).match(/[\p{L}\p{N}_\p{M}]+/gu)?.length ?? 0),
  format: (value, given) => formatPercent(toText(value), formatArguments(given)),
  indent,
  truncate,
  wordwrap: (value, given) => {
    const [width, breaks, glue, hyphens] = given.bind('width', 'break_long_words', 'wrapstring', 'break_on_hyphens');
    const options = { breaksWords: truthy(breaks ?? true), breaksHyphens: truthy(hyphens ?? true) };
    const lines = splitLines(toText(value)).map((line) => wrapText(line, toInt(width, 79), options));
    return lines.map((line) => line.join(textArgument(glue ?? '\n'))).join(textArgument(glue ?? '\n'));
  },
  striptags: (value) =>
    toText(value)
      .replace(/<!--[^]*?-->/g, '')
      .replace(/<[^<>]*>/g, '')
      .split(/\s+/)
      .filter((word) => word !== '')
      .join(' '),
  escape: (value) => escapeHtml(value),
  e: (value) => escapeHtml(value),
  forceescape: (value) => escapeHtml(value),
  urlencode: (value) => urlEncode(value),
  tojson: (value, given) => toJson(value, given.bind('indent')[0]),
  pprint: (value) => prettyRepr(value),
};

function formatArguments(given: Arguments): Value {
  if (given.keywords.size === 0) return Tuple.make(...given.positional);
  if (given.positional.length > 0)
    throw new TemplateError("can't handle positional and keyword arguments at the same time");
  return new Map(given.keywords);
}

function indent(value: Value, given: Arguments): string {
  const [width, first, blank] = given.bind('width', 'first', 'blank');
  const indentation = typeof width === 'string' ? width : ' '.repeat(Math.min(10_000, Math.max(0, toInt(width, 4))));
  const lines = splitLines(`${toText(value)}\n`);
  assertTextLength(lines.length * indentation.length);
  const rest = lines.slice(1).map((line) => (line !== '' || truthy(blank ?? false) ? indentation + line : line));
  return (truthy(first ?? false) ? indentation : '') + [lines[0], ...rest].join('\n');
}

function truncate(value: Value, given: Arguments): string {
  const [length, killsWords, end, leeway] = given.bind('length', 'killwords', 'end', 'leeway');
  const text = toText(value);
  const suffix = textArgument(end, '...');
  const limit = toInt(length, 255);
  if (countCharacters(text) <= limit + toInt(leeway, 5)) return text;
  const cut = sliceCharacters(text, 0, Math.max(0, limit - countCharacters(suffix)));
  if (truthy(killsWords ?? false)) return cut + suffix;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + suffix;
}

function escapeHtml(value: Value): string {
  return toText(value).replace(/[&<>'"]/g, (character) => HTML[character]);
}

function urlEncode(value: Value): string {
  const quote = (item: Value, keepsSlash: boolean) => percentEncode(toText(item), keepsSlash);
  if (!isDict(value) && !isList(value)) return quote(value, true);
  const pairs = isDict(value) ? [...value] : value.map(iterate);
  return pairs
    .map(([key, item]) => `${quote(key, false)}=${quote(item, false)}`)
    .join('&')
    .replaceAll('%20', '+');
}

function percentEncode(text: string, keepsSlash: boolean): string {
  const encoded = encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return keepsSlash ? encoded.replaceAll('%2F', '/') : encoded;
}

const UNSAFE_IN_HTML = /[<>&'\u007f-\uffff]/g;

/** Like Python's: keys sorted, ASCII only, and safe to put into HTML. */
function toJson(value: Value, indentation: Value | undefined): string {
  const unit = typeof indentation === 'bigint' ? ' '.repeat(Math.min(100, Math.max(0, Number(indentation)))) : null;
  return writeJson(value, unit, '\n').replace(UNSAFE_IN_HTML, (character) => {
    return character === '\u007f' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function writeJson(value: Value, unit: string | null, newline: string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint' || typeof value === 'number') return jsonNumber(value);
  const inner = newline + (unit ?? '');
  if (isList(value))
    return enclose(
      '[]',
      value.map((item) => writeJson(item, unit, inner)),
      unit,
      newline,
    );
  if (isDict(value)) {
    const entries = [...value].map(([key, item]): [string, Value] => [jsonKey(key), item]);
    entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    const written = entries.map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item, unit, inner)}`);
    return enclose('{}', written, unit, newline);
  }
  if (value === null || value instanceof EmptyNone) return 'null';
  throw new TemplateError(`Object of type ${value.constructor.name} is not JSON serializable`);
}

function enclose(brackets: string, items: string[], unit: string | null, newline: string): string {
  if (items.length === 0) return brackets;
  if (unit === null) return brackets[0] + items.join(', ') + brackets[1];
  return brackets[0] + newline + unit + items.join(`,${newline}${unit}`) + newline + brackets[1];
}

function jsonNumber(value: bigint | number): string {
  if (typeof value === 'bigint' || Number.isFinite(value)) return repr(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  return key === null || typeof key === 'boolean' ? String(key) : repr(key);
}
