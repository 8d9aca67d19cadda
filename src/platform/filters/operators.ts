import { comparableText, spellingsOf } from '../comparable-text.js';
import { FilterSemanticsError } from './errors.js';
import type { FieldClass } from './fields.js';
import { type TimeSpan, toNumber, toText, toTime, toWholeNumber } from './values.js';

/** The condition on a row, independent of the operator's name. Every value is checked and converted. */
export type Condition =
  /**
   * The value of the row is one of these, case-sensitive. Letters may have been sent composed or decomposed, so a value with both
   * spellings is listed in both: lookups in columns and indexes compare with all.
   */
  | { kind: 'one_of'; values: string[] }
  /** A LIKE pattern, compared case-insensitively. */
  | { kind: 'matches'; pattern: string }
  | { kind: 'bounds'; bounds: Bound[] }
  /** A value exists; for a list or a map, a member. */
  | { kind: 'filled' }
  | { kind: 'truth'; expected: boolean };

export interface Bound {
  comparison: '=' | '<' | '<=' | '>' | '>=';
  value: number | string;
}

export interface OperatorRule {
  /** Completes the sentence "… takes <expects>." */
  expects: string;
  /** Null when the value is not what the operator expects. */
  read: (value: unknown) => Condition | null;
  /** The condition must not hold; a row without a value fulfils it. */
  negated: boolean;
  /** A nested field requires the key. */
  keyed: boolean;
}

type OperatorTable = Readonly<Record<string, OperatorRule>>;

const rule = (expects: string, read: OperatorRule['read']): OperatorRule => ({
  expects,
  read,
  negated: false,
  keyed: false,
});
const not = (positive: OperatorRule): OperatorRule => ({ ...positive, negated: true });
const keyed = (unkeyed: OperatorRule): OperatorRule => ({ ...unkeyed, keyed: true });

const TEXT = 'a text, number or boolean';

const oneText = rule(TEXT, (value) => oneOf([value], toText));
const anyText = rule('a list of texts, numbers or booleans', (value) => listOf(value, toText));
const oneId = rule('a whole number', (value) => oneOf([value], toWholeNumber));
const anyId = rule('a list of whole numbers', (value) => listOf(value, toWholeNumber));
const containing = rule(TEXT, (value) => matching(value, (text) => `%${text}%`));
const onePair = rule('"a:b" or an object of an id and a version', (value) => oneOf([value], toPair));
const anyPair = rule('a list of "a:b" or of objects of an id and a version', (value) => listOf(value, toPair));
const filled = rule('no value', (value) => (isNothing(value) ? { kind: 'filled' } : null));
const truth = (expected: boolean): OperatorRule =>
  rule(`no value, or ${expected}`, (value) =>
    isNothing(value) || toText(value)?.toLowerCase() === String(expected) ? { kind: 'truth', expected } : null,
  );

const STRING: OperatorTable = { is: oneText, is_not: not(oneText), in: anyText, not_in: not(anyText) };
const IDENTIFIER: OperatorTable = { is: oneId, is_not: not(oneId), in: anyId, not_in: not(anyId) };
const SEARCHED: OperatorTable = {
  contains: containing,
  not_contains: not(containing),
  starts_with: rule(TEXT, (value) => matching(value, (text) => `${text}%`)),
  ends_with: rule(TEXT, (value) => matching(value, (text) => `%${text}`)),
};
const NUMBER: OperatorTable = {
  eq: comparing('='),
  neq: not(comparing('=')),
  gt: comparing('>'),
  gte: comparing('>='),
  lt: comparing('<'),
  lte: comparing('<='),
  between: rule('[low, high], two numbers', numbersBetween),
  is_null: not(filled),
  is_not_null: filled,
};
const oneValue = rule(TEXT, (value) => anySpelling([value]));
const anyValue = rule(anyText.expects, (value) => (Array.isArray(value) ? anySpelling(Array.from(value)) : null));
const NESTED: OperatorTable = {
  key_equals: oneValue,
  key_not_equals: not(oneValue),
  key_contains: containing,
  in: anyValue,
  not_in: not(anyValue),
};
const anyNumber = rule('a list of numbers', (value) => listOf(value, (item) => toNumber(item)?.toString() ?? null));
const PRESENCE: OperatorTable = { is_empty: not(filled), is_not_empty: filled };

const BOOLEAN: OperatorTable = { is_true: truth(true), is_false: truth(false) };

const OPERATORS: Readonly<Record<Exclude<FieldClass, 'unavailable'>, OperatorTable>> = {
  string: STRING,
  identifier: IDENTIFIER,
  text: SEARCHED,
  name: { ...STRING, ...SEARCHED },
  number: NUMBER,
  ordinal: { ...IDENTIFIER, ...NUMBER },
  datetime: {
    is: during((time) => [atLeast(time.first), atMost(time.last)]),
    before: during((time) => [{ comparison: '<', value: time.first }]),
    after: during((time) => [{ comparison: '>', value: time.last }]),
    between: rule('[start, end], two dates or times in ISO 8601 or since the epoch', timesBetween),
  },
  boolean: BOOLEAN,
  array: {
    contains: oneText,
    not_contains: not(oneText),
    in: anyText,
    not_in: not(anyText),
    ...PRESENCE,
  },
  pair: {
    contains: onePair,
    not_contains: not(onePair),
    in: anyPair,
    not_in: not(anyPair),
    key_equals: keyed(oneText),
    key_not_equals: keyed(not(oneText)),
    key_contains: keyed(containing),
    ...PRESENCE,
  },
  nested: { ...Object.fromEntries(Object.entries(NESTED).map(([name, each]) => [name, keyed(each)])), ...PRESENCE },
  loose: { ...NESTED, ...PRESENCE },
  numbers: {
    ...NUMBER,
    key_equals: comparing('='),
    key_not_equals: not(comparing('=')),
    key_contains: containing,
    in: anyNumber,
    not_in: not(anyNumber),
    ...PRESENCE,
  },
  json: { ...STRING, ...SEARCHED, ...NUMBER, ...BOOLEAN, ...PRESENCE },
  states: STRING,
  messages: { ...STRING, ...SEARCHED, ...PRESENCE },
};

