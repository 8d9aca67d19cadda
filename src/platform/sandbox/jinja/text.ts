import { formatValue } from './format-spec.js';
import { FormatError, floatText } from './numbers.js';
import {
  Callable,
  EmptyNone,
  LoopState,
  Namespace,
  TemplateError,
  Tuple,
  Undefined,
  type Value,
  isDict,
  isList,
} from './values.js';

/** Texts longer than this are refused where they are made (characters). Also the limit of the output of a call. */
export const MAX_TEXT = 10_000_000;

export function assertTextLength(length: number): void {
  if (length > MAX_TEXT) throw new TemplateError('The text becomes too long.');
}

/** `str(value)`. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined || value instanceof EmptyNone) return '';
  return repr(value);
}

/** `format(value, spec)`; throws TemplateError for what Python refuses. */
export function formatted(value: string | bigint | number | boolean, spec: string): string {
  try {
    return formatValue(value, spec);
  } catch (error) {
    throw error instanceof FormatError ? new TemplateError(error.message) : error;
  }
}

/** `repr(value)`: how a value looks inside a printed list or dict. */
export function repr(value: Value): string {
  if (typeof value === 'object' && value !== null) return reprObject(value);
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value === null) return 'None';
  return value ? 'True' : 'False';
}

function reprObject(value: Exclude<Value, null | boolean | bigint | number | string>): string {
  if (value instanceof Tuple) return `(${value.map(repr).join(', ')}${value.length === 1 ? ',' : ''})`;
  if (isList(value)) return `[${value.map(repr).join(', ')}]`;
  if (isDict(value)) return reprEntries(value);
  if (value instanceof Namespace) return `<Namespace ${reprEntries(value.entries)}>`;
  if (value instanceof Callable) return `<function ${value.name}>`;
  if (value instanceof LoopState)
    return `<LoopContext ${repr(value.attribute('index'))}/${repr(value.attribute('length'))}>`;
  return value instanceof EmptyNone ? 'None' : 'Undefined';
}

function reprEntries(entries: Map<Value, Value>): string {
  return `{${[...entries].map(([key, value]) => `${repr(key)}: ${repr(value)}`).join(', ')}}`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
// Control and format characters and lone surrogates: Python calls them not printable.
const NOT_PRINTABLE = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(NOT_PRINTABLE, escapeCharacter);
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  if (ESCAPES[character]) return ESCAPES[character];
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
