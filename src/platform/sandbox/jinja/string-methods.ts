import { characters, countCharacters, sliceCharacters } from './characters.js';
import { formatBraces } from './brace-format.js';
import { assertTextLength } from './text.js';
import { type Arguments, TemplateError, Tuple, type Value, iterate, textArgument, toInt } from './values.js';

/** Methods of texts, by Python's names. */
export const STRING_METHODS: Record<string, (self: string, given: Arguments) => Value> = {
  upper: (self) => self.toUpperCase(),
  lower: (self) => self.toLowerCase(),
  casefold: (self) => self.toLowerCase().replaceAll('ß', 'ss'),
  capitalize,
  title,
  swapcase: (self) => mapCharacters(self, (one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())),
  strip: (self, given) => stripText(self, given.positional[0], 'both'),
  lstrip: (self, given) => stripText(self, given.positional[0], 'start'),
  rstrip: (self, given) => stripText(self, given.positional[0], 'end'),
  split: (self, given) => split(self, given),
  rsplit: (self, given) => rsplit(self, given),
  expandtabs: (self, given) => expandTabs(self, toInt(given.bind('tabsize')[0], 8)),
  splitlines: (self, given) => splitLines(self, given.bind('keepends')[0] === true),
  partition: (self, given) =>
    partition(self, textArgument(given.positional[0]), self.indexOf(String(given.positional[0]))),
  rpartition: (self, given) => rpartition(self, textArgument(given.positional[0])),
  replace: (self, given) => {
    const [from, to, count] = given.bind('old', 'new', 'count');
    return replaceText(self, textArgument(from), textArgument(to), toInt(count, -1));
  },
  join: (self, given) =>
    joinAll(
      iterate(given.positional[0] ?? null).map((item) => textArgument(item)),
      self,
    ),
  startswith: (self, given) => affixes(given).some((affix) => self.startsWith(affix)),
  endswith: (self, given) => affixes(given).some((affix) => self.endsWith(affix)),
  removeprefix: (self, given) => removeAffix(self, textArgument(given.positional[0]), 'start'),
  removesuffix: (self, given) => removeAffix(self, textArgument(given.positional[0]), 'end'),
  find: (self, given) => position(self, self.indexOf(textArgument(given.positional[0]))),
  rfind: (self, given) => position(self, self.lastIndexOf(textArgument(given.positional[0]))),
  index: (self, given) => {
    const at = self.indexOf(textArgument(given.positional[0]));
    if (at < 0) throw new TemplateError('substring not found');
    return position(self, at);
  },
  count: (self, given) => {
    const part = textArgument(given.positional[0]);
    return BigInt(part === '' ? countCharacters(self) + 1 : self.split(part).length - 1);
  },
  center: (self, given) => justify(self, given, 'both'),
  ljust: (self, given) => justify(self, given, 'end'),
  rjust: (self, given) => justify(self, given, 'start'),
  zfill: (self, given) => {
    const sign = /^[+-]/.exec(self)?.[0] ?? '';
    return sign + '0'.repeat(missing(self, toInt(given.positional[0], 0))) + self.slice(sign.length);
  },
  format: formatBraces,
  isdigit: (self) => /^\p{Nd}+$/u.test(self),
  isdecimal: (self) => /^\p{Nd}+$/u.test(self),
  isnumeric: (self) => /^\p{N}+$/u.test(self),
  isalpha: (self) => /^\p{L}+$/u.test(self),
  isalnum: (self) => /^[\p{L}\p{N}]+$/u.test(self),
  isspace: (self) => /^\s+$/.test(self),
  isupper: (self) => self !== self.toLowerCase() && self === self.toUpperCase(),
  islower: (self) => self !== self.toUpperCase() && self === self.toLowerCase(),
  istitle: (self) => self === title(self) && self.toLowerCase() !== self.toUpperCase(),
  isidentifier: (self) => /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(self),
};

function mapCharacters(text: string, map: (character: string) => string): string {
  return characters(text).map(map).join('');
}

export function capitalize(text: string): string {
  const first = sliceCharacters(text, 0, 1);
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** `str.title`: a word begins after anything that is no letter. */
function title(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => capitalize(word));
}

/** Removes the characters of a text, or else whitespace, from the ends. */
export function stripText(text: string, removed: Value | undefined, side: 'both' | 'start' | 'end'): string {
  if (typeof removed !== 'string')
    return side === 'both' ? text.trim() : side === 'start' ? text.trimStart() : text.trimEnd();
  const set = new Set(characters(removed));
  const all = characters(text);
  let [from, to] = [0, all.length];
  while (side !== 'end' && from < to && set.has(all[from])) from++;
  while (side !== 'start' && to > from && set.has(all[to - 1])) to--;
  return all.slice(from, to).join('');
}

