import type { JsonObject, JsonValue } from '../../platform/json.js';
import { formatValue } from '../../platform/sandbox/jinja/format-spec.js';
import { FormatError } from '../../platform/sandbox/jinja/numbers.js';
import { MAX_TEXT, repr } from '../../platform/sandbox/jinja/text.js';
import { fromJson } from '../../platform/sandbox/jinja/values.js';

/** A field of a format text: `{name!conversion:spec}`. The spec may hold fields itself, one level deep. */
interface Field {
  name: string;
  conversion: string;
  spec: Part[];
}

type Part = string | Field;

/** Thrown where Python's `str.format` raises an error: the text is not a format string. */
class Unformattable extends Error {}

/** The result would be longer than the caller has room for. */
class TooLong extends Error {}

export interface FormattedText {
  text: string;
  /** The text was returned unchanged because the result would be too long. */
  isTooLong: boolean;
  /** Reason why a text that seems to have fields was returned unchanged; null when it was filled in or has none. */
  problem: string | null;
  /** Names that were not supplied, in the order of the text, each once. A supplied null is not missing. */
  missing: string[];
}

/**
 * Fills the fields of a text as `str.format` does, where the whole name is the key: "a.b" and "a[0]" are just names.
 * Missing and null values become empty; objects and arrays become compact JSON. A text that Python could not parse or
 * format, such as one with the braces of JSON, is returned unchanged, and so is one with positional fields. `problem` is
 * set if that leaves a variable unfilled.
 *
 * @param room longest result in characters; a text that would become longer is returned unchanged
 */
export function formatFString(text: string, variables: JsonObject, room = MAX_TEXT): FormattedText {
  const unchanged = { text, isTooLong: false, missing: [], problem: null };
  if (!mayHaveFields(text)) return unchanged;
  try {
    const filling: Filling = { variables, missing: new Set(), room };
    const formatted = join(parse(text), filling);
    return { ...unchanged, text: formatted, missing: [...filling.missing] };
  } catch (error) {
    if (error instanceof TooLong) return { ...unchanged, isTooLong: true };
    if (error instanceof Unformattable)
      return { ...unchanged, problem: seemingNames(text).length > 0 ? NO_FORMAT : null };
    if (error instanceof FormatError)
      return { ...unchanged, problem: `a value does not fit its field: ${error.message}.` };
    throw error;
  }
}

interface Filling {
  variables: JsonObject;
  missing: Set<string>;
  /** Characters that may still be written. */
  room: number;
}

const NO_FORMAT = 'it has braces that are no fields of an f-string. Double those that are not variables: {{ and }}.';

/** Matches possible fields in a text that Python could not parse. */
const SEEMING_FIELD = /\{\{|\{([\p{L}_][\p{L}\p{N}_ .-]*)(?:[!:][^{}"'\n]*)?\}/gu;

function seemingNames(text: string): string[] {
  const names = [...text.matchAll(SEEMING_FIELD)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return [...new Set(names)];
}

/** The names of the fields of a text, in its order, each once. If the text does not parse, possible fields count. */
export function fStringVariables(text: string): string[] {
  if (!mayHaveFields(text)) return [];
  try {
    return [...new Set(allFields(parse(text)).map(({ name }) => name))];
  } catch (error) {
    if (error instanceof Unformattable) return seemingNames(text);
    throw error;
  }
}

function mayHaveFields(text: string): boolean {
  return text.includes('{') || text.includes('}');
}

function allFields(parts: Part[]): Field[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part, ...allFields(part.spec)]));
}

/** Nested fields are allowed in the spec of a field, and nowhere deeper. */
const MAX_NESTING = 1;
const BRACE = /[{}]/g;

function parse(text: string, nesting = 0): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    BRACE.lastIndex = at;
    const brace = BRACE.exec(text)?.index ?? text.length;
    parts.push(text.slice(at, brace));
    if (brace === text.length) break;
    if (text[brace + 1] === text[brace]) {
      parts.push(text[brace]);
      at = brace + 2;
    } else {
      if (text[brace] === '}' || nesting > MAX_NESTING) throw new Unformattable();
      const end = fieldEnd(text, brace + 1);
      parts.push(parseField(text.slice(brace + 1, end), nesting));
      at = end + 1;
    }
  }
  return parts;
}

/** Where the brace that closes a field is. */
function fieldEnd(text: string, start: number): number {
  let depth = 1;
  BRACE.lastIndex = start;
  for (let match = BRACE.exec(text); match; match = BRACE.exec(text)) {
    depth += match[0] === '{' ? 1 : -1;
    if (depth === 0) return match.index;
    // Deeper nesting is always invalid. Without this limit a text of braces would take quadratic time.
    if (depth > MAX_NESTING + 2) throw new Unformattable();
  }
  throw new Unformattable();
}

// A colon or exclamation mark inside brackets belongs to the name.
const FIELD = /^((?:\[[^\]]*\]|[^[!:{}])*)(?:!([^]?)(?=:|$))?(?::([^]*))?$/;

function parseField(field: string, nesting: number): Field {
  const match = FIELD.exec(field);
  if (!match) throw new Unformattable();
  const [, name, conversion, spec] = match;
  // Positional fields: nothing is supplied by position.
  if (name === '' || /^\d+$/.test(name) || /^[.[]/.test(name)) throw new Unformattable();
  // Quotes and line breaks in a name are a sign of JSON or code.
  if (/["'\n\r]/.test(name)) throw new Unformattable();
  if (conversion !== undefined && !['r', 's', 'a'].includes(conversion)) throw new Unformattable();
  return { name, conversion: conversion ?? '', spec: spec === undefined ? [] : parse(spec, nesting + 1) };
}

function join(parts: Part[], filling: Filling): string {
  return parts.map((part) => write(part, filling)).join('');
}

function write(part: Part, filling: Filling): string {
  const text = typeof part === 'string' ? part : formatField(part, filling);
  filling.room -= text.length;
  if (filling.room < 0) throw new TooLong();
  return text;
}

function formatField(field: Field, filling: Filling): string {
  const { variables, missing } = filling;
  const isSupplied = Object.hasOwn(variables, field.name);
  if (!isSupplied) missing.add(field.name);
  const value = (isSupplied ? variables[field.name] : null) ?? '';
  const spec = join(field.spec, filling);
  if (field.conversion !== '') return formatValue(convert(value, field.conversion), spec);
  if (typeof value !== 'object') return formatValue(toPython(value), spec);
  if (spec !== '') throw new Unformattable();
  return JSON.stringify(value);
}

function convert(value: JsonValue, conversion: string): string {
  if (conversion === 's') return typeof value === 'object' ? JSON.stringify(value) : formatValue(toPython(value), '');
  const text = repr(fromJson(value));
  return conversion === 'r' ? text : text.replace(/[^ -~\n]/gu, escapeWide);
}

function escapeWide(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Converts whole numbers to ints, because JSON has no separate 1 and 1.0. */
function toPython(value: string | number | bigint | boolean): string | bigint | number | boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value) : value;
}