/** The classes of fields that can be searched. */
export const FIELD_CLASSES = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];

/** Every operator of the grammar, whatever the class of its field. */
export const OPERATOR_NAMES: ReadonlySet<string> = new Set(Object.values(OPERATORS).flatMap(Object.keys));

/** The rule of an operator for a field; throws `FilterSemanticsError` when the field does not take the operator. */
export function ruleOf(field: string, fieldClass: FieldClass, operator: string): OperatorRule {
  if (fieldClass === 'unavailable') throw new FilterSemanticsError(`The field "${field}" is not searchable here.`);
  const table = OPERATORS[fieldClass];
  if (Object.hasOwn(table, operator)) return table[operator];
  const allowed = Object.keys(table).join(', ');
  throw new FilterSemanticsError(
    `The field "${field}" (${fieldClass}) does not take the operator "${operator}". It takes: ${allowed}.`,
  );
}

/** Whether the operator compares the value at a key of a nested field, so that the key must be given. */
export function needsKey(fieldClass: FieldClass, operator: string): boolean {
  if (fieldClass === 'unavailable') return false;
  const table = OPERATORS[fieldClass];
  return Object.hasOwn(table, operator) && table[operator].keyed;
}

/** The operators of a class of fields. */
export function operatorsOf(fieldClass: FieldClass): string[] {
  return fieldClass === 'unavailable' ? [] : Object.keys(OPERATORS[fieldClass]);
}

function oneOf(values: unknown[], convert: (value: unknown) => string | null): Condition | null {
  const converted = values.map(convert);
  return converted.every((value) => value !== null) ? oneOfTexts(converted) : null;
}

const oneOfTexts = (texts: string[]): Condition => ({
  kind: 'one_of',
  values: [...new Set(texts.flatMap(spellingsOf))],
});

function listOf(value: unknown, convert: (value: unknown) => string | null): Condition | null {
  return Array.isArray(value) ? oneOf(Array.from(value), convert) : null;
}

function anySpelling(values: unknown[]): Condition | null {
  const written = values.map(writtenInJson);
  return written.every((each) => each !== null) ? oneOfTexts(written.flat()) : null;
}

/**
 * Values are stored as texts: numbers as the database or as JSON writes them. Some clients write the booleans True and False; JSON
 * has true and false.
 */
function writtenInJson(value: unknown): string[] | null {
  const text = toText(value);
  if (text === null) return null;
  if (/^(?:True|False)$/.test(text)) return [text, text.toLowerCase()];
  return typeof value === 'number' ? [...new Set([text, String(value)])] : [text];
}

function matching(value: unknown, pattern: (escaped: string) => string): Condition | null {
  const text = toText(value);
  return text === null ? null : { kind: 'matches', pattern: pattern(escaped(text)) };
}

const escaped = (text: string): string => comparableText(text).replace(/[\\%_]/g, '\\$&');

/** The condition that the value contains a text, case-insensitively. */
export function textContaining(text: string): Condition {
  return { kind: 'matches', pattern: `%${escaped(text)}%` };
}

function comparing(comparison: Bound['comparison']): OperatorRule {
  return rule('a number', (value) => {
    const number = toNumber(value);
    return number === null ? null : { kind: 'bounds', bounds: [{ comparison, value: number }] };
  });
}

function numbersBetween(value: unknown): Condition | null {
  const [low, high] = pairOf(value, toNumber);
  return low === null || high === null ? null : { kind: 'bounds', bounds: [atLeast(low), atMost(high)] };
}

function during(boundsOf: (time: TimeSpan) => Bound[]): OperatorRule {
  return rule('a date or time in ISO 8601 or since the epoch', (value) => {
    const time = toTime(value);
    return time && { kind: 'bounds', bounds: boundsOf(time) };
  });
}

function timesBetween(value: unknown): Condition | null {
  const [start, end] = pairOf(value, toTime);
  return start && end && { kind: 'bounds', bounds: [atLeast(start.first), atMost(end.last)] };
}

function pairOf<T>(value: unknown, convert: (value: unknown) => T | null): [T | null, T | null] {
  return Array.isArray(value) && value.length === 2 ? [convert(value[0]), convert(value[1])] : [null, null];
}

function atLeast(value: number | string): Bound {
  return { comparison: '>=', value };
}

function atMost(value: number | string): Bound {
  return { comparison: '<=', value };
}

/** `{prompt_id: 10, version: 2}` is "10:2"; texts and numbers are as they are. */
function toPair(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return toText(value);
  const { version, ...rest } = value as Record<string, unknown>;
  const [id, ...others] = Object.values(rest).map(toText);
  const [first, second] = [id ?? null, toText(version)];
  return first === null || second === null || others.length > 0 ? null : `${first}:${second}`;
}

/** Form libraries send "" with an operator that takes no value. */
const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';