function split(text: string, given: Arguments): Value[] {
  const [separator, limit] = given.bind('sep', 'maxsplit');
  const most = toInt(limit, -1);
  if (typeof separator === 'string') return splitBy(text, separator, most);
  const words = text.trim().split(/\s+/);
  if (text.trim() === '') return [];
  if (most < 0 || words.length <= most) return words;
  const rest = /\s*/y;
  for (const word of words.slice(0, most)) {
    rest.exec(text);
    rest.lastIndex += word.length;
  }
  return [...words.slice(0, most), text.slice(rest.lastIndex).trimStart()];
}

function splitBy(text: string, separator: string, most: number): string[] {
  if (separator === '') throw new TemplateError('empty separator');
  const parts = text.split(separator);
  if (most < 0 || parts.length <= most + 1) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(separator)];
}

function rsplit(text: string, given: Arguments): Value[] {
  const [separator, limit] = given.bind('sep', 'maxsplit');
  const most = toInt(limit, -1);
  if (most < 0) return split(text, given);
  if (typeof separator !== 'string') return lastWords(text, most);
  const parts = splitBy(text, separator, -1);
  if (parts.length <= most + 1) return parts;
  return [parts.slice(0, parts.length - most).join(separator), ...parts.slice(parts.length - most)];
}

/** The last words of a text, with whatever is before them. */
function lastWords(text: string, most: number): string[] {
  const words: string[] = [];
  let rest = text.trimEnd();
  while (rest !== '' && words.length < most) {
    const word = rest.slice(rest.search(/\S+$/));
    words.unshift(word);
    rest = rest.slice(0, -word.length).trimEnd();
  }
  return rest === '' ? words : [rest, ...words];
}

/** `str.expandtabs`: blanks up to the next column that is a multiple of the size. */
function expandTabs(text: string, size: number): string {
  assertTextLength(text.length * Math.max(1, size));
  let column = 0;
  return mapCharacters(text, (one) => {
    const blanks = one === '\t' ? (size > 0 ? size - (column % size) : 0) : 1;
    column = one === '\n' || one === '\r' ? 0 : column + blanks;
    return one === '\t' ? ' '.repeat(blanks) : one;
  });
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const AFTER_LINE = /(?<=\n|\r(?!\n)|[\v\f\u0085\u2028\u2029])/;

/** `str.splitlines`: no empty line at the end. */
export function splitLines(text: string, keepsEnds = false): string[] {
  const lines = text.split(keepsEnds ? AFTER_LINE : LINE_END);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function partition(text: string, separator: string, at: number): Tuple {
  if (separator === '') throw new TemplateError('empty separator');
  if (at < 0) return Tuple.make(text, '', '');
  return Tuple.make(text.slice(0, at), separator, text.slice(at + separator.length));
}

function rpartition(text: string, separator: string): Tuple {
  const at = text.lastIndexOf(separator);
  return at < 0 ? Tuple.make('', '', text) : partition(text, separator, at);
}

/** `str.replace`: at most `count` times from the left, all when negative. */
export function replaceText(text: string, from: string, to: string, count: number): string {
  const parts = from === '' ? ['', ...characters(text), ''] : text.split(from);
  const times = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  assertTextLength(text.length + times * to.length);
  return [parts.slice(0, times + 1).join(to), ...parts.slice(times + 1)].join(from);
}

/** Texts with a separator between them. */
export function joinAll(texts: string[], separator: string): string {
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  assertTextLength(length);
  return texts.join(separator);
}

function affixes(given: Arguments): string[] {
  const [affix] = given.positional;
  return affix instanceof Tuple ? affix.map((one) => textArgument(one)) : [textArgument(affix)];
}

function removeAffix(text: string, affix: string, side: 'start' | 'end'): string {
  if (affix === '') return text;
  if (side === 'start') return text.startsWith(affix) ? text.slice(affix.length) : text;
  return text.endsWith(affix) ? text.slice(0, -affix.length) : text;
}

/** An index in code units as one in characters. */
function position(text: string, at: number): bigint {
  return BigInt(at <= 0 ? at : countCharacters(text.slice(0, at)));
}

function missing(text: string, width: number): number {
  assertTextLength(width);
  return Math.max(0, width - countCharacters(text));
}

function justify(text: string, given: Arguments, side: 'both' | 'start' | 'end'): string {
  const fill = typeof given.positional[1] === 'string' ? given.positional[1] : ' ';
  return padText(text, toInt(given.positional[0], 0), fill, side);
}

/** Pads to a width in characters. Centres like CPython, including the side of an odd fill character. */
export function padText(text: string, width: number, fill: string, side: 'both' | 'start' | 'end'): string {
  const count = missing(text, width);
  if (side === 'start') return fill.repeat(count) + text;
  if (side === 'end') return text + fill.repeat(count);
  const left = Math.floor(count / 2) + (count & width & 1);
  return fill.repeat(left) + text + fill.repeat(count - left);
}
